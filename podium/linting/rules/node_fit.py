"""Rules about whether any node could take pods at all."""

from collections import Counter
from collections.abc import Iterator, Mapping

from podium.api.objects import Object, status_of
from podium.api.quantity import nanos
from podium.api.resources import pod_requests, resource_amount
from podium.linting.cluster_view import ClusterView, refusal_of
from podium.linting.rule import Offence, rule
from podium.linting.severity import Severity
from podium.linting.thresholds import Thresholds
from podium.presenting import count

_SHOWN_MAX = 5


@rule(
    "no-node-selected",
    Severity.WARNING,
    "No node is selected, or all have taints that pods don't tolerate",
    reason="The pods can't be scheduled, whatever their priority: preemption doesn't help them.",
    fix="Correct the node selector, the node affinity or the tolerations, or label nodes. Where "
    "nodes of that sort are only made when they are needed, ignore the rule for the workload.",
)
def no_node_selected(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """Node affinity, node selector and taints together leave no node."""
    for workload in view.workloads:
        if view.nodes and workload.kind != "DaemonSet" and not view.nodes_for(workload):
            message = f"none of {len(view.nodes)} nodes is selected and tolerated by its pods"
            why = Counter(map(refusal_of(workload.pod), view.nodes)).most_common(_SHOWN_MAX)
            told = tuple(f"{reason}: {count(times, 'node')}" for reason, times in why)
            yield Offence(workload.obj, message, workload.path, told)


@rule(
    "requests-above-nodes",
    Severity.WARNING,
    "Pods request more than any of their nodes has",
    reason="Not even an empty node would take them, and preemption makes no node larger.",
    fix="Request less, or add larger nodes.",
)
def requests_above_nodes(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """Each node that the pods select can give less of something than they request."""
    for workload in view.workloads:
        nodes = view.nodes_for(workload)
        requests = {k: resource_amount(k, n) for k, n in pod_requests(workload.pod).items() if n}
        short = [_shortage(requests, node) for node in nodes]
        if nodes and all(short):
            message = f"none of {len(nodes)} nodes can give its pods what they request"
            counts = Counter(short).most_common(_SHOWN_MAX)
            lacking = tuple(f"{times} nodes have too little {what}" for what, times in counts)
            yield Offence(workload.obj, message, f"{workload.path}.containers", lacking)


def _shortage(requests: Mapping[str, int], node: Object) -> str:
    """The resources of which a node can give less than is requested; empty if there is none."""
    allocatable = status_of(node).get("allocatable") or status_of(node).get("capacity") or {}
    given = {k: resource_amount(k, nanos(amount)) for k, amount in allocatable.items()}
    return ", ".join(k for k, amount in sorted(requests.items()) if amount > given.get(k, 0))
