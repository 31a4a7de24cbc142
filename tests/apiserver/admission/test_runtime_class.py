"""Runtime classes by example."""

from typing import Any

import pytest

from podium.api.refused import RefusedError
from podium.apiserver.admission.runtime_class import complete, merge_tolerations
from tests.apiserver.admission.shelf import Door, pod, stored

Obj = dict[str, Any]

KATA = stored(
    "RuntimeClass",
    "kata",
    overhead={"podFixed": {"cpu": "250m"}},
    scheduling={
        "nodeSelector": {"kata": "yes"},
        "tolerations": [{"key": "kata", "operator": "Exists"}],
    },
)
BARE = stored("RuntimeClass", "bare")
DOOR = Door(KATA, BARE)


def admit(**spec: Any) -> Any:
    return DOOR.admit(pod(**spec))


def test_a_pod_gets_what_its_class_says() -> None:
    given = pod(runtimeClassName="kata", nodeSelector={"a": "b"}, tolerations=[{"key": "k"}])
    assert complete(given, KATA)["spec"] == {
        "runtimeClassName": "kata",
        "overhead": {"cpu": "250m"},
        "nodeSelector": {"a": "b", "kata": "yes"},
        "tolerations": [{"key": "k"}, {"key": "kata", "operator": "Exists"}],
    }


def test_the_class_is_the_one_that_the_pod_names() -> None:
    assert admit(runtimeClassName="kata")["spec"]["overhead"] == {"cpu": "250m"}
    assert "overhead" not in admit(runtimeClassName="bare")["spec"]


def test_an_equal_amount_written_otherwise_is_no_contradiction() -> None:
    assert admit(runtimeClassName="kata", overhead={"cpu": "0.25"})["spec"]["overhead"]


@pytest.mark.parametrize(("spec", "chosen"), [({}, {}), ({"runtimeClassName": "bare"}, BARE)])
def test_nothing_to_do(spec: Obj, chosen: Obj) -> None:
    given = pod(**spec)
    assert complete(given, chosen) is given


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"runtimeClassName": "nope"}, 'pod rejected: RuntimeClass "nope" not found'),
        ({"runtimeClassName": "kata", "overhead": {"cpu": "1"}}, "doesn't match RuntimeClass's"),
        ({"overhead": {"cpu": "1"}}, "set without corresponding RuntimeClass"),
        ({"runtimeClassName": "bare", "overhead": {"cpu": "1"}}, "set without corresponding"),
        (
            {"runtimeClassName": "kata", "nodeSelector": {"kata": "no"}},
            "conflict: runtimeClass.scheduling.nodeSelector[kata] = yes; "
            "pod.spec.nodeSelector[kata] = no",
        ),
    ],
)
def test_refusal(spec: Obj, text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        admit(**spec)
    assert text in refused.value.message


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
def test_merging_tolerations(first: list[Obj], second: list[Obj], merged: list[Obj]) -> None:
    assert merge_tolerations(first, second) == merged
