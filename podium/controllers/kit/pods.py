"""What controllers ask about pods: active, ready, available."""

from collections.abc import Mapping
from typing import Any

from podium.api.meta import controller_of, is_finished, is_terminating
from podium.api.times import NANOS_PER_SECOND, parse_time

Object = Mapping[str, Any]


def is_active(pod: Object) -> bool:
    """Whether a controller counts on the pod: neither finished nor on its way out."""
    return not is_finished(pod) and not is_terminating(pod)


def condition_of(obj: Object, kind: str) -> Object | None:
    """The condition of a type in an object's status."""
    found: Object
    for found in (obj.get("status") or {}).get("conditions") or ():
        if found.get("type") == kind:
            return found
    return None


def is_ready(pod: Object) -> bool:
    """Whether the pod's condition Ready is True."""
    ready = condition_of(pod, "Ready")
    return ready is not None and ready.get("status") == "True"


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
