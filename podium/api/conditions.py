"""Conditions as kube-apiserver itself sets them."""

from collections.abc import Iterable

from podium.api.objects import Object
from podium.api.values.times import timestamp


def with_condition(
    conditions: Iterable[Object] | None, condition: Object, now_s: float
) -> list[Object]:
    """Some conditions with one of them set.

    Args:
        conditions: as they are.
        condition: with its type and status; it replaces one of the same type.
        now_s: the time, in seconds since the epoch; it is noted if the status of the condition
            is another one than before.
    """
    found = [*(conditions or ())]
    kind, since = condition["type"], None
    place = next((at for at, one in enumerate(found) if one.get("type") == kind), len(found))
    if place < len(found) and found[place].get("status") == condition["status"]:
        since = found[place].get("lastTransitionTime")
    found[place : place + 1] = [{**condition, "lastTransitionTime": since or timestamp(now_s)}]
    return found
