"""How objects of kinds that definitions bring are written."""

from functools import lru_cache
from typing import Any

from podium.api.custom_kinds import CustomKind
from podium.api.objects import Object
from podium.apiserver.strategy.strategy import Creation, Strategy, keep_status, next_generation


@lru_cache(maxsize=256)
def custom_strategy(kind: CustomKind) -> Strategy:
    """How objects of a kind are written: whether their status is a part of its own, above all."""
    has_status = kind.is_closed_to_status
    return Strategy(
        create=_without_status if has_status else _as_given,
        update=_update_all_but_status if has_status else _count_changes,
        subresources={"status": _update_status} if has_status else {},
        counts_generations=True,
        unconditional_update=False,
    )


def _as_given(obj: Object, _creation: Creation) -> Object:
    return obj


def _without_status(obj: Object, _creation: Creation) -> Object:
    return {field: value for field, value in obj.items() if field != "status"}


def _count_changes(new: Object, old: Object, _now_s: float) -> Object:
    return next_generation(new, old) if _content(new) != _content(old) else new


def _update_all_but_status(new: Object, old: Object, now_s: float) -> Object:
    new = keep_status(new, old, now_s)
    return _count_changes(new, old, now_s)


def _update_status(new: Object, old: Object, _now_s: float) -> Object:
    """Only the status changes, and who owns what of it."""
    metadata = {**old["metadata"]}
    for field in ("resourceVersion", "managedFields"):
        if field in new["metadata"]:
            metadata[field] = new["metadata"][field]
    kept = {field: value for field, value in old.items() if field != "status"}
    status = {"status": new["status"]} if "status" in new else {}
    return {**kept, **status, "apiVersion": new["apiVersion"], "metadata": metadata}


def _content(obj: Object) -> dict[str, Any]:
    return {field: one for field, one in obj.items() if field not in ("apiVersion", "metadata")}
