"""The order in which v1.36's controllers delete surplus pods.

Pods that are equal by all criteria are sorted by name, where Kubernetes' order is random.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection
from functools import cmp_to_key, partial

import msgspec

from podium.api.objects import Object, condition_of, metadata_of, name, spec_of, status_of, uid
from podium.api.pods import deletion_cost, init_containers_of, is_active, node_name_of
from podium.api.resources import is_sidecar
from podium.api.values.times import parse_time

_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


class _Facts(msgspec.Struct, frozen=True):
    # `standing` is compared first, and the smaller goes first. Times are in nanoseconds since the
    # epoch, None if unknown. `restarts` are the most of any container, and of any sidecar. The uid
    # decides between pods of about the same age.
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
    """Sort the pods of a ReplicaSet or ReplicationController, the first to be deleted in front.

    The criteria are those of ActivePodsWithRanks. Deleted first are pods that are unassigned;
    pending, then unknown; not ready; of lower deletion cost; with more related pods on their node;
    ready for a shorter time; with more restarts; younger.

    Args:
        related: pods that share the work, such as those of all ReplicaSets of a Deployment.
        now: nanoseconds since the epoch. If given, ages are rounded to powers of two and equal ages
            are sorted by uid; if None, ages are exact.
    """
    neighbours = Counter(node_name_of(pod) for pod in related if is_active(pod))
    return _sorted(pods, lambda pod: (deletion_cost(pod), -neighbours[node_name_of(pod)]), now)


def removal_order(pods: Collection[Object]) -> list[Object]:
    """Sort the pods of a Job, the first to be deleted in front.

    The criteria are those of `scale_down_order` with exact ages, without costs and related pods.
    """
    return _sorted(pods, lambda _: (), None)


def _sorted(
    pods: Collection[Object], weights_of: Callable[[Object], tuple[int, ...]], now: int | None
) -> list[Object]:
    compare = cmp_to_key(partial(_compare, now=now))
    return sorted(pods, key=lambda pod: compare(_facts(pod, weights_of(pod))))


def _facts(pod: Object, weights: tuple[int, ...]) -> _Facts:
    status, ready = status_of(pod), condition_of(pod, "Ready")
    if ready is not None and ready.get("status") != "True":
        ready = None
    sidecars = {one["name"] for one in init_containers_of(spec_of(pod)) if is_sidecar(one)}
    return _Facts(
        standing=(
            bool(node_name_of(pod)),
            _PHASES.get(str(status.get("phase")), 0),
            ready is not None,
            *weights,
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


def _compare(facts: _Facts, other: _Facts, now: int | None) -> int:
    if facts.standing != other.standing:
        return -1 if facts.standing < other.standing else 1
    if facts.is_ready and (order := _younger_first(facts, other, "ready_since", now)):
        return order
    if facts.restarts != other.restarts:
        return -1 if facts.restarts > other.restarts else 1
    if order := _younger_first(facts, other, "created", now):
        return order
    return -1 if facts.name < other.name else 1


def _younger_first(facts: _Facts, other: _Facts, field: str, now: int | None) -> int:
    # The order by a time; 0 if both are equal. A pod without a time counts as the youngest.
    first, second = getattr(facts, field), getattr(other, field)
    if first == second:
        return 0
    if first is None or second is None:
        return -1 if first is None else 1
    if now is None:
        return -1 if first > second else 1
    magnitude, other_magnitude = (
        int(math.log2(now - at)) if at < now else -1 for at in (first, second)
    )
    return magnitude - other_magnitude or (-1 if facts.uid < other.uid else 1)


def _restarts(status: Object, field: str, names: Collection[str] | None = None) -> int:
    counts = (
        int(container.get("restartCount") or 0)
        for container in status.get(field) or ()
        if names is None or container.get("name") in names
    )
    return max(counts, default=0)


def _time(text: str | None) -> int | None:
    return parse_time(text) if text else None
