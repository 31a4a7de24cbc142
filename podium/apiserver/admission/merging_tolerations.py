"""Two lists of tolerations made one, without what the other already includes.

The rules are those of `MergeTolerations` in v1.36's `tolerations` package.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.api.taints import NO_EXECUTE

Toleration = Mapping[str, Any]


def merge_tolerations(
    first: Iterable[Toleration], second: Iterable[Toleration]
) -> list[Toleration]:
    """Both lists in order, without those that another one includes; of equal ones the first."""
    candidates = [*first, *second]
    merged: list[Toleration] = []
    for index, toleration in enumerate(candidates):
        redundant = any(includes(other, toleration) for other in merged) or any(
            other != toleration and includes(other, toleration) for other in candidates[index + 1 :]
        )
        if not redundant:
            merged.append(toleration)
    return merged


def all_included(wider: Iterable[Toleration], narrower: Iterable[Toleration]) -> bool:
    """Whether each of the narrower tolerations is included in one of the wider ones."""
    allowed = list(wider)
    return all(any(includes(one, toleration) for one in allowed) for toleration in narrower)


def includes(wider: Toleration, narrower: Toleration) -> bool:
    """Whether whatever the narrower one tolerates, the wider one does, for as long."""
    if wider == narrower:
        return True
    wider_exists = wider.get("operator") == "Exists"
    matches_any_key = wider_exists and not wider.get("key")
    if not matches_any_key and _text(wider, "key") != _text(narrower, "key"):
        return False
    if wider.get("effect") and wider["effect"] != narrower.get("effect"):
        return False
    if not _lasts_as_long(wider, narrower):
        return False
    if wider_exists:
        return True
    same_value = _text(wider, "value") == _text(narrower, "value")
    return (wider.get("operator") or "Equal") == narrower.get("operator") == "Equal" and same_value


def _lasts_as_long(wider: Toleration, narrower: Toleration) -> bool:
    seconds, needed = wider.get("tolerationSeconds"), narrower.get("tolerationSeconds")
    if wider.get("effect") != NO_EXECUTE or seconds is None:
        return True
    return needed is not None and bool(needed <= seconds)


def _text(toleration: Toleration, field: str) -> str:
    return str(toleration.get(field) or "")
