"""Tolerations that pods get, and how two lists become one."""

from typing import Any

import pytest

from podium.api.refused import RefusedError
from podium.apiserver.admission.toleration_restriction import (
    ALLOWED_TOLERATIONS,
    DEFAULT_TOLERATIONS,
    MEMORY_PRESSURE,
    merge_tolerations,
)
from podium.apiserver.admission.tolerations import (
    NOT_READY,
    UNREACHABLE,
    add_default_tolerations,
)
from tests.apiserver.admission.shelf import Door, container, namespace, pod

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


RESTRICTED = {"enabled": frozenset({"PodTolerationRestriction"})}


def test_memory_pressure_is_tolerated_on_demand() -> None:
    burstable = pod(containers=[container({"cpu": 1})])
    assert (MEMORY_PRESSURE, None) not in keys(Door().admit(burstable))
    assert (MEMORY_PRESSURE, None) in keys(Door(**RESTRICTED).admit(burstable))
    assert (MEMORY_PRESSURE, None) not in keys(Door(**RESTRICTED).admit(pod()))


def annotated(**annotations: str) -> Obj:
    return namespace(metadata={"annotations": annotations})


def test_a_namespace_may_have_tolerations_of_its_own() -> None:
    given = annotated(**{DEFAULT_TOLERATIONS: '[{"key": "k", "operator": "Exists"}]'})
    assert ("k", None) in keys(Door(given, **RESTRICTED).admit(pod()))
    assert ("k", None) not in keys(Door(given).admit(pod()))


def test_a_namespace_may_limit_tolerations() -> None:
    given = annotated(**{ALLOWED_TOLERATIONS: '[{"operator": "Exists", "effect": "NoExecute"}]'})
    door = Door(given, **RESTRICTED)
    assert door.admit(pod())
    with pytest.raises(RefusedError, match="conflict with its namespace whitelist"):
        door.admit(pod(tolerations=[{"key": "k", "operator": "Exists"}]))


def test_an_annotation_that_is_no_list_is_a_fault_of_the_server() -> None:
    door = Door(annotated(**{DEFAULT_TOLERATIONS: "{"}), **RESTRICTED)
    with pytest.raises(RefusedError) as refused:
        door.admit(pod())
    assert refused.value.code == 500


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
