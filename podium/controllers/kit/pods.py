"""What controllers ask about pods: active, ready, available."""

from podium.api.objects import Object, condition_of, controller_of
from podium.api.times import NANOS_PER_SECOND, parse_time


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
    return parse_time(since) / NANOS_PER_SECOND + min_ready_s if since else None


def owner_uids(obj: Object) -> tuple[str, ...]:
    """The uid of an object's controller, as the key of an index."""
    owner = controller_of(obj)
    return () if owner is None else (str(owner.get("uid")),)


def orphan_namespaces(obj: Object) -> tuple[str, ...]:
    """The namespace of an object without a controller, as the key of an index."""
    return ((obj["metadata"].get("namespace") or ""),) if controller_of(obj) is None else ()


def namespaces(obj: Object) -> tuple[str, ...]:
    """An object's namespace, as the key of an index."""
    return ((obj["metadata"].get("namespace") or ""),)
