"""How two versions of an object differ, as sets of fields.

Source: the comparison of structured-merge-diff, as Kubernetes v1.36 uses it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from podium.apiserver.patching.ownership.field_sets import LEAF, NOTHING, FieldSet, outside, union
from podium.apiserver.patching.ownership.steps import entries, everything, part_type, shape
from podium.apiserver.schema import ListOf, Type

_ABSENT = object()

_Difference = tuple[FieldSet, FieldSet, FieldSet]
"""What was added, modified and removed."""


class FieldComparison(NamedTuple):
    """The fields by which two objects differ: added, changed and removed."""

    added: FieldSet
    modified: FieldSet
    removed: FieldSet

    @property
    def changed(self) -> FieldSet:
        """What the new object has, and the old one has not or otherwise."""
        return union(self.added, self.modified)

    def outside(self, names: Iterable[str]) -> "FieldComparison":
        """How they differ in all but some top-level fields."""
        return FieldComparison(*(outside(fields, names) for fields in self))


def compare(old: Any, new: Any, of: Type | None) -> FieldComparison:
    """How two objects differ, field by field; raises UntypedError."""
    compared = _compare(old, new, of)
    return FieldComparison(*compared) if compared else FieldComparison(NOTHING, NOTHING, NOTHING)


def _compare(old: Any, new: Any, of: Type | None) -> _Difference | None:
    if old is new:
        return None
    if old is _ABSENT:
        return everything(new, of), NOTHING, NOTHING
    if new is _ABSENT:
        return NOTHING, NOTHING, everything(old, of)
    shapes = {shape(one, of) for one in (old, new) if one}
    if shapes == {"map"} and isinstance(old or {}, Mapping) and isinstance(new or {}, Mapping):
        old, new = old or {}, new or {}
        values = ((n, old.get(n, _ABSENT), new.get(n, _ABSENT)) for n in {**old, **new})
        return _joined((f"f:{n}", _compare(a, b, part_type(of, n))) for n, a, b in values)
    if shapes == {"list"} and isinstance(old or [], list) and isinstance(new or [], list):
        assert isinstance(of, ListOf)
        before, after = entries(old or [], of), entries(new or [], of)
        return _joined(
            (step, _compared_entries(before.get(step, []), after.get(step, []), of.items))
            for step in {**before, **after}
        )
    return None if old == new else (NOTHING, LEAF, NOTHING)


def _compared_entries(old: Sequence[Any], new: Sequence[Any], of: Type) -> _Difference | None:
    """Compare entries with equal keys; where a list repeats a key, its entries as a whole."""
    if len(old) > 1 or len(new) > 1:
        if old == new:
            return None
        if old and new:
            return NOTHING, LEAF, NOTHING
    return _compare(old[0] if old else _ABSENT, new[0] if new else _ABSENT, of)


def _joined(parts: Iterator[tuple[str, _Difference | None]]) -> _Difference | None:
    added: dict[str, Any] = {}
    modified: dict[str, Any] = {}
    removed: dict[str, Any] = {}
    for step, compared in parts:
        if compared:
            for into, part in zip((added, modified, removed), compared, strict=True):
                if part:
                    into[step] = part
    return (added, modified, removed) if added or modified or removed else None
