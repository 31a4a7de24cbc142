"""Conditions as controllers write them into a status."""

from typing import Any

from podium.api.objects import Object, condition_of
from podium.api.values.times import timestamp


def new_condition(
    obj: Object,
    kind: str,
    status: str,
    reason: str | None,
    message: str | None,
    now_s: float,
    generation: Any = None,
) -> Object:
    """A condition of an object; its time stays as long as its status does.

    Args:
        obj: with the condition as it was.
        kind: its type.
        status: `True`, `False` or `Unknown`.
        reason: in one word.
        message: the sentence.
        now_s: the time, in seconds since the epoch.
        generation: of the object as it was seen; left out if there is none.
    """
    known = condition_of(obj, kind) or {}
    since = timestamp(now_s)
    if known.get("status") == status:
        since = known.get("lastTransitionTime", since)
    return {
        "type": kind,
        "status": status,
        **({"observedGeneration": generation} if generation else {}),
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
    }
