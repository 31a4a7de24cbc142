"""Which sizes a Deployment's ReplicaSets get next: rolling, all at once, or in proportion.

All are functions from what is to sizes by name; a ReplicaSet that stays as it is may be missing.
The arithmetic is that of v1.36's deployment controller.
"""

from collections.abc import Sequence

from podium.api.objects import Object, annotations, generation_of, name, part
from podium.api.values.integers import INT32, parse_int, scaled
from podium.api.workloads import replicas_of
from podium.controllers.deployment.replica_sets import (
    OwnedReplicaSets,
    age_of,
    counted,
    counted_sum,
    revision_of,
    wanted_sum,
)

NO_DEADLINE_S = 2**31 - 1
"""The progress deadline that stands for none."""


def is_rolling(deployment: Object) -> bool:
    """Whether pods are replaced little by little, not all at once."""
    return bool(_strategy(deployment).get("type") != "Recreate")


def max_surge(deployment: Object) -> int:
    """How many more pods than wanted there may be; percentages are rounded up."""
    if not is_rolling(deployment):
        return 0
    return _resolved(deployment, "maxSurge", up=True)


def max_unavailable(deployment: Object) -> int:
    """How many of the wanted pods may be unavailable; percentages are rounded down.

    It is one where neither this nor the surge would let the rollout begin.
    """
    replicas = replicas_of(deployment)
    if not is_rolling(deployment) or not replicas:
        return 0
    unavailable = _resolved(deployment, "maxUnavailable", up=False)
    if not unavailable and not max_surge(deployment):
        return 1
    return min(unavailable, replicas)


def progress_deadline_s(deployment: Object) -> int | None:
    """After how long without progress a rollout has failed; None if never."""
    deadline_s = deployment["spec"].get("progressDeadlineSeconds")
    return None if deadline_s is None or deadline_s == NO_DEADLINE_S else int(deadline_s)


def _strategy(deployment: Object) -> Object:
    return deployment["spec"].get("strategy") or {}


def _resolved(deployment: Object, field: str, *, up: bool) -> int:
    bound = part(_strategy(deployment), "rollingUpdate").get(field) or 0
    return scaled(bound, replicas_of(deployment), rounds_up=up)


Sizes = dict[str, int]

DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"


def new_size(deployment: Object, owned: OwnedReplicaSets) -> int:
    """The size of the new ReplicaSet, there or not, with all the others at theirs."""
    wanted = replicas_of(deployment)
    size = 0 if owned.new is None else replicas_of(owned.new)
    if not is_rolling(deployment) or size >= wanted:
        return wanted
    room = wanted + max_surge(deployment) - wanted_sum(owned.all)
    return size + max(0, min(room, wanted - size))


def rolling_sizes(deployment: Object, owned: OwnedReplicaSets) -> Sizes:
    """The next step of a rolling update: the new one grows if it may, otherwise old ones shrink.

    Args:
        deployment: what is wanted.
        owned: with a new ReplicaSet.
    """
    assert owned.new is not None
    size = new_size(deployment, owned)
    if size != replicas_of(owned.new):
        return {name(owned.new): size}
    active = [one for one in owned.old if replicas_of(one)]
    least = replicas_of(deployment) - max_unavailable(deployment)
    lacking = replicas_of(owned.new) - counted(owned.new, "availableReplicas")
    surplus = wanted_sum(owned.all) - least - lacking
    if not active or surplus <= 0:
        return {}
    sizes = _without_unavailable(active, surplus)
    spare = counted_sum([*active, owned.new], "availableReplicas") - least
    for one in active:
        if spare <= 0:
            break
        size = sizes.get(name(one), replicas_of(one))
        if size:
            sizes[name(one)] = size - min(size, spare)
            spare -= min(size, spare)
    return sizes


def proportional_sizes(deployment: Object, owned: OwnedReplicaSets) -> Sizes:
    """The sizes after a Deployment was scaled, or while it is paused.

    In the middle of a rolling update all ReplicaSets that want pods get their share of the change,
    so that scaling doesn't hasten the rollout.
    """
    active = owned.active
    if len(active) <= 1:
        only = active[0] if active else owned.new or next(reversed(owned.old), None)
        return {} if only is None else {name(only): replicas_of(deployment)}
    if _is_saturated(deployment, owned.new):
        return {name(one): 0 for one in owned.old if replicas_of(one)}
    return _shares(deployment, active) if is_rolling(deployment) else {}


def is_scaled(deployment: Object, owned: OwnedReplicaSets) -> bool:
    """Whether the wanted number of pods has changed since a ReplicaSet was last given its size."""
    wanted = str(replicas_of(deployment))
    return any(annotations(one).get(DESIRED_REPLICAS, wanted) != wanted for one in owned.active)


def surplus_history(deployment: Object, owned: OwnedReplicaSets) -> list[Object]:
    """The old ReplicaSets beyond the history's limit that have no pods, lowest revisions first."""
    limit = deployment["spec"].get("revisionHistoryLimit")
    kept = [one for one in owned.old if not one["metadata"].get("deletionTimestamp")]
    if limit is None or len(kept) <= limit:
        return []
    outdated = sorted(kept, key=revision_of)[: len(kept) - int(limit)]
    return [one for one in outdated if _is_idle(one)]


def _without_unavailable(active: Sequence[Object], surplus: int) -> Sizes:
    """Old ReplicaSets without the pods that aren't available anyway."""
    sizes = {}
    for one in active:
        gone = min(surplus, replicas_of(one) - counted(one, "availableReplicas"))
        if gone > 0:
            sizes[name(one)] = replicas_of(one) - gone
            surplus -= gone
    return sizes


def _shares(deployment: Object, active: Sequence[Object]) -> Sizes:
    wanted = replicas_of(deployment)
    allowed = wanted + max_surge(deployment) if wanted else 0
    change = left = allowed - wanted_sum(active)
    # The larger first. Among equals, newer ones grow first, and older ones shrink first.
    by_age = sorted(active, key=age_of, reverse=change > 0)
    ordered = sorted(by_age, key=replicas_of, reverse=True)
    sizes = {name(one): replicas_of(one) for one in ordered}
    for one in ordered:
        if left:
            share = _share(deployment, one)
            share = min(share, left) if change > 0 else max(share, left)
            sizes[name(one)] += share
            left -= share
    largest = name(ordered[0])
    sizes[largest] = max(0, sizes[largest] + left)
    return sizes


def _share(deployment: Object, replica_set: Object) -> int:
    """By how much a ReplicaSet changes so that it keeps its part of the whole."""
    size = replicas_of(replica_set)
    if not replicas_of(deployment):
        return -size
    before = _number(replica_set, MAX_REPLICAS) or counted(deployment, "replicas")
    if not before:
        return 0
    after = replicas_of(deployment) + max_surge(deployment)
    return (2 * size * after + before) // (2 * before) - size


def _is_saturated(deployment: Object, replica_set: Object | None) -> bool:
    if replica_set is None:
        return False
    wanted = replicas_of(deployment)
    return (
        replicas_of(replica_set) == wanted
        and _number(replica_set, DESIRED_REPLICAS) == wanted
        and counted(replica_set, "availableReplicas") == wanted
    )


def _number(replica_set: Object, annotation: str) -> int | None:
    return parse_int(annotations(replica_set).get(annotation), INT32)


def _is_idle(replica_set: Object) -> bool:
    generation = generation_of(replica_set)
    return (
        not replicas_of(replica_set)
        and not counted(replica_set, "replicas")
        and generation <= counted(replica_set, "observedGeneration")
    )
