"""Tolerations that pods get."""

from typing import Any

import pytest

from podium.apiserver.admission.pod_plugins import (
    NOT_READY,
    UNREACHABLE,
    add_default_tolerations,
)
from tests.apiserver.admission.shelf import Door, pod

Obj = dict[str, Any]


def keys(pod: Any) -> list[tuple[str, int | None]]:
    found = pod["spec"].get("tolerations", [])
    return [(t.get("key", ""), t.get("tolerationSeconds")) for t in found]


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
    assert keys(add_default_tolerations({"spec": {"tolerations": given}})) == expected


def test_a_pod_that_needs_none_comes_back_as_it_is() -> None:
    pod = {"spec": {"tolerations": [{"operator": "Exists"}]}}
    assert add_default_tolerations(pod) is pod


def test_the_seconds_can_be_set() -> None:
    door = Door(not_ready_toleration_s=1, unreachable_toleration_s=2)
    assert keys(door.admit(pod())) == [(NOT_READY, 1), (UNREACHABLE, 2)]


def test_a_toleration_that_an_update_removes_comes_back() -> None:
    door = Door()
    old = door.admit(pod())
    update = pod(**{**old["spec"], "tolerations": old["spec"]["tolerations"][1:]})
    assert keys(door.admit(update, old=old)) == [(UNREACHABLE, 300), (NOT_READY, 300)]
