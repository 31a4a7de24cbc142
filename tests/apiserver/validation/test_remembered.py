"""A check with a memory finds the faults of the check itself, and runs once for equal values."""

from typing import Any

from podium.api.errors import FieldError
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


def test_only_the_part_counts() -> None:
    check = Counting()
    once = remembered(check, lambda value: value["a"])
    assert list(once({"a": 1, "b": 1}, "x")) == list(once({"a": 1, "b": 2}, "x"))
    assert check.calls == 1


def test_what_makes_no_key_is_judged_all_the_same() -> None:
    once = remembered(Counting())
    (fault,) = once({"a": 2**70}, "spec")
    assert fault.field == "spec"
