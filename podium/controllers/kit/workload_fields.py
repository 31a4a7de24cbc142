"""Fields of workloads that controllers read, and the writing of statuses."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from podium.api.objects import Object, condition_of, status_of
from podium.api.values.times import epoch_s
from podium.machines.effects import Patch, status_patch_of


def min_ready_s(workload: Object) -> int:
    """Return how long a workload's pods have to be ready until they are available, in seconds."""
    return int(workload["spec"].get("minReadySeconds") or 0)


def available_from_s(pod: Object, min_ready_s: int) -> float | None:
    """Return when a pod becomes available, in seconds since the epoch; None if it isn't ready.

    A ready pod is available at once (0) if there is no minimum.
    """
    ready = condition_of(pod, "Ready")
    if ready is None or ready.get("status") != "True":
        return None
    since = ready.get("lastTransitionTime")
    if not min_ready_s:
        return 0.0
    return epoch_s(since) + min_ready_s if since else None


def as_written(counts: Mapping[str, int], always: Collection[str]) -> dict[str, Any]:
    """Return counts as a patch of a status has them: 0 becomes None, except in `always`.

    Which fields the API writes even if they are 0, their types in v1.36 say.
    """
    return {field: n if field in always else n or None for field, n in counts.items()}


def differs(obj: Object, status: Mapping[str, Any]) -> bool:
    """Return whether the object's status has other values; empty and absent values are equal."""
    stored = status_of(obj)
    return any((stored.get(field) or None) != (value or None) for field, value in status.items())


def status_update(obj: Object, **status: Any) -> Iterator[Patch]:
    """Yield the patch that sets fields of the object's status, if any of them differs."""
    if differs(obj, status):
        yield status_patch_of(obj["kind"], obj, status)
