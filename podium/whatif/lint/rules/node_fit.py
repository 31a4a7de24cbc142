"""Rules about workloads whose pods fit no node."""

from collections import Counter
from collections.abc import Iterator, Mapping

from podium.api.nodes import is_cordoned
from podium.api.objects import Object, name, status_of
from podium.api.priority import pod_priority
from podium.api.resources import pod_requests, resource_amount
from podium.api.values.message_words import count
from podium.api.values.quantity import nanos
from podium.whatif.lint.cluster_view import ClusterView, refusal_of
from podium.whatif.lint.rule import Offence, workload_rule
from podium.whatif.lint.workload_reader import Workload

_SHOWN_MAX = 5


@workload_rule
def no_node_selected(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """No node matches the pods' node affinity, node selector and tolerations."""
    if view.nodes and workload.kind != "DaemonSet" and not view.nodes_for(workload):
        message = f"none of {count(len(view.nodes), 'node')} is selected and tolerated by its pods"
        why = Counter(map(refusal_of(workload.pod), view.nodes)).most_common(_SHOWN_MAX)
        reasons = tuple(f"{reason}: {count(times, 'node')}" for reason, times in why)
        yield Offence(workload.obj, message, workload.path, reasons)


@workload_rule
def requests_above_nodes(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """The pods request more of a resource than any matching node has."""
    nodes, requests = view.nodes_for(workload), sorted(_requests_of(view, workload.pod).items())
    short = [
        ", ".join(k for k, amount in requests if amount > allocatable.get(k, 0))
        for allocatable in map(_allocatable, nodes)
    ]
    if nodes and all(short):
        message = f"none of {count(len(nodes), 'node')} can give its pods what they request"
        counts = Counter(short).most_common(_SHOWN_MAX)
        lacking = tuple(
            f"{count(times, 'node')} {'has' if times == 1 else 'have'} too little {what}"
            for what, times in counts
        )
        yield Offence(workload.obj, message, f"{workload.path}.containers", lacking)


@workload_rule
def cron_job_without_room(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """Fewer pods of a CronJob fit the nodes by their requests than a Job runs in parallel."""
    nodes = [one for one in view.nodes_for(workload) if not is_cordoned(one)]
    if workload.kind != "CronJob" or not nodes:
        return
    requests, fit = {**_requests_of(view, workload.pod), "pods": 1}, 0
    for node in nodes:
        free = _allocatable(node)
        for pod in view.pods_on.get(name(node), ()):
            if not workload.preempts or pod_priority(pod) >= (workload.priority or 0):
                for resource, amount in {**_requests_of(view, pod), "pods": 1}.items():
                    free[resource] = free.get(resource, 0) - amount
        fit += max(0, min(free.get(resource, 0) // amount for resource, amount in requests.items()))
    if fit < workload.replicas:
        message = (
            f"nodes have room for {fit} of the {count(workload.replicas, 'pod')} that each of "
            "its Jobs runs at once"
        )
        path = workload.path.removesuffix(".template.spec")
        yield Offence(workload.obj, message, f"{path}.parallelism")


def _requests_of(view: ClusterView, pod: Object) -> Mapping[str, int]:
    """Return what a pod requests, without what devices may stand for."""
    of_devices = view.devices.resources
    amounts = pod_requests(pod).items()
    return {k: resource_amount(k, n) for k, n in amounts if n and k not in of_devices}


def _allocatable(node: Object) -> dict[str, int]:
    allocatable = status_of(node).get("allocatable") or status_of(node).get("capacity") or {}
    return {k: resource_amount(k, nanos(amount)) for k, amount in allocatable.items()}
