"""Runtime classes by example."""

from typing import Any

import pytest

from podium.apiserver.admission.runtime_class import RuntimeClassAdmission
from podium.apiserver.refusal import Refusal

Obj = dict[str, Any]

KATA = {
    "metadata": {"name": "kata"},
    "overhead": {"podFixed": {"cpu": "250m"}},
    "scheduling": {
        "nodeSelector": {"kata": "yes"},
        "tolerations": [{"key": "kata", "operator": "Exists"}],
    },
}
BARE = {"metadata": {"name": "bare"}}
ADMISSION = RuntimeClassAdmission([KATA, BARE])


def admit(**spec: Any) -> Any:
    return ADMISSION.admit({"metadata": {"name": "p"}, "spec": spec})


def test_a_pod_gets_what_its_class_says() -> None:
    pod = admit(runtimeClassName="kata", nodeSelector={"a": "b"}, tolerations=[{"key": "k"}])
    assert pod["spec"] == {
        "runtimeClassName": "kata",
        "overhead": {"cpu": "250m"},
        "nodeSelector": {"a": "b", "kata": "yes"},
        "tolerations": [{"key": "k"}, {"key": "kata", "operator": "Exists"}],
    }


def test_an_equal_amount_written_otherwise_is_no_contradiction() -> None:
    assert not isinstance(admit(runtimeClassName="kata", overhead={"cpu": "0.25"}), Refusal)


@pytest.mark.parametrize("spec", [{}, {"runtimeClassName": "bare"}])
def test_nothing_to_do(spec: Obj) -> None:
    pod = {"metadata": {"name": "p"}, "spec": spec}
    assert ADMISSION.admit(pod) is pod


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
    refusal = admit(**spec)
    assert isinstance(refusal, Refusal)
    assert text in refusal.message
