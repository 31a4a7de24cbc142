"""The Deployment controller: rolls out templates by creating and resizing ReplicaSets.

A reconciliation takes a single step: it claims ReplicaSets, updates the fields of the new one,
creates it, or changes sizes. The outcome triggers the next step. Steps, and the types, reasons and
messages of conditions, are those of v1.36's deployment controller.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

import msgspec

from podium.api.conditions import with_condition
from podium.api.objects import (
    Object,
    Place,
    annotations,
    condition_of,
    conditions_of,
    generation_of,
    is_terminating,
    name,
    place_of,
    status_of,
)
from podium.api.values.times import epoch_s, timestamp
from podium.api.workloads import replicas_of
from podium.controllers.deployment.replica_sets import (
    REVISION,
    OwnedReplicaSets,
    Sizes,
    counted,
    counted_sum,
    is_rolling,
    is_scaled,
    max_unavailable,
    new_replica_set,
    new_size,
    outdated_fields,
    owned_replica_sets,
    progress_deadline_s,
    proportional_sizes,
    rolling_sizes,
    size_notes,
    surplus_history,
    wanted_sum,
)
from podium.controllers.kit.controller_refs import claim, owners_around, owners_of
from podium.controllers.kit.workload_fields import as_written, differs
from podium.machines.effects import Create, Effect, Patch, deletion_of, patch_of, status_patch_of
from podium.machines.events import Change, Outcome
from podium.machines.reconciler.indexer import by_namespace, by_owner_or_orphan
from podium.machines.reconciler.reconciler import Reconciler
from podium.machines.reconciler.work_queue import RetryRules

PROGRESSING = "Progressing"
PAUSED = "DeploymentPaused"
COMPLETE = "NewReplicaSetAvailable"
TIMED_OUT = "ProgressDeadlineExceeded"
_FAILURE = "ReplicaFailure"


_NOTHING: Object = {}


class Conditions(msgspec.Struct):
    """The conditions of a Deployment while its new status is computed."""

    all: list[Object]
    now_s: float

    def get(self, kind: str) -> Object:
        return next((one for one in self.all if one.get("type") == kind), _NOTHING)

    def put(
        self, kind: str, status: str, reason: str, message: str, *, again: bool = False
    ) -> None:
        """Set a condition; one with equal status and reason is only replaced if `again` is set."""
        known = self.get(kind)
        if again or (known.get("status"), known.get("reason")) != (status, reason):
            condition = {"type": kind, "status": status, "reason": reason, "message": message}
            condition["lastUpdateTime"] = timestamp(self.now_s)
            self.all = with_condition(self.all, condition, self.now_s)

    def remove(self, kind: str) -> None:
        self.all = [one for one in self.all if one.get("type") != kind]


def _put_progress(
    conditions: Conditions, deployment: Object, owned: OwnedReplicaSets, counts: Mapping[str, int]
) -> None:
    known, deadline_s = conditions.get(PROGRESSING), progress_deadline_s(deployment)
    if deadline_s is None:
        conditions.remove(PROGRESSING)
        return
    reason = known.get("reason")
    if reason == COMPLETE and counts["replicas"] == counts["updatedReplicas"]:
        return
    kind, subject_name = "Deployment", name(deployment)
    if owned.new is not None:
        kind, subject_name = "ReplicaSet", name(owned.new)
    subject = f'{kind} "{subject_name}"'
    before = {field: counted(deployment, field) for field in counts}
    outdated, outdated_before = (
        numbers["replicas"] - numbers["updatedReplicas"] for numbers in (counts, before)
    )
    growing = ("updatedReplicas", "readyReplicas", "availableReplicas")
    if is_complete(deployment, counts):
        message = f"{subject} has successfully progressed."
        conditions.put(PROGRESSING, "True", COMPLETE, message)
    elif outdated < outdated_before or any(counts[one] > before[one] for one in growing):
        message = f"{subject} is progressing."
        conditions.put(PROGRESSING, "True", "ReplicaSetUpdated", message, again=True)
    elif known and (
        reason == TIMED_OUT
        or (reason != COMPLETE and _updated_s(known) + deadline_s < conditions.now_s)
    ):
        message = f"{subject} has timed out progressing."
        conditions.put(PROGRESSING, "False", TIMED_OUT, message)


def is_complete(deployment: Object, counts: Mapping[str, int]) -> bool:
    """Return whether all pods are of the new template and available, and as many as wanted."""
    fields = ("updatedReplicas", "replicas", "availableReplicas")
    return all(counts[field] == replicas_of(deployment) for field in fields)


def _updated_s(condition: Object) -> float:
    time = condition.get("lastUpdateTime") or condition.get("lastTransitionTime")
    return epoch_s(time) if time else 0.0


def counts_of(owned: OwnedReplicaSets) -> dict[str, int]:
    """Return the counts of a Deployment's status by field."""
    summed = ("replicas", "readyReplicas", "availableReplicas", "terminatingReplicas")
    counts = {field: counted_sum(owned.all, field) for field in summed}
    counts["updatedReplicas"] = 0 if owned.new is None else counted(owned.new, "replicas")
    unavailable = wanted_sum(owned.all) - counts["availableReplicas"]
    return {**counts, "unavailableReplicas": max(0, unavailable)}


