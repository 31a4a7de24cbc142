"""Tolerations that pods get, and how two lists become one."""

from typing import Any

import pytest

from podium.apiserver.admission.tolerations import (
    MEMORY_PRESSURE,
    NOT_READY,
    UNREACHABLE,
    add_default_tolerations,
    merge_tolerations,
)

Obj = dict[str, Any]


def keys(pod: Obj, **options: Any) -> list[tuple[str, int | None]]:
    spec = add_default_tolerations(pod, **options)["spec"]
    return [(t.get("key", ""), t.get("tolerationSeconds")) for t in spec.get("tolerations", [])]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], [(NOT_READY, 300), (UNREACHABLE, 300)]),
        ([{"key": NOT_READY, "operator": "Exists"}], [(NOT_READY, None), (UNREACHABLE, 300)]),
        ([{"operator": "Exists"}], [("", None)]),
        (
            [{"key": NOT_READY, "operator": "Exists", "effect": "NoSchedule"}],
            [(NOT_READY, None), (NOT_READY, 300), (UNREACHABLE, 300)],
        ),
    ],
)
def test_defaults(given: list[Obj], expected: list[tuple[str, int | None]]) -> None:
    assert keys({"spec": {"tolerations": given}}) == expected


def test_a_pod_that_needs_none_comes_back_as_it_is() -> None:
    pod = {"spec": {"tolerations": [{"operator": "Exists"}]}}
    assert add_default_tolerations(pod) is pod


def test_memory_pressure_is_tolerated_on_demand() -> None:
    burstable = {"spec": {"containers": [{"resources": {"requests": {"cpu": 1}}}]}}
    assert (MEMORY_PRESSURE, None) not in keys(burstable)
    assert (MEMORY_PRESSURE, None) in keys(burstable, memory_pressure=True)
    assert (MEMORY_PRESSURE, None) not in keys({"spec": {}}, memory_pressure=True)


EXISTS = {"key": "k", "operator": "Exists"}
EQUAL = {"key": "k", "operator": "Equal", "value": "v"}
BRIEF = {**EXISTS, "effect": "NoExecute", "tolerationSeconds": 5}
LONG = {**EXISTS, "effect": "NoExecute", "tolerationSeconds": 50}


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ([EXISTS], [EXISTS], [EXISTS]),
        ([EQUAL], [EXISTS], [EXISTS]),
        ([EXISTS], [EQUAL], [EXISTS]),
        ([EQUAL], [{**EQUAL, "value": "w"}], [EQUAL, {**EQUAL, "value": "w"}]),
        ([EXISTS], [{"operator": "Exists"}], [{"operator": "Exists"}]),
        ([EXISTS], [{**EXISTS, "key": "l"}], [EXISTS, {**EXISTS, "key": "l"}]),
        ([{**EXISTS, "effect": "NoSchedule"}], [EXISTS], [EXISTS]),
        ([BRIEF], [LONG], [LONG]),
        ([LONG], [BRIEF], [LONG]),
        ([EXISTS], [LONG], [EXISTS]),
        ([{"key": "k", "value": "v"}], [EQUAL], [{"key": "k", "value": "v"}]),
    ],
)
def test_merging(first: list[Obj], second: list[Obj], merged: list[Obj]) -> None:
    assert merge_tolerations(first, second) == merged
