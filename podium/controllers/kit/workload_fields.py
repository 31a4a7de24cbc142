"""Fields of workloads that controllers read, and patches of their statuses."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from podium.api.objects import Object, condition_of, status_of
from podium.api.values.times import epoch_s
from podium.machines.effects import Patch, status_patch_of


def min_ready_s(workload: Object) -> int:
    """Return `minReadySeconds` of a workload, 0 by default."""
    return int(workload["spec"].get("minReadySeconds") or 0)


def available_from_s(pod: Object, min_ready_s: int) -> float | None:
    """Return when a pod becomes available, in seconds since the epoch; None if it isn't ready.

    Return 0 for a ready pod if `min_ready_s` is 0.
    """
    ready = condition_of(pod, "Ready")
    if ready is None or ready.get("status") != "True":
        return None
    since = ready.get("lastTransitionTime")
    if not min_ready_s:
        return 0.0
    return epoch_s(since) + min_ready_s if since else None


def as_written(counts: Mapping[str, int], always: Collection[str]) -> dict[str, Any]:
    """Return counts as in a status patch: 0 becomes None, except in the fields `always`.

    The types of v1.36 define which fields are always written.
    """
    return {field: n if field in always else n or None for field, n in counts.items()}


def differs(obj: Object, status: Mapping[str, Any]) -> bool:
    """Return whether fields differ from the stored status; empty and absent values are equal."""
    stored = status_of(obj)
    return any((stored.get(field) or None) != (value or None) for field, value in status.items())


def status_update(obj: Object, **status: Any) -> Iterator[Patch]:
    """Yield a patch that sets fields of the object's status; nothing if none of them differs."""
    if differs(obj, status):
        yield status_patch_of(obj["kind"], obj, status)
