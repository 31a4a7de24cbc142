"""Fields of workloads that controllers read, and the writing of statuses."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from podium.api.objects import Object, condition_of, status_of
from podium.api.values.times import epoch_s
from podium.machines.effects import Patch, status_patch_of


def min_ready_s(workload: Object) -> int:
    """The time for which a workload's pods have to be ready to be available, in seconds."""
    return int(workload["spec"].get("minReadySeconds") or 0)


def available_from_s(pod: Object, min_ready_s: int) -> float | None:
    """When a pod becomes available, in seconds since the epoch; None if it isn't ready.

    Without a minimum it is 0: a ready pod is available.
    """
    ready = condition_of(pod, "Ready")
    if ready is None or ready.get("status") != "True":
        return None
    since = ready.get("lastTransitionTime")
    if not min_ready_s:
        return 0.0
    return epoch_s(since) + min_ready_s if since else None


def as_written(counts: Mapping[str, int], always: Collection[str]) -> dict[str, Any]:
    """Counts for a patch of a status: one of 0 is left out.

    Args:
        always: fields that are written even then, as their types in v1.36 say.
    """
    return {field: n if field in always else n or None for field, n in counts.items()}


def differs(obj: Object, status: Mapping[str, Any]) -> bool:
    """Whether a status isn't stored like that; what is empty counts as what isn't there."""
    known = status_of(obj)
    return any((known.get(field) or None) != (value or None) for field, value in status.items())


def status_update(obj: Object, **status: Any) -> Iterator[Patch]:
    """The write that makes fields of a status so, if any isn't."""
    if differs(obj, status):
        yield status_patch_of(obj["kind"], obj, status)
