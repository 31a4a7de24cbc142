"""Rules about how workloads replace their pods."""

from collections.abc import Iterator

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import completed
from podium.scheduler.snapshot.host_ports import host_ports
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule
from podium.whatif.lint.workload_reader import Workload


@Rule
def host_port_with_surge(view: ClusterView) -> Iterator[Offence]:
    """A rollout must surge before an old pod goes, and each node's port is taken by an old pod."""
    for workload in view.workloads:
        ports = sorted(map(str, host_ports(workload.spec)))
        if not ports:
            continue
        why = _why_stuck(view, workload)
        if why:
            message = f"its pods need {', '.join(ports)} of their node; {why}"
            yield Offence(workload.obj, message, f"spec.{_STRATEGIES[workload.kind]}")


_STRATEGIES = {"Deployment": "strategy", "DaemonSet": "updateStrategy"}


def _why_stuck(view: ClusterView, workload: Workload) -> str:
    """Why new pods may find no node; empty if they do."""
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
    nodes = len(view.nodes_for(workload))
    rounded = "maxUnavailable comes to 0, so that an old pod goes only when a new one is ready"
    if not view.nodes:
        return f"{rounded}: {workload.replicas + 1} nodes are needed for {workload.replicas} pods"
    if nodes > workload.replicas:
        return ""
    return f"{rounded}, and {nodes} nodes are too few for {workload.replicas + 1} pods"