def status_patch(
    deployment: Object, counts: Mapping[str, int], conditions: Sequence[Object], revision: str
) -> Patch | None:
    """Return the patch of a Deployment's status and revision; None if nothing differs."""
    status = as_written(counts, ("terminatingReplicas",))
    status["observedGeneration"] = deployment["metadata"].get("generation")
    changed = _condition_changes(conditions_of(deployment), conditions)
    is_revised = bool(revision) and annotations(deployment).get(REVISION) != revision
    if not (differs(deployment, status) or changed or is_revised):
        return None
    if changed:
        status["conditions"] = changed
    metadata = {"annotations": {REVISION: revision}} if is_revised else {}
    return patch_of("Deployment", deployment, {"metadata": metadata, "status": status}, "status")


def _condition_changes(old: Sequence[Object], new: Sequence[Object]) -> list[Object]:
    kept = {one["type"] for one in new}
    types = dict.fromkeys(one.get("type") or "" for one in old)
    gone = [{"$patch": "delete", "type": kind} for kind in types if kind not in kept]
    return [*gone, *(one for one in new if one not in old)]


_KIND, _SET = "Deployment", "ReplicaSet"


class DeploymentController(Reconciler):
    """Rolls out the templates of Deployments by creating and resizing ReplicaSets."""

    name = "deployment-controller"
    kinds = frozenset({_SET, _KIND})
    indexes = (*by_owner_or_orphan(_SET), by_namespace(_KIND))
    tends = frozenset({_KIND})
    retry_rules = RetryRules(retries_max=15)

    def __init__(self) -> None:
        super().__init__()
        self._sizes: dict[Place, int] = {}
        self._made: dict[Hashable, str] = {}

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.kind == _KIND:
            yield place_of(change.obj)
            return
        yield from owners_around(change, before, _KIND, self.objects)

    def stirs(self, change: Change, before: Object | None) -> bool:
        # Amid a rollout, changed statuses of ReplicaSets end a rest, too.
        if super().stirs(change, before):
            return True
        if change.kind != _SET:
            return False
        owners = owners_of(change.obj, _KIND, self.objects)
        return any(_is_rolling_out(self.objects.at(_KIND, owner)) for owner in owners)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        deployment = self.objects.at(_KIND, key)
        if deployment is None:
            self._made.pop(key, None)
            return
        replica_sets, claims = claim(deployment, self.objects, _SET)
        if claims:
            yield from claims
            return
        owned = owned_replica_sets(deployment, replica_sets)
        scales = bool(deployment["spec"].get("paused")) or is_scaled(deployment, owned)
        if not is_terminating(deployment):
            steps = [*self._steps(deployment, owned, scales=scales)]
            yield from steps
            if steps:
                # Their outcomes bring the next look, which writes the status.
                return
            if scales or is_complete(deployment, counts_of(owned)):
                yield from (deletion_of(_SET, one) for one in surplus_history(deployment, owned))
        rolls_out = not scales and not is_terminating(deployment)
        yield from self._status(key, deployment, owned, now_s, rolls_out=rolls_out)

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        effect, made, deployment = outcome.effect, outcome.obj, self.objects.at(_KIND, key)
        if made is None or deployment is None or made.get("kind") != _SET:
            return
        if isinstance(effect, Create):
            self._made[key] = name(made)
            before = 0
        else:
            before = self._sizes.pop(place_of(made), replicas_of(made))
        size = replicas_of(made)
        if size != before:
            way = "up" if size > before else "down"
            note = f"Scaled {way} replica set {name(made)} from {before} to {size}"
            yield self.event(deployment, "Normal", "ScalingReplicaSet", note)

    def refused(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        effect, error, deployment = outcome.effect, outcome.error, self.objects.at(_KIND, key)
        if not isinstance(effect, Create) or error is None or deployment is None:
            return
        if error.reason != "AlreadyExists":
            note = f'Failed to create new replica set "{name(effect.obj)}": {error.message}'
            yield self.event(deployment, "Warning", "ReplicaSetCreateError", note)
            if progress_deadline_s(deployment) is not None:
                conditions = Conditions([*conditions_of(deployment)], self._now_s)
                conditions.put(PROGRESSING, "False", "ReplicaSetCreateError", note)
                if changed := _condition_changes(conditions_of(deployment), conditions.all):
                    yield status_patch_of(_KIND, deployment, {"conditions": changed})

    def _steps(
        self, deployment: Object, owned: OwnedReplicaSets, *, scales: bool
    ) -> Iterator[Effect]:
        if owned.new is not None:
            body = outdated_fields(deployment, owned)
            if body:
                yield patch_of(_SET, owned.new, body, if_unchanged=True)
                return
        if scales:
            sizes = proportional_sizes(deployment, owned)
            yield from self._resized(deployment, owned, sizes)
        elif is_rolling(deployment):
            if owned.new is None:
                yield self._creation(deployment, owned)
            else:
                yield from self._resized(deployment, owned, rolling_sizes(deployment, owned))
        # Otherwise all old pods go, and when they are gone, the new ones come.
        elif doomed := {name(one): 0 for one in owned.old if replicas_of(one)}:
            yield from self._resized(deployment, owned, doomed)
        elif not any(
            # Pods run, or the set hasn't said so since its size was changed.
            counted(one, "observedGeneration") < generation_of(one)
            or counted(one, "replicas")
            or counted(one, "terminatingReplicas")
            for one in owned.old
        ):
            if owned.new is None:
                yield self._creation(deployment, owned)
            else:
                sizes = {name(owned.new): new_size(deployment, owned)}
                yield from self._resized(deployment, owned, sizes)

    def _creation(self, deployment: Object, owned: OwnedReplicaSets) -> Effect:
        obj = new_replica_set(deployment, owned)
        if self.objects.at(_SET, place_of(obj)) is None:
            return Create(kind=_SET, obj=obj)
        # The ReplicaSet of another owner has the name: another hash is tried.
        collisions = int(status_of(deployment).get("collisionCount") or 0) + 1
        return status_patch_of(_KIND, deployment, {"collisionCount": collisions})

    def _resized(
        self, deployment: Object, owned: OwnedReplicaSets, sizes: Sizes
    ) -> Iterator[Effect]:
        for replica_set in owned.all:
            size = sizes.get(name(replica_set))
            if size is None:
                continue
            known, notes = annotations(replica_set), size_notes(deployment)
            changed = {key: value for key, value in notes.items() if known.get(key) != value}
            if size != replicas_of(replica_set) or changed:
                self._sizes[place_of(replica_set)] = replicas_of(replica_set)
                metadata = {"metadata": {"annotations": changed}} if changed else {}
                body = {**metadata, "spec": {"replicas": size}}
                # Of another state it is refused.
                yield patch_of(_SET, replica_set, body, if_unchanged=True)

    def _status(
        self,
        key: Hashable,
        deployment: Object,
        owned: OwnedReplicaSets,
        now_s: float,
        *,
        rolls_out: bool,
    ) -> Iterator[Effect]:
        conditions, counts = Conditions([*conditions_of(deployment)], now_s), counts_of(owned)
        deadline_s, paused = progress_deadline_s(deployment), deployment["spec"].get("paused")
        if not is_terminating(deployment) and deadline_s is not None:
            # The time during which a Deployment is paused doesn't count.
            reason = conditions.get(PROGRESSING).get("reason")
            if paused and reason not in (PAUSED, TIMED_OUT):
                conditions.put(PROGRESSING, "Unknown", PAUSED, "Deployment is paused")
            elif not paused and reason == PAUSED:
                conditions.put(PROGRESSING, "Unknown", "DeploymentResumed", "Deployment is resumed")
            if owned.new is not None:
                new_name = name(owned.new)
                if self._made.pop(key, None) == new_name:
                    message = f'Created new replica set "{new_name}"'
                    conditions.put(PROGRESSING, "True", "NewReplicaSetCreated", message)
                elif not conditions.get(PROGRESSING):
                    message = f'Found new replica set "{new_name}"'
                    conditions.put(PROGRESSING, "True", "FoundNewReplicaSet", message)
        status, reason, has = "True", "MinimumReplicasAvailable", "has"
        if counts["availableReplicas"] < replicas_of(deployment) - max_unavailable(deployment):
            status, reason, has = "False", "MinimumReplicasUnavailable", "does not have"
        conditions.put("Available", status, reason, f"Deployment {has} minimum availability.")
        if rolls_out:
            _put_progress(conditions, deployment, owned, counts)
            # That a ReplicaSet can't create pods is passed on, that of the new one first.
            failures = (condition_of(one, _FAILURE) for one in reversed(owned.all))
            if failure := next(filter(None, failures), None):
                status, reason = str(failure.get("status")), str(failure.get("reason"))
                conditions.put(_FAILURE, status, reason, str(failure.get("message") or ""))
            else:
                conditions.remove(_FAILURE)
        revision = "" if owned.new is None else annotations(owned.new).get(REVISION, "")
        patch = status_patch(deployment, counts, conditions.all, revision)
        if patch is not None:
            yield patch
            return
        known = conditions.get(PROGRESSING)
        is_over = not known or known.get("reason") in (COMPLETE, TIMED_OUT, PAUSED)
        if rolls_out and deadline_s is not None and not is_over:
            # Upstream adds a second, too: times are written in whole ones.
            self.look_after(key, _updated_s(known) + deadline_s + 1 - now_s)


def _is_rolling_out(deployment: Object | None) -> bool:
    if deployment is None or deployment["spec"].get("paused"):
        return False
    is_observed = status_of(deployment).get("observedGeneration") == generation_of(deployment)
    updated = counted(deployment, "updatedReplicas")
    others = counted(deployment, "replicas") - updated
    return is_observed and updated > 0 and others > 0
