"""What controllers ask of workloads: how many pods they want, which, and when these count."""

from collections.abc import Collection, Mapping

from podium.api.labels import Selector, equality_selector, label_selector
from podium.api.objects import Object, condition_of
from podium.api.times import epoch_s


def replicas_of(workload: Object) -> int:
    """How many pods a workload wants."""
    replicas = workload["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)


def selector_of(workload: Object) -> Selector:
    """The selector of a workload; a ReplicationController's is a plain map."""
    raw = workload["spec"].get("selector")
    is_map = workload.get("kind") == "ReplicationController"
    return equality_selector(raw) if is_map else label_selector(raw)


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
        counts: by field.
        always: fields that are written even then, as their types in v1.36 say.
    """
    return {field: n if field in always else n or None for field, n in counts.items()}
