"""In which order the entries of a merged list stand.

Those that the patch names come in the patch's order, the others in the order that they had. The
two are interleaved so that what stood before another entry still does, as far as both were there.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import msgspec

from podium.apiserver.decoding.checking import unexpected
from podium.apiserver.refusals import internal


def json_text(value: Any) -> str:
    """A value as refusals quote it."""
    return msgspec.json.encode(value).decode()


def merge_key_of(entry: Any, key: str) -> Any:
    """By what an entry is found again: its field of that name, or itself if it is a scalar.

    Raises:
        Refused: it has no such field.
    """
    value = entry
    if key:
        if not isinstance(entry, dict):
            raise internal(unexpected(entry, f"an object with {key}"))
        if key not in entry:
            raise internal(f"{json_text(entry)} does not contain declared merge key: {key}")
        value = entry[key]
    if isinstance(value, dict | list):
        raise internal(f"{json_text(value)} can't be compared with others")
    return value


def in_order(
    merged: Sequence[Any], wanted: Sequence[Any], before: Sequence[Any], key: str
) -> list[Any]:
    """The entries of a merged list, in order.

    Args:
        merged: all entries that the list is to have.
        wanted: entries in the order that a patch gives; they may be no more than their keys.
        before: the list as it was.
        key: the field by which entries are found again; empty for scalars.
    """
    wanted_place = _places(wanted, key)
    old_place = _places(before, key)
    keyed = [(merge_key_of(entry, key), entry) for entry in merged]
    named = [(wanted_place[k], k, entry) for k, entry in keyed if k in wanted_place]
    others = [
        (old_place.get(k, len(before)), k, entry) for k, entry in keyed if k not in wanted_place
    ]
    named.sort(key=_first)
    others.sort(key=_first)
    return _interleaved(
        [(old_place.get(k), entry) for _, k, entry in named],
        [(old_place.get(k), entry) for _, k, entry in others],
    )


_first = itemgetter(0)


_Placed = tuple[int | None, Any]
"""An entry after the place that it had in the list before, if it had one."""


def _interleaved(named: Sequence[_Placed], others: Sequence[_Placed]) -> list[Any]:
    """Both in one list; of two that had a place, the earlier one comes first."""
    ordered: list[Any] = []
    at = 0
    for place, entry in named:
        while place is not None and at < len(others):
            other_place, other = others[at]
            if other_place is None or other_place >= place:
                break
            ordered.append(other)
            at += 1
        ordered.append(entry)
    return [*ordered, *(entry for _, entry in others[at:])]


def _places(entries: Sequence[Any], key: str) -> dict[Any, int]:
    places: dict[Any, int] = {}
    for place, entry in enumerate(entries):
        places.setdefault(merge_key_of(entry, key), place)
    return places
