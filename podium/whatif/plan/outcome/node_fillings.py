"""What is on the nodes before and after a plan, as far as that changes: for pictures."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from podium.api.nodes import allocatable_of
from podium.api.objects import Object, is_terminating, key, name, uid
from podium.api.pods import is_finished, node_name_of
from podium.api.priority import pod_priority
from podium.api.resources import pod_requests
from podium.api.values.quantity import nanos
from podium.whatif.plan.plan_report import NodeFilling, PodShare

if TYPE_CHECKING:
    from podium.whatif.plan.play import Play

_MEASURED = ("cpu", "memory")


def node_fillings(play: "Play") -> tuple[NodeFilling, ...]:
    """The nodes on which other pods are in the end than before, by name."""
    nodes = [obj for (kind, _, _), obj in play.state.by_identity.items() if kind == "Node"]
    nodes += play.cluster.store.list("Node").items
    allocatable = {name(node): allocatable_of(node) for node in nodes}
    room = {
        node: {of: nanos(found[of]) for of in _MEASURED if of in found}
        for node, found in allocatable.items()
    }
    before, after = (
        _by_node(pods)
        for pods in (play.before.by_uid.values(), play.cluster.store.list("Pod").items)
    )
    return tuple(
        NodeFilling(
            node,
            tuple(_shares(before[node], after[node].keys(), room[node])),
            tuple(_shares(after[node], before[node].keys(), room[node])),
        )
        for node in sorted(room)
        if before[node].keys() != after[node].keys()
    )


def _by_node(pods: Iterable[Object]) -> defaultdict[str, dict[str, Object]]:
    found: defaultdict[str, dict[str, Object]] = defaultdict(dict)
    for pod in pods:
        if node_name_of(pod) and not is_finished(pod):
            found[node_name_of(pod)][uid(pod)] = pod
    return found


def _shares(
    pods: Mapping[str, Object], others: Iterable[str], room: Mapping[str, int]
) -> Iterator[PodShare]:
    known = set(others)
    for pod in sorted(pods.values(), key=lambda one: (-pod_priority(one), key(one))):
        asked = pod_requests(pod)
        parts = [asked.get(of, 0) / room[of] for of in _MEASURED if room.get(of)]
        share = round(max(parts, default=0.0), 4)
        is_other = uid(pod) not in known
        yield PodShare(key(pod), pod_priority(pod), share, is_terminating(pod), is_other)
