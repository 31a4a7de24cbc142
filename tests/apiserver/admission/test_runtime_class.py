"""Runtime classes by example."""

from typing import Any

import pytest

from podium.api.refused import RefusedError
from podium.apiserver.admission.runtime_class import complete
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
