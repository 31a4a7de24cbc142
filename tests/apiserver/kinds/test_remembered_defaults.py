"""Fillers with a memory fill as those without."""

from typing import Any

import pytest

from podium.apiserver.kinds.registration.defaulting import remembered
from podium.apiserver.memories import CAPACITY, SIZE_MAX

Object = dict[str, Any]


def filler_with_count() -> tuple[Any, list[Object]]:
    """A filler of one field, and what it was asked to fill."""
    asked: list[Object] = []

    def fill(value: Object) -> Object:
        asked.append(value)
        return value if "port" in value else {**value, "port": 80}

    return remembered(fill), asked


def test_equal_values_are_filled_once_and_share_the_result() -> None:
    fill, asked = filler_with_count()
    first, second = fill({"name": "a"}), fill({"name": "a"})
    assert first == {"name": "a", "port": 80}
    assert second is first
    assert len(asked) == 1


def test_a_value_in_which_nothing_is_missing_comes_back() -> None:
    fill, _ = filler_with_count()
    for value in ({"port": 1}, {"port": 1}):
        assert fill(value) is value


def test_values_that_differ_in_what_is_their_own_are_filled_once_and_keep_it() -> None:
    asked: list[Object] = []

    def fill(value: Object) -> Object:
        asked.append(value)
        return {**value, "port": 80}

    fill_once = remembered(fill, "name")
    first, second = fill_once({"name": "a", "of": 1}), fill_once({"of": 1, "name": "b"})
    assert [*first.items()] == [("name", "a"), ("of", 1), ("port", 80)]
    assert [*second.items()] == [("of", 1), ("name", "b"), ("port", 80)]
    assert asked == [{"of": 1}]


@pytest.mark.parametrize("alike", [1.0, True, "1"])
def test_values_that_only_look_equal_are_told_apart(alike: object) -> None:
    fill, _ = filler_with_count()
    fill({"replicas": 1})
    assert type(fill({"replicas": alike})["replicas"]) is type(alike)


@pytest.mark.parametrize("value", [1 << 70, "\ud800", "x" * (SIZE_MAX + 1)])
def test_what_cant_be_remembered_is_filled_each_time(value: object) -> None:
    fill, asked = filler_with_count()
    assert fill({"of": value}) == fill({"of": value}) == {"of": value, "port": 80}
    assert len(asked) == 2


def test_the_memory_is_limited() -> None:
    fill, asked = filler_with_count()
    for name in range(CAPACITY + 1):
        fill({"name": name})
    fill({"name": 0})
    assert len(asked) == CAPACITY + 2
