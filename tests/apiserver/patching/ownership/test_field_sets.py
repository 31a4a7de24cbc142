"""Sets of fields, against sets of paths."""

from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.apiserver.patching.ownership import field_sets

PATHS = st.sets(st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple), max_size=6)


def of_paths(found: Iterable[tuple[str, ...]]) -> field_sets.FieldSet:
    fields = field_sets.NOTHING
    for path in found:
        branch = field_sets.LEAF
        for name in reversed(path):
            branch = {f"f:{name}": branch}
        fields = field_sets.union(fields, branch)
    return fields


def texts(members: set[tuple[str, ...]]) -> set[str]:
    return {"".join(f".{name}" for name in path) for path in members}


def members(fields: field_sets.FieldSet) -> set[str]:
    found = list(field_sets.paths(fields))
    assert len(found) == len(set(found))
    return set(found)


@given(PATHS, PATHS)
def test_operations_are_those_of_sets(one: Any, other: Any) -> None:
    left, right = of_paths(one), of_paths(other)
    assert members(field_sets.union(left, right)) == texts(one | other)
    assert members(field_sets.intersection(left, right)) == texts(one & other)
    assert members(field_sets.difference(left, right)) == texts(one - other)
    assert field_sets.union(left, right) == of_paths(one | other)
    assert field_sets.intersection(left, right) == of_paths(one & other)
    assert field_sets.difference(left, right) == of_paths(one - other)


@given(PATHS, PATHS)
def test_cutting_takes_parts_along(one: Any, other: Any) -> None:
    left = {path for path in one if not any(path[: len(gone)] == gone for gone in other)}
    assert members(field_sets.cut(of_paths(one), of_paths(other))) == texts(left)


@given(PATHS)
def test_fields_v1_and_back(found: Any) -> None:
    fields = of_paths(found)
    assert field_sets.from_fields_v1(field_sets.to_fields_v1(fields)) == fields


@given(PATHS)
def test_outside(found: Any) -> None:
    assert members(field_sets.outside(of_paths(found), ["a"])) == texts(
        {p for p in found if p[0] != "a"}
    )


def test_fields_v1_says_little() -> None:
    fields = of_paths([("a",), ("a", "b"), ("c", "d")])
    assert field_sets.to_fields_v1(fields) == {"f:a": {".": {}, "f:b": {}}, "f:c": {"f:d": {}}}
