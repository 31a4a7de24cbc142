"""Conditions in the status of objects, as every component sets them."""

from collections.abc import Iterable
from typing import Any

from podium.api.objects import Object, metadata_of
from podium.api.values.times import timestamp


def set_condition(known: Object | None, condition: Object, now_s: float) -> dict[str, Any]:
    """A condition with the time of its transition, which stays as long as its status does."""
    since = None
    if known is not None and known.get("status") == condition["status"]:
        since = known.get("lastTransitionTime")
    return {**condition, "lastTransitionTime": since or timestamp(now_s)}


def stamped_condition(
    known: Object | None, condition: Object, now_s: float
) -> dict[str, Any] | None:
    """As `set_condition`; None if the condition is known like that already."""
    if known is not None and all(known.get(k) == v for k, v in condition.items()):
        return None
    return set_condition(known, condition, now_s)


def with_condition(
    conditions: Iterable[Object] | None, condition: Object, now_s: float
) -> list[Object]:
    """Set a condition in the place of that of its type; see `set_condition`."""
    found = [*(conditions or ())]
    kind = condition["type"]
    place = next((at for at, one in enumerate(found) if one.get("type") == kind), len(found))
    known = found[place] if place < len(found) else None
    found[place : place + 1] = [set_condition(known, condition, now_s)]
    return found


def observed_generation(obj: Object) -> dict[str, int]:
    """The object's generation as a condition states it; nothing where there is none."""
    generation = metadata_of(obj).get("generation")
    return {"observedGeneration": int(generation)} if generation else {}
