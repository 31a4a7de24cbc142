"""What controllers ask of workloads and write of them: when pods count, and counts themselves."""

from collections.abc import Collection, Mapping

from podium.api.objects import Object, condition_of
from podium.api.values.times import epoch_s


def min_ready_s(workload: Object) -> int:
    """For how long a workload's pods have to be ready to be available, in seconds."""
    return int(workload["spec"].get("minReadySeconds") or 0)


def available_from_s(pod: Object, min_ready_s: int) -> float | None:
    """From when on a ready pod counts as available, in seconds since the epoch.

    None: it isn't ready. Without a minimum it is from the moment on that it became ready.
    """
    ready = condition_of(pod, "Ready")
    if ready is None or ready.get("status") != "True":
        return None
    since = ready.get("lastTransitionTime")
    if not min_ready_s:
        return 0.0
    return epoch_s(since) + min_ready_s if since else None


def as_written(counts: Mapping[str, int], always: Collection[str]) -> dict[str, int | None]:
    """Counts for a patch of a status: one of 0 is left out.

    Args:
        always: fields that are written even then, as their types in v1.36 say.
    """
    return {field: n if field in always else n or None for field, n in counts.items()}
