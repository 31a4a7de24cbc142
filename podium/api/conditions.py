"""Setting of conditions in the statuses of objects."""

from collections.abc import Iterable
from typing import Any

from podium.api.objects import Object, metadata_of
from podium.api.values.times import timestamp


def set_condition(known: Object | None, condition: Object, now_s: float) -> dict[str, Any]:
    """Return a condition with its transition time: the known one for an equal status, else now."""
    since = None
    if known is not None and known.get("status") == condition["status"]:
        since = known.get("lastTransitionTime")
    return {**condition, "lastTransitionTime": since or timestamp(now_s)}


def stamped_condition(
    known: Object | None, condition: Object, now_s: float
) -> dict[str, Any] | None:
    """Return the condition as `set_condition` does; None if the known one has equal fields."""
    if known is not None and all(known.get(k) == v for k, v in condition.items()):
        return None
    return set_condition(known, condition, now_s)


def with_condition(
    conditions: Iterable[Object] | None, condition: Object, now_s: float
) -> list[Object]:
    """Return a list of conditions with a condition replaced or added, as by `set_condition`."""
    changed = [*(conditions or ())]
    kind = condition["type"]
    place = next((at for at, one in enumerate(changed) if one.get("type") == kind), len(changed))
    known = changed[place] if place < len(changed) else None
    changed[place : place + 1] = [set_condition(known, condition, now_s)]
    return changed


def observed_generation(obj: Object) -> dict[str, int]:
    """Return a condition's `observedGeneration` as a dict, empty without a generation."""
    generation = metadata_of(obj).get("generation")
    return {"observedGeneration": int(generation)} if generation else {}
