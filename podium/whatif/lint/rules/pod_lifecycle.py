"""Rules about how pods come, stay and go."""

from collections.abc import Iterator

from podium.api.objects import annotations
from podium.api.priority import NEVER, class_value
from podium.api.well_known import HELM_HOOK
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, rule
from podium.whatif.lint.severity import Severity
from podium.whatif.lint.thresholds import Thresholds


@rule(
    "bare-pod",
    Severity.WARNING,
    "A pod that nobody would recreate",
    reason=(
        "It has no controller: once it is preempted, evicted or lost with its node, it doesn't "
        "come back. A drain refuses to go on unless it is forced."
    ),
    fix="Make a Deployment, a StatefulSet or a Job of it.",
)
def bare_pod(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """A pod without a controller that is neither static nor one of Helm's hooks."""
    for workload in view.workloads:
        if workload.is_bare and HELM_HOOK not in annotations(workload.obj):
            yield Offence(workload.obj, "it has no controller: once lost, it doesn't come back")


@rule(
    "long-grace-period",
    Severity.WARNING,
    "Pods that others may preempt take long to end",
    reason=(
        "A pod that preempts them waits until they have ended. Their grace period is how long an "
        "important pod stays pending."
    ),
    fix="Shorten `terminationGracePeriodSeconds`, and save what must survive as work goes on. "
    "`thresholds.gracePeriod` says what is long. Critical pods, with the highest PriorityClass of "
    "users, aren't meant.",
)
def long_grace_period(view: ClusterView, thresholds: Thresholds) -> Iterator[Offence]:
    """Pods with a long grace period have a lower priority than pods or a class that preempt."""
    of_classes = [class_value(one) for one in view.classes if one.get("preemptionPolicy") != NEVER]
    of_pods = [one.priority or 0 for one in view.workloads if one.preempts]
    top = max((*of_classes, *of_pods), default=0)
    for workload in view.workloads:
        grace_s = workload.spec.get("terminationGracePeriodSeconds") or 0
        priority = workload.priority
        is_low = priority is not None and priority < min(top, view.critical_from(thresholds))
        if is_low and grace_s > thresholds.grace_period:
            message = f"its pods, of priority {priority}, may take {grace_s}s to make room"
            field = f"{workload.path}.terminationGracePeriodSeconds"
            yield Offence(workload.obj, message, field, (f"pods of priority {top} preempt",))


@rule(
    "fixed-node",
    Severity.WARNING,
    "Pods name their node",
    reason=(
        "`nodeName` goes past the scheduler: no taint, affinity or room is looked at, nobody is "
        "preempted for them, and the kubelet refuses what doesn't fit."
    ),
    fix="Use a node selector or node affinity; `kubernetes.io/hostname` names a single node.",
)
def fixed_node(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """A template, or a pod that is still to be created, names a node."""
    for workload in view.workloads:
        node = workload.spec.get("nodeName")
        if node and (workload.obj["kind"] != "Pod" or workload.is_new):
            message = f"its pods go to {node} past the scheduler"
            yield Offence(workload.obj, message, f"{workload.path}.nodeName")
