"""A check with a memory says the same as the check itself, and judges equal values once."""

from typing import Any

from podium.api.errors import FieldError
from podium.apiserver import memories as module
from podium.apiserver.validation.checks import Faults, remembered


class Counting:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, value: Any, path: str) -> Faults:
        self.calls += 1
        yield FieldError(path, value, "no good")


def test_equal_values_are_judged_once() -> None:
    check = Counting()
    once = remembered(check)
    first = list(once({"a": [1]}, "spec.x"))
    second = list(once({"a": [1]}, "spec.y"))
    assert check.calls == 1
    assert (first[0].field, second[0].field) == ("spec.x", "spec.y")


def test_alike_is_not_equal() -> None:
    check = Counting()
    once = remembered(check)
    for value in (1, True, 1.0, "1", None):
        (fault,) = once(value, "x")
        assert fault.value is value
    assert check.calls == 5


def test_only_the_part_counts() -> None:
    check = Counting()
    once = remembered(check, lambda value: value["a"])
    assert list(once({"a": 1, "b": 1}, "x")) == list(once({"a": 1, "b": 2}, "x"))
    assert check.calls == 1


def test_memory_is_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "CAPACITY", 2)
    check = Counting()
    once = remembered(check)
    for value in (1, 2, 3, 1):
        list(once(value, "x"))
    assert check.calls == 4


def test_what_makes_no_key_is_judged_all_the_same() -> None:
    once = remembered(Counting())
    (fault,) = once({"a": 2**70}, "spec")
    assert fault.field == "spec"


def test_large_values_are_judged_each_time(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "SIZE_MAX", 10)
    check = Counting()
    once = remembered(check)
    for _ in range(2):
        (fault,) = once("longer than that", "x")
        assert fault.value == "longer than that"
    assert check.calls == 2
