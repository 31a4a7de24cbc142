"""A Deployment's ReplicaSets: which there are, their next sizes, and what is written on them.

Sizes are those of v1.36's deployment controller: rolling, all at once, or in proportion.
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
from podium.controllers.kit.controller_refs import owner_reference
from podium.controllers.kit.pod_templates import hash_of, identical_template, same_template

REVISION = "deployment.kubernetes.io/revision"


class OwnedReplicaSets(msgspec.Struct, frozen=True):
    """A Deployment's ReplicaSets: that of its template, if any, and all others, oldest first."""

    new: Object | None
    old: Sequence[Object]

    @property
    def all(self) -> list[Object]:
        """The old ones, and then the new one."""
        return [*self.old, *(() if self.new is None else (self.new,))]

    @property
    def active(self) -> list[Object]:
        """ReplicaSets whose `spec.replicas` is above 0; that of the current template comes last."""
        return [one for one in self.all if replicas_of(one)]


def owned_replica_sets(deployment: Object, replica_sets: Iterable[Object]) -> OwnedReplicaSets:
    """Sort a Deployment's ReplicaSets; of several of its template the oldest is the new one."""
    by_age, template = sorted(replica_sets, key=age_of), deployment["spec"]["template"]
    # To the letter first, which is quickly answered.
    matches = (
        one
        for is_same in (identical_template, same_template)
        for one in by_age
        if is_same(one["spec"]["template"], template)
    )
    new = next(matches, None)
    return OwnedReplicaSets(new, [one for one in by_age if one is not new])


def counted(replica_set: Object, field: str) -> int:
    """A number from a ReplicaSet's or Deployment's status, such as `availableReplicas`."""
    return int(status_of(replica_set).get(field) or 0)


def wanted_sum(replica_sets: Iterable[Object]) -> int:
    """How many pods some ReplicaSets want."""
    return sum(map(replicas_of, replica_sets))


def counted_sum(replica_sets: Iterable[Object], field: str) -> int:
    """The sum of a number from some ReplicaSets' status."""
    return sum(counted(one, field) for one in replica_sets)


def revision_of(obj: Object) -> int:
    """The revision that an object is annotated with; 0 if it has none that can be read."""
    return parse_count(annotations(obj).get(REVISION)) or 0


def age_of(replica_set: Object) -> tuple[str, str]:
    """What orders ReplicaSets by age, the oldest first; of one age by name."""
    return str(replica_set["metadata"].get("creationTimestamp") or ""), name(replica_set)


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
    """The next step of a rolling update: the new one grows if it may, otherwise old ones shrink."""
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
    # The pods that aren't available anyway go first.
    sizes = {}
    for one in active:
        gone = min(surplus, replicas_of(one) - counted(one, "availableReplicas"))
        if gone > 0:
            sizes[name(one)] = replicas_of(one) - gone
            surplus -= gone
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
    new, wanted = owned.new, replicas_of(deployment)
    if new is not None and (
        replicas_of(new)
        == _number(new, DESIRED_REPLICAS)
        == counted(new, "availableReplicas")
        == wanted
    ):
        # The new one has all the pods that are wanted.
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
    return [
        one
        for one in outdated
        if not (replicas_of(one) or counted(one, "replicas"))
        and generation_of(one) <= counted(one, "observedGeneration")
    ]


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
    size = replicas_of(replica_set)
    if not replicas_of(deployment):
        return -size
    before = _number(replica_set, MAX_REPLICAS) or counted(deployment, "replicas")
    if not before:
        return 0
    after = replicas_of(deployment) + max_surge(deployment)
    return (2 * size * after + before) // (2 * before) - size


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
    """The ReplicaSet of a Deployment's template, which isn't there yet."""
    spec = deployment["spec"]
    template = spec["template"]
    collisions = int(status_of(deployment).get("collisionCount") or 0)
    hashed = {HASH_LABEL: hash_of(template, collisions)}
    carried = {**labels(template), **hashed}
    selector = spec.get("selector") or {}
    notes = {**_copied(deployment), **size_notes(deployment)}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{name(deployment)}-{hashed[HASH_LABEL]}",
            "namespace": deployment["metadata"].get("namespace") or "",
            "labels": carried,
            "annotations": {**notes, REVISION: str(_next_revision(owned))},
            "ownerReferences": [owner_reference(deployment)],
        },
        "spec": {
            "replicas": new_size(deployment, owned),
            "minReadySeconds": spec.get("minReadySeconds") or 0,
            "selector": {
                **selector,
                "matchLabels": {**part(selector, "matchLabels"), **hashed},
            },
            "template": {**template, "metadata": {**metadata_of(template), "labels": carried}},
        },
    }


def size_notes(deployment: Object) -> dict[str, str]:
    """The annotations by which later changes of scale are told from steps of a rollout."""
    wanted = replicas_of(deployment)
    return {DESIRED_REPLICAS: str(wanted), MAX_REPLICAS: str(wanted + max_surge(deployment))}


def outdated_fields(deployment: Object, owned: OwnedReplicaSets) -> dict[str, Any]:
    """What of the new ReplicaSet isn't as the Deployment has it, as the body of a patch."""
    assert owned.new is not None
    known = annotations(owned.new)
    notes = {**_copied(deployment), **_revised(owned)}
    changed = {key: value for key, value in notes.items() if known.get(key) != value}
    body: dict[str, Any] = {"metadata": {"annotations": changed}} if changed else {}
    min_ready_s = deployment["spec"].get("minReadySeconds") or 0
    if (owned.new["spec"].get("minReadySeconds") or 0) != min_ready_s:
        body["spec"] = {"minReadySeconds": min_ready_s}
    return body


def _copied(deployment: Object) -> dict[str, str]:
    found = annotations(deployment).items()
    return {key: value for key, value in found if key not in _NOT_COPIED}


def _revised(owned: OwnedReplicaSets) -> dict[str, str]:
    assert owned.new is not None
    revision, before = _next_revision(owned), annotations(owned.new).get(REVISION)
    if revision_of(owned.new) >= revision:
        return {}
    revised = {REVISION: str(revision)}
    if before:
        past = annotations(owned.new).get(REVISION_HISTORY)
        history = f"{past},{before}" if past else before
        while len(history) > HISTORY_LENGTH_MAX and "," in history:
            history = history.partition(",")[2]
        revised[REVISION_HISTORY] = history
    return revised


def _next_revision(owned: OwnedReplicaSets) -> int:
    return max(map(revision_of, owned.old), default=0) + 1
