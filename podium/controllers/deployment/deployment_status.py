"""A Deployment's status: counts of its ReplicaSets' pods, and the write that brings it up to date.

The revision, an annotation, is written along with the status, as the API allows it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.objects import Object, annotations
from podium.control.effects import Patch, patch_of
from podium.controllers.deployment.replica_sets import (
    REVISION,
    OwnedReplicaSets,
    counted,
    counted_sum,
    wanted_sum,
)
from podium.controllers.kit.workloads import as_written


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
    """The write that makes the status so; None if it is so already.

    Args:
        deployment: as it is known.
        counts: as they are to be.
        conditions: likewise.
        revision: of the new ReplicaSet; empty if there is none.
    """
    old: Object = deployment.get("status") or {}
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


def _condition_changes(old: Sequence[Object], new: Sequence[Object]) -> list[Object]:
    """The conditions that have changed, and directives for those that go."""
    kept = {one["type"] for one in new}
    types = dict.fromkeys(one.get("type") or "" for one in old)
    gone = [{"$patch": "delete", "type": kind} for kind in types if kind not in kept]
    return [*gone, *(one for one in new if one not in old)]
