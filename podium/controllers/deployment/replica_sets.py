"""A Deployment's new and old ReplicaSets: their next sizes, and their annotations.

Sizes are those of v1.36's deployment controller, for rolling updates, recreation and scaling.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from podium.api.objects import (
    Object,
    annotations,
    generation_of,
    labels,
    metadata_of,
    name,
    part,
    status_of,
)
from podium.api.values.integers import INT32, parse_count, parse_int, scaled
from podium.api.well_known import HASH_LABEL, LAST_APPLIED
from podium.api.workloads import replicas_of
from podium.controllers.kit.controller_refs import owned_object
from podium.controllers.kit.pod_templates import hash_of, identical_template, same_template

REVISION = "deployment.kubernetes.io/revision"


class OwnedReplicaSets(msgspec.Struct, frozen=True):
    """A Deployment's new ReplicaSet, of the current template, and its old ones, oldest first."""

    new: Object | None
    old: Sequence[Object]

    @property
    def all(self) -> list[Object]:
        """The old ReplicaSets, followed by the new one."""
        return [*self.old, *(() if self.new is None else (self.new,))]

    @property
    def active(self) -> list[Object]:
        """The ReplicaSets whose `spec.replicas` is above 0, the new one last."""
        return [replica_set for replica_set in self.all if replicas_of(replica_set)]


def owned_replica_sets(deployment: Object, replica_sets: Iterable[Object]) -> OwnedReplicaSets:
    """Find a Deployment's new ReplicaSet, the oldest of its template, and sort the others."""
    by_age, template = sorted(replica_sets, key=_age_of), deployment["spec"]["template"]
    # Literal equality is quickly checked, and mostly decides.
    matches = (
        replica_set
        for is_same in (identical_template, same_template)
        for replica_set in by_age
        if is_same(replica_set["spec"]["template"], template)
    )
    new = next(matches, None)
    return OwnedReplicaSets(new, [replica_set for replica_set in by_age if replica_set is not new])


def counted(replica_set: Object, field: str) -> int:
    """Return a number of a ReplicaSet's or Deployment's status, such as `availableReplicas`."""
    return int(status_of(replica_set).get(field) or 0)


def wanted_sum(replica_sets: Iterable[Object]) -> int:
    """Sum up the wanted sizes of ReplicaSets."""
    return sum(map(replicas_of, replica_sets))


def counted_sum(replica_sets: Iterable[Object], field: str) -> int:
    """Sum up a number of the statuses of ReplicaSets."""
    return sum(counted(replica_set, field) for replica_set in replica_sets)


def revision_of(obj: Object) -> int:
    """Return the revision in an object's annotations; 0 if there is no valid one."""
    return parse_count(annotations(obj).get(REVISION)) or 0


def _age_of(replica_set: Object) -> tuple[str, str]:
    return str(replica_set["metadata"].get("creationTimestamp") or ""), name(replica_set)


NO_DEADLINE_S = 2**31 - 1
"""The value of `progressDeadlineSeconds` that means that there is no deadline."""


def is_rolling(deployment: Object) -> bool:
    """Return whether the Deployment replaces pods gradually, not all at once."""
    return bool(part(deployment["spec"], "strategy").get("type") != "Recreate")


def max_surge(deployment: Object) -> int:
    """Return how many pods may exist beyond the wanted ones; percentages are rounded up."""
    return _bound(deployment, "maxSurge", rounds_up=True)


def max_unavailable(deployment: Object) -> int:
    """Return how many of the wanted pods may be unavailable; percentages are rounded down.

    Return 1 if both `maxUnavailable` and `maxSurge` are 0, so that a rollout can begin.
    """
    replicas = replicas_of(deployment)
    if not is_rolling(deployment) or not replicas:
        return 0
    unavailable = _bound(deployment, "maxUnavailable", rounds_up=False)
    return min(unavailable, replicas) if unavailable or max_surge(deployment) else 1


def progress_deadline_s(deployment: Object) -> int | None:
    """Return the seconds without progress after which a rollout fails; None for no deadline."""
    deadline_s = deployment["spec"].get("progressDeadlineSeconds")
    return None if deadline_s is None or deadline_s == NO_DEADLINE_S else int(deadline_s)


