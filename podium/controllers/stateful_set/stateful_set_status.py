"""What a StatefulSet's status says, in v1.36's fields."""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.objects import Object, is_terminating, name
from podium.api.pods import is_ready, phase_of
from podium.control.effects import Patch, status_patch_of
from podium.controllers.stateful_set.pod_identity import revision_of, serves_from_s

_ALWAYS_THERE = ("replicas", "availableReplicas", "collisionCount")


def status_patch(
    owner: Object, current: Object, update: Object, pods: Sequence[Object], now_s: float
) -> Patch | None:
    """The change of the status; None if it is as it should be.

    Args:
        owner: the StatefulSet.
        current: the revision before the update, or the same as `update`.
        update: the revision of the template.
        pods: all of the StatefulSet.
        now_s: the time.
    """
    old = owner.get("status") or {}
    counts = _counts(owner, current, update, pods, now_s)
    if _is_complete(owner, counts):
        counts["currentReplicas"] = counts["updatedReplicas"]
        current = update
    fields: dict[str, Any] = {
        **counts,
        "collisionCount": int(old.get("collisionCount") or 0),
        "currentRevision": name(current),
        "updateRevision": name(update),
        "observedGeneration": owner["metadata"].get("generation"),
    }
    wanted = {f: value if value or f in _ALWAYS_THERE else None for f, value in fields.items()}
    if all(old.get(f) == value for f, value in wanted.items()):
        return None
    return status_patch_of("StatefulSet", owner, wanted)


def _counts(
    owner: Object, current: Object, update: Object, pods: Sequence[Object], now_s: float
) -> dict[str, int]:
    running = [pod for pod in pods if phase_of(pod) == "Running"]
    moments = [serves_from_s(owner, pod) for pod in running]
    staying = [revision_of(pod) for pod in pods if not is_terminating(pod)]
    return {
        "replicas": len(pods),
        "readyReplicas": sum(is_ready(pod) for pod in running),
        "availableReplicas": sum(at_s is not None and at_s <= now_s for at_s in moments),
        "currentReplicas": staying.count(name(current)),
        "updatedReplicas": staying.count(name(update)),
    }


def _is_complete(owner: Object, counts: Mapping[str, int]) -> bool:
    """Whether a rolling update has reached all pods, and they are ready."""
    if (owner["spec"].get("updateStrategy") or {}).get("type") == "OnDelete":
        return False
    return counts["updatedReplicas"] == counts["readyReplicas"] == counts["replicas"]
