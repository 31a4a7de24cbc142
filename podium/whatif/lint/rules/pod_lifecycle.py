"""Rules about the lifecycle of pods: bare pods, rollouts, grace periods and tolerations."""

from collections.abc import Iterator

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.nodes import NO_EXECUTE, tolerates
from podium.api.objects import Object, annotations
from podium.api.pods import tolerations_of
from podium.api.priority import NEVER, class_value
from podium.api.values.message_words import count
from podium.api.well_known import HELM_HOOK
from podium.apiserver.kinds.registration.registrations import completed
from podium.scheduler.snapshot.host_ports import host_ports
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule, workload_rule
from podium.whatif.lint.workload_reader import Workload


@workload_rule
def bare_pod(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """A pod has no controller, and is neither static nor a Helm hook."""
    if workload.kind == "Pod" and HELM_HOOK not in annotations(workload.obj):
        yield Offence(workload.obj, "it has no controller: once lost, it doesn't come back")


@Rule
def long_grace_period(view: ClusterView) -> Iterator[Offence]:
    """Pods with a long grace period have a lower priority than preempting pods or classes."""
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


@workload_rule
def fixed_node(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """A pod template, or a pod that isn't created yet, sets `nodeName`."""
    node = workload.spec.get("nodeName")
    if node and (workload.obj["kind"] != "Pod" or workload.is_new):
        message = f"its pods go to {node} past the scheduler"
        yield Offence(workload.obj, message, f"{workload.path}.nodeName")


@workload_rule
def host_port_with_surge(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """A rollout has to create a new pod first, but old pods use the host port on each node."""
    ports = sorted(map(str, host_ports(workload.spec)))
    if not ports:
        return
    why = _why_stuck(view, workload)
    if why:
        message = f"its pods need {', '.join(ports)} of their node; {why}"
        yield Offence(workload.obj, message, f"spec.{_STRATEGIES[workload.kind]}")


_STRATEGIES = {"Deployment": "strategy", "DaemonSet": "updateStrategy"}


def _why_stuck(view: ClusterView, workload: Workload) -> str:
    obj = workload.obj
    if obj["kind"] not in _STRATEGIES:
        return ""
    # Few workloads have host ports.
    from podium.controllers.daemon_set.daemon_set_state import rollout_bound

    obj = completed(KINDS[str(obj["kind"])], obj)
    if workload.kind == "DaemonSet":
        surges = rollout_bound(obj, "maxSurge", 100) > 0
        return "with maxSurge the new pod of a node comes while the old one holds them" * surges
    from podium.controllers.deployment.replica_sets import max_surge, max_unavailable

    if not max_surge(obj) or max_unavailable(obj) or not workload.replicas:
        return ""
    nodes, pods = len(view.nodes_for(workload)), count(workload.replicas, "pod")
    rounded = "maxUnavailable comes to 0, so that an old pod goes only when a new one is ready"
    if not view.nodes:
        return f"{rounded}: {workload.replicas + 1} nodes are needed for {pods}"
    if nodes > workload.replicas:
        return ""
    too_few = f"{count(nodes, 'node')} {'is' if nodes == 1 else 'are'} too few"
    return f"{rounded}, and {too_few} for {workload.replicas + 1} pods"


_NOT_READY, _UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"


@Rule
def tolerates_everything(view: ClusterView) -> Iterator[Offence]:
    """Pods outside DaemonSets tolerate taints with any key."""
    for workload, place, one in _tolerations(view):
        if _is_of_every_key(one):
            which = f"every taint with {one['effect']}" if one.get("effect") else "every taint"
            yield Offence(workload.obj, f"its pods tolerate {which}", place)


@Rule
def stays_on_failed_node(view: ClusterView) -> Iterator[Offence]:
    """A toleration of a failed node's taint has no `tolerationSeconds`."""
    failing = [{"key": key, "effect": NO_EXECUTE} for key in (_NOT_READY, _UNREACHABLE)]
    for workload, place, one in _tolerations(view):
        named = [taint["key"] for taint in failing if tolerates(one, taint)]
        if named and one.get("tolerationSeconds") is None and not _is_of_every_key(one):
            yield Offence(workload.obj, f"its pods tolerate {named[0]} forever", place)


def _tolerations(view: ClusterView) -> Iterator[tuple[Workload, str, Object]]:
    for workload in view.workloads:
        if workload.kind != "DaemonSet":
            for index, toleration in enumerate(tolerations_of(workload.spec)):
                yield workload, f"{workload.path}.tolerations[{index}]", toleration


def _is_of_every_key(toleration: Object) -> bool:
    return not toleration.get("key") and toleration.get("operator") == "Exists"
