"""Toleration of taints, as in v1.36 with its default feature gates.

A toleration with the alpha operator `Gt` or `Lt` tolerates nothing.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

NO_SCHEDULE = "NoSchedule"
PREFER_NO_SCHEDULE = "PreferNoSchedule"
NO_EXECUTE = "NoExecute"


def tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Return whether one toleration tolerates one taint.

    An empty effect means any effect, an empty key any key, an empty operator `Equal`.
    """
    if (effect := toleration.get("effect")) and effect != taint.get("effect"):
        return False
    if (key := toleration.get("key")) and key != taint.get("key"):
        return False
    match toleration.get("operator") or "Equal":
        case "Equal":
            return (toleration.get("value") or "") == (taint.get("value") or "")
        case "Exists":
            return True
    return False


def tolerations_tolerate(
    tolerations: Iterable[Mapping[str, Any]] | None, taint: Mapping[str, Any]
) -> bool:
    """Return whether any of the tolerations tolerates the taint."""
    return any(tolerates(toleration, taint) for toleration in tolerations or ())


def untolerated(
    taints: Iterable[Mapping[str, Any]] | None,
    tolerations: Collection[Mapping[str, Any]] | None,
    effects: Collection[str],
) -> Mapping[str, Any] | None:
    """Return the first taint of one of these effects that no toleration tolerates, if any."""
    for taint in taints or ():
        if taint.get("effect") in effects and not tolerations_tolerate(tolerations, taint):
            return taint
    return None
