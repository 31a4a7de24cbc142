"""A Deployment's status: counts of its ReplicaSets' pods, and conditions that tell how it gets on.

Types, reasons, messages and what keeps which time are those of v1.36's deployment controller. The
revision, an annotation, is written along with the status, as the API allows it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from podium.api.conditions import set_condition
from podium.api.objects import Object, annotations, condition_of, conditions_of, name, status_of
from podium.api.values.times import epoch_s, timestamp
from podium.api.workloads import replicas_of
from podium.controllers.deployment.replica_sets import (
    REVISION,
    OwnedReplicaSets,
    counted,
    counted_sum,
    max_unavailable,
    progress_deadline_s,
    wanted_sum,
)
from podium.controllers.kit.workload_fields import as_written
from podium.machines.effects import Patch, patch_of, status_patch_of

PROGRESSING = "Progressing"
PAUSED = "DeploymentPaused"
COMPLETE = "NewReplicaSetAvailable"
TIMED_OUT = "ProgressDeadlineExceeded"
_FAILURE = "ReplicaFailure"


class Conditions(msgspec.Struct):
    """The conditions of a Deployment while a new status is made of them."""

    all: list[Object]
    now_s: float

    def get(self, kind: str) -> Object | None:
        """The condition of a type."""
        return next((one for one in self.all if one.get("type") == kind), None)

    def put(
        self, kind: str, status: str, reason: str, message: str, *, again: bool = False
    ) -> None:
        """Set a condition.

        One with the same status and reason stands as it is, unless it is to be told again; as long
        as the status is the same, so is the time of the transition.
        """
        known = self.get(kind)
        is_same = (known or {}).get("status") == status and (known or {}).get("reason") == reason
        if is_same and not again:
            return
        condition = {"type": kind, "status": status, "reason": reason, "message": message}
        condition["lastUpdateTime"] = timestamp(self.now_s)
        self.remove(kind)
        self.all.append(set_condition(known, condition, self.now_s))

    def remove(self, kind: str) -> None:
        """Have no condition of a type."""
        self.all = [one for one in self.all if one.get("type") != kind]


def put_paused(conditions: Conditions, deployment: Object) -> None:
    """Tell that a Deployment is paused, or isn't any more, so that this time doesn't count."""
    known = conditions.get(PROGRESSING)
    reason = None if known is None else known.get("reason")
    if progress_deadline_s(deployment) is None or reason == TIMED_OUT:
        return
    paused = bool(deployment["spec"].get("paused"))
    if paused and reason != PAUSED:
        conditions.put(PROGRESSING, "Unknown", PAUSED, "Deployment is paused")
    elif not paused and reason == PAUSED:
        conditions.put(PROGRESSING, "Unknown", "DeploymentResumed", "Deployment is resumed")


def put_available(conditions: Conditions, deployment: Object, available: int) -> None:
    """Tell whether as many pods are available as have to be."""
    if available >= replicas_of(deployment) - max_unavailable(deployment):
        status, reason, has = "True", "MinimumReplicasAvailable", "has"
    else:
        status, reason, has = "False", "MinimumReplicasUnavailable", "does not have"
    conditions.put("Available", status, reason, f"Deployment {has} minimum availability.")


def put_progress(
    conditions: Conditions, deployment: Object, owned: OwnedReplicaSets, counts: Mapping[str, int]
) -> None:
    """Tell how the rollout gets on, by what has changed since the status was last written."""
    known, deadline_s = conditions.get(PROGRESSING), progress_deadline_s(deployment)
    if deadline_s is None:
        conditions.remove(PROGRESSING)
        return
    reason = None if known is None else known.get("reason")
    if reason == COMPLETE and counts["replicas"] == counts["updatedReplicas"]:
        return
    kind, called = "Deployment", name(deployment)
    if owned.new is not None:
        kind, called = "ReplicaSet", name(owned.new)
    subject = f'{kind} "{called}"'
    if is_complete(deployment, counts):
        message = f"{subject} has successfully progressed."
        conditions.put(PROGRESSING, "True", COMPLETE, message)
    elif _gets_on(deployment, counts):
        message = f"{subject} is progressing."
        conditions.put(PROGRESSING, "True", "ReplicaSetUpdated", message, again=True)
    elif known is not None and (
        reason == TIMED_OUT
        or (reason != COMPLETE and _updated_s(known) + deadline_s < conditions.now_s)
    ):
        message = f"{subject} has timed out progressing."
        conditions.put(PROGRESSING, "False", TIMED_OUT, message)


def put_failure(conditions: Conditions, owned: OwnedReplicaSets) -> None:
    """Pass on that a ReplicaSet can't create pods, the new one's failure before others'."""
    found = (condition_of(one, _FAILURE) for one in reversed(owned.all))
    failure = next(filter(None, found), None)
    if failure is None:
        conditions.remove(_FAILURE)
        return
    status, reason = str(failure.get("status")), str(failure.get("reason"))
    conditions.put(_FAILURE, status, reason, str(failure.get("message") or ""))