def _bound(deployment: Object, field: str, *, rounds_up: bool) -> int:
    if not is_rolling(deployment):
        return 0
    bound = part(deployment["spec"], "strategy", "rollingUpdate").get(field) or 0
    return scaled(bound, replicas_of(deployment), rounds_up=rounds_up)


Sizes = dict[str, int]

DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"


def new_size(deployment: Object, owned: OwnedReplicaSets) -> int:
    """Return the next size of the new ReplicaSet; its current size is 0 if it doesn't exist yet."""
    wanted = replicas_of(deployment)
    size = 0 if owned.new is None else replicas_of(owned.new)
    if not is_rolling(deployment) or size >= wanted:
        return wanted
    room = wanted + max_surge(deployment) - wanted_sum(owned.all)
    return size + max(0, min(room, wanted - size))


def rolling_sizes(deployment: Object, owned: OwnedReplicaSets) -> Sizes:
    """Return the sizes after the next step of a rolling update, by ReplicaSet name.

    Old ReplicaSets shrink only if the new one can't grow.
    """
    assert owned.new is not None
    size = new_size(deployment, owned)
    if size != replicas_of(owned.new):
        return {name(owned.new): size}
    active = [old for old in owned.old if replicas_of(old)]
    least = replicas_of(deployment) - max_unavailable(deployment)
    lacking = replicas_of(owned.new) - counted(owned.new, "availableReplicas")
    surplus = wanted_sum(owned.all) - least - lacking
    if not active or surplus <= 0:
        return {}
    # Pods that aren't available anyway are deleted first.
    sizes = {name(old): replicas_of(old) for old in active}
    for old in active:
        gone = max(min(surplus, replicas_of(old) - counted(old, "availableReplicas")), 0)
        sizes[name(old)] -= gone
        surplus -= gone
    spare = counted_sum([*active, owned.new], "availableReplicas") - least
    for old in active:
        gone = max(min(spare, sizes[name(old)]), 0)
        sizes[name(old)] -= gone
        spare -= gone
    return {name(old): sizes[name(old)] for old in active if sizes[name(old)] != replicas_of(old)}


def proportional_sizes(deployment: Object, owned: OwnedReplicaSets) -> Sizes:
    """Return the sizes after a Deployment was scaled, or while it is paused, by ReplicaSet name.

    During a rolling update, every ReplicaSet with replicas gets its share of the change, so that
    scaling doesn't accelerate the rollout.
    """
    active = owned.active
    if len(active) <= 1:
        only = active[0] if active else owned.new or next(reversed(owned.old), None)
        return {} if only is None else {name(only): replicas_of(deployment)}
    new, wanted = owned.new, replicas_of(deployment)
    if new is not None and (
        replicas_of(new)
        == _number(new, DESIRED_REPLICAS)
        == counted(new, "availableReplicas")
        == wanted
    ):
        # The new one has all the pods that are wanted.
        return {name(one): 0 for one in owned.old if replicas_of(one)}
    if not is_rolling(deployment):
        return {}
    allowed = wanted + max_surge(deployment) if wanted else 0
    change = left = allowed - wanted_sum(active)
    # The larger first. Among equals, newer ones grow first, and older ones shrink first.
    by_age = sorted(active, key=_age_of, reverse=change > 0)
    ordered = sorted(by_age, key=replicas_of, reverse=True)
    sizes = {name(one): replicas_of(one) for one in ordered}
    for replica_set in ordered:
        if not left:
            break
        size = replicas_of(replica_set)
        before = _number(replica_set, MAX_REPLICAS) or counted(deployment, "replicas")
        share = -size
        if wanted:
            share = (2 * size * allowed + before) // (2 * before) - size if before else 0
        share = min(share, left) if change > 0 else max(share, left)
        sizes[name(replica_set)] += share
        left -= share
    largest = name(ordered[0])
    sizes[largest] = max(0, sizes[largest] + left)
    return sizes


