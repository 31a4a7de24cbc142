"""Which pods go first when there are too many: the order of v1.36's controllers.

What is still alike after all criteria goes by name, where Kubernetes leaves it to chance.
"""

import math
from collections import Counter
from collections.abc import Collection
from functools import cmp_to_key, partial

import msgspec

from podium.api.objects import Object, metadata_of, name, spec_of, status_of, uid
from podium.api.pod_specs import init_containers_of
from podium.api.pods import deletion_cost, is_active, node_name_of
from podium.api.resources import is_sidecar
from podium.api.values.times import parse_time

_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


class _Facts(msgspec.Struct, frozen=True):
    """The facts about a pod on which its place in the order depends.

    Attributes:
        standing: what is compared first; the smaller goes first.
        ready_since: of a ready pod, in nanoseconds since the epoch, None if it isn't said.
        restarts: the most of any container, and then of any sidecar.
        created: nanoseconds since the epoch; None for a pod without a time.
        uid: decides between pods of about the same age.
    """

    standing: tuple[int, ...]
    is_ready: bool
    ready_since: int | None
    restarts: tuple[int, int]
    created: int | None
    uid: str
    name: str


def scale_down_order(
    pods: Collection[Object], related: Collection[Object], now: int | None = None
) -> list[Object]:
    """The pods of a ReplicaSet or ReplicationController, those to be deleted first in front.

    The criteria, as in ActivePodsWithRanks: unassigned before assigned, pending before unknown
    before running, not ready before ready, the lower deletion cost, the more related pods on the
    same node, the shorter ready, the more restarts, the younger.

    Args:
        related: pods that share the work, of all ReplicaSets of a Deployment for example.
        now: nanoseconds since the epoch. With a clock ages count by order of magnitude (powers of
            two), and the uid decides within one; without, they count exactly.
    """
    neighbours = Counter(_node(pod) for pod in related if is_active(pod))
    facts = {uid(pod): _facts(pod, (deletion_cost(pod), -neighbours[_node(pod)])) for pod in pods}
    return _sorted(pods, facts, now)


def removal_order(pods: Collection[Object]) -> list[Object]:
    """The pods of a Job, those to be deleted first in front.

    The criteria, as in ActivePods: those above without cost, related pods, and a clock.
    """
    return _sorted(pods, {uid(pod): _facts(pod, ()) for pod in pods}, None)


def _sorted(pods: Collection[Object], facts: dict[str, _Facts], now: int | None) -> list[Object]:
    compare = cmp_to_key(partial(_compare, now=now))
    return sorted(pods, key=lambda pod: compare(facts[uid(pod)]))


def _facts(pod: Object, weighed: tuple[int, ...]) -> _Facts:
    status = status_of(pod)
    ready = _ready_condition(status)
    sidecars = {one["name"] for one in init_containers_of(spec_of(pod)) if is_sidecar(one)}
    return _Facts(
        standing=(
            bool(_node(pod)),
            _PHASES.get(str(status.get("phase")), 0),
            ready is not None,
            *weighed,
        ),
        is_ready=ready is not None,
        ready_since=_time(ready.get("lastTransitionTime") if ready else None),
        restarts=(
            _restarts(status, "containerStatuses"),
            _restarts(status, "initContainerStatuses", sidecars),
        ),
        created=_time(metadata_of(pod).get("creationTimestamp")),
        uid=uid(pod),
        name=name(pod),
    )


def _compare(one: _Facts, other: _Facts, now: int | None) -> int:
    if one.standing != other.standing:
        return -1 if one.standing < other.standing else 1
    if one.is_ready and (order := _younger_first(one, other, "ready_since", now)):
        return order
    if one.restarts != other.restarts:
        return -1 if one.restarts > other.restarts else 1
    if order := _younger_first(one, other, "created", now):
        return order
    return -1 if one.name < other.name else 1


def _younger_first(one: _Facts, other: _Facts, field: str, now: int | None) -> int:
    """The order by a time; 0 if it is the same. One that isn't known counts as the youngest."""
    first, second = getattr(one, field), getattr(other, field)
    if first == second:
        return 0
    if first is None or second is None:
        return -1 if first is None else 1
    if now is None:
        return -1 if first > second else 1
    order = _magnitude(now - first) - _magnitude(now - second)
    return order or (-1 if one.uid < other.uid else 1)


def _magnitude(age: int) -> int:
    return int(math.log2(age)) if age > 0 else -1


def _ready_condition(status: Object) -> Object | None:
    condition: Object
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Ready" and condition.get("status") == "True":
            return condition
    return None


def _restarts(status: Object, field: str, names: Collection[str] | None = None) -> int:
    counts = (
        int(container.get("restartCount") or 0)
        for container in status.get(field) or ()
        if names is None or container.get("name") in names
    )
    return max(counts, default=0)


def _node(pod: Object) -> str:
    return str(node_name_of(pod))


def _time(text: str | None) -> int | None:
    return parse_time(text) if text else None
