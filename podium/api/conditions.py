"""Conditions in the status of objects, as every component sets them."""

from collections.abc import Iterable
from typing import Any

from podium.api.objects import Object, metadata_of
from podium.api.values.times import timestamp


def set_condition(known: Object | None, condition: Object, now_s: float) -> dict[str, Any]:
    """Return a condition with its transition time, which is kept while the status is unchanged."""
    since = None
    if known is not None and known.get("status") == condition["status"]:
        since = known.get("lastTransitionTime")
    return {**condition, "lastTransitionTime": since or timestamp(now_s)}


def stamped_condition(
    known: Object | None, condition: Object, now_s: float
) -> dict[str, Any] | None:
    """Return the condition of `set_condition`; None if the known one has equal fields."""
    if known is not None and all(known.get(k) == v for k, v in condition.items()):
        return None
    return set_condition(known, condition, now_s)


def with_condition(
    conditions: Iterable[Object] | None, condition: Object, now_s: float
) -> list[Object]:
    """Set a condition in a list, in place of the one of its type, as `set_condition` does."""
    changed = [*(conditions or ())]
    kind = condition["type"]
    place = next((at for at, one in enumerate(changed) if one.get("type") == kind), len(changed))
    known = changed[place] if place < len(changed) else None
    changed[place : place + 1] = [set_condition(known, condition, now_s)]
    return changed


def observed_generation(obj: Object) -> dict[str, int]:
    """Return the field `observedGeneration` of a condition; no field without a generation."""
    generation = metadata_of(obj).get("generation")
    return {"observedGeneration": int(generation)} if generation else {}
