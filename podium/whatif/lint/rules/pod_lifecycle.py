"""Rules about how pods come, stay and go."""

from collections.abc import Iterator

from podium.api.objects import annotations
from podium.api.priority import NEVER, class_value
from podium.api.well_known import HELM_HOOK
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule


@Rule
def bare_pod(view: ClusterView) -> Iterator[Offence]:
    """A pod without a controller that is neither static nor one of Helm's hooks."""
    for workload in view.workloads:
        if workload.is_bare and HELM_HOOK not in annotations(workload.obj):
            yield Offence(workload.obj, "it has no controller: once lost, it doesn't come back")


@Rule
def long_grace_period(view: ClusterView) -> Iterator[Offence]:
    """Pods with a long grace period have a lower priority than pods or a class that preempt."""
    of_classes = [class_value(one) for one in view.classes if one.get("preemptionPolicy") != NEVER]
    of_pods = [one.priority or 0 for one in view.workloads if one.preempts]
    top = max((*of_classes, *of_pods), default=0)
    for workload in view.workloads:
        grace_s = workload.spec.get("terminationGracePeriodSeconds") or 0
        priority = workload.priority
        is_low = priority is not None and priority < min(top, view.critical_from)
        if is_low and grace_s > view.thresholds.grace_period:
            message = f"its pods, of priority {priority}, may take {grace_s}s to make room"
            field = f"{workload.path}.terminationGracePeriodSeconds"
            yield Offence(workload.obj, message, field, (f"pods of priority {top} preempt",))


@Rule
def fixed_node(view: ClusterView) -> Iterator[Offence]:
    """A template, or a pod that is still to be created, names a node."""
    for workload in view.workloads:
        node = workload.spec.get("nodeName")
        if node and (workload.obj["kind"] != "Pod" or workload.is_new):
            message = f"its pods go to {node} past the scheduler"
            yield Offence(workload.obj, message, f"{workload.path}.nodeName")