def is_complete(deployment: Object, counts: Mapping[str, int]) -> bool:
    """Whether all pods are of the new template, wanted and available."""
    fields = ("updatedReplicas", "replicas", "availableReplicas")
    return all(counts[field] == replicas_of(deployment) for field in fields)


def deadline_of(deployment: Object, conditions: Sequence[Object]) -> float | None:
    """When a rollout that doesn't get on will have failed; None if that isn't to be waited for."""
    known = next((one for one in conditions if one.get("type") == PROGRESSING), None)
    deadline_s = progress_deadline_s(deployment)
    if deadline_s is None or known is None or known.get("reason") in (COMPLETE, TIMED_OUT, PAUSED):
        return None
    # Upstream adds a second, too: times are written in whole ones.
    return _updated_s(known) + deadline_s + 1


def _gets_on(deployment: Object, counts: Mapping[str, int]) -> bool:
    before = {field: counted(deployment, field) for field in counts}
    return (
        counts["updatedReplicas"] > before["updatedReplicas"]
        or _outdated(counts) < _outdated(before)
        or counts["readyReplicas"] > before["readyReplicas"]
        or counts["availableReplicas"] > before["availableReplicas"]
    )


def _outdated(counts: Mapping[str, int]) -> int:
    return counts["replicas"] - counts["updatedReplicas"]


def _updated_s(condition: Object) -> float:
    time = condition.get("lastUpdateTime") or condition.get("lastTransitionTime")
    return epoch_s(time) if time else 0.0


def counts_of(owned: OwnedReplicaSets) -> dict[str, int]:
    """What the status counts, by field."""
    replica_sets = owned.all
    available = counted_sum(replica_sets, "availableReplicas")
    updated = 0 if owned.new is None else counted(owned.new, "replicas")
    return {
        "replicas": counted_sum(replica_sets, "replicas"),
        "updatedReplicas": updated,
        "readyReplicas": counted_sum(replica_sets, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, wanted_sum(replica_sets) - available),
        "terminatingReplicas": counted_sum(replica_sets, "terminatingReplicas"),
    }


def status_patch(
    deployment: Object, counts: Mapping[str, int], conditions: Sequence[Object], revision: str
) -> Patch | None:
    """The write that makes the status so; None if it is so already."""
    old = status_of(deployment)
    numbers: dict[str, Any] = as_written(counts, ("terminatingReplicas",))
    numbers["observedGeneration"] = deployment["metadata"].get("generation")
    status = {} if all((old.get(k) or 0) == (n or 0) for k, n in numbers.items()) else numbers
    changed = _condition_changes(old.get("conditions") or (), conditions)
    if changed:
        status = {**status, "conditions": changed}
    metadata: dict[str, Any] = {}
    if revision and annotations(deployment).get(REVISION) != revision:
        metadata["annotations"] = {REVISION: revision}
    if not status and not metadata:
        return None
    return patch_of("Deployment", deployment, {"metadata": metadata, "status": status}, "status")


def conditions_patch(deployment: Object, conditions: Sequence[Object]) -> Iterator[Patch]:
    """The write that makes the conditions so, and nothing else of the status; none if they are."""
    changed = _condition_changes(conditions_of(deployment), conditions)
    if changed:
        yield status_patch_of("Deployment", deployment, {"conditions": changed})


def _condition_changes(old: Sequence[Object], new: Sequence[Object]) -> list[Object]:
    kept = {one["type"] for one in new}
    types = dict.fromkeys(one.get("type") or "" for one in old)
    gone = [{"$patch": "delete", "type": kind} for kind in types if kind not in kept]
    return [*gone, *(one for one in new if one not in old)]