def is_scaled(deployment: Object, owned: OwnedReplicaSets) -> bool:
    """Return whether a Deployment's size has changed since a ReplicaSet was last resized."""
    wanted = str(replicas_of(deployment))
    return any(annotations(one).get(DESIRED_REPLICAS, wanted) != wanted for one in owned.active)


def surplus_history(deployment: Object, owned: OwnedReplicaSets) -> list[Object]:
    """Return old ReplicaSets without pods beyond the history limit, lowest revisions first."""
    limit = deployment["spec"].get("revisionHistoryLimit")
    kept = [one for one in owned.old if not one["metadata"].get("deletionTimestamp")]
    if limit is None or len(kept) <= limit:
        return []
    return [
        old
        for old in sorted(kept, key=revision_of)[: len(kept) - int(limit)]
        if not (replicas_of(old) or counted(old, "replicas"))
        and generation_of(old) <= counted(old, "observedGeneration")
    ]


def _number(replica_set: Object, annotation: str) -> int | None:
    return parse_int(annotations(replica_set).get(annotation), INT32)


REVISION_HISTORY = "deployment.kubernetes.io/revision-history"
HISTORY_LENGTH_MAX = 2000

_NOT_COPIED = frozenset(
    {
        LAST_APPLIED,
        "deprecated.deployment.rollback.to",
        REVISION,
        REVISION_HISTORY,
        DESIRED_REPLICAS,
        MAX_REPLICAS,
    }
)


def new_replica_set(deployment: Object, owned: OwnedReplicaSets) -> Object:
    """Make the missing ReplicaSet of a Deployment's template."""
    spec = deployment["spec"]
    template = spec["template"]
    hashed = {HASH_LABEL: hash_of(template, counted(deployment, "collisionCount"))}
    carried = {**labels(template), **hashed}
    selector = spec.get("selector") or {}
    notes = {**_copied(deployment), **size_notes(deployment)}
    metadata = {
        "name": f"{name(deployment)}-{hashed[HASH_LABEL]}",
        "labels": carried,
        "annotations": {**notes, REVISION: str(_next_revision(owned))},
    }
    new_spec = {
        "replicas": new_size(deployment, owned),
        "minReadySeconds": spec.get("minReadySeconds") or 0,
        "selector": {**selector, "matchLabels": {**part(selector, "matchLabels"), **hashed}},
        "template": {**template, "metadata": {**metadata_of(template), "labels": carried}},
    }
    return owned_object(deployment, "apps/v1", "ReplicaSet", metadata, spec=new_spec)


def size_notes(deployment: Object) -> dict[str, str]:
    """Return the annotations that record a ReplicaSet's target sizes, to detect scaling later."""
    wanted = replicas_of(deployment)
    return {DESIRED_REPLICAS: str(wanted), MAX_REPLICAS: str(wanted + max_surge(deployment))}


def outdated_fields(deployment: Object, owned: OwnedReplicaSets) -> dict[str, Any]:
    """Return a patch's body that updates the new ReplicaSet to its Deployment; may be empty."""
    assert owned.new is not None
    known, notes = annotations(owned.new), _copied(deployment)
    revision, before = _next_revision(owned), known.get(REVISION)
    if revision_of(owned.new) < revision:
        notes[REVISION] = str(revision)
        if before:
            past = known.get(REVISION_HISTORY)
            history = f"{past},{before}" if past else before
            while len(history) > HISTORY_LENGTH_MAX and "," in history:
                history = history.partition(",")[2]
            notes[REVISION_HISTORY] = history
    changed = {key: value for key, value in notes.items() if known.get(key) != value}
    body: dict[str, Any] = {"metadata": {"annotations": changed}} if changed else {}
    min_ready_s = deployment["spec"].get("minReadySeconds") or 0
    if (owned.new["spec"].get("minReadySeconds") or 0) != min_ready_s:
        body["spec"] = {"minReadySeconds": min_ready_s}
    return body


def _copied(deployment: Object) -> dict[str, str]:
    notes = annotations(deployment).items()
    return {key: value for key, value in notes if key not in _NOT_COPIED}


def _next_revision(owned: OwnedReplicaSets) -> int:
    return max(map(revision_of, owned.old), default=0) + 1
