"""Priorities by example; the wording is held to recorded answers elsewhere."""

from typing import Any

import pytest

from podium.apiserver.admission.priority import PriorityAdmission
from podium.apiserver.refusal import Refusal

Obj = dict[str, Any]


def priority_class(name: str, value: int, **fields: Any) -> Obj:
    return {"metadata": {"name": name}, "value": value, **fields}


def resolve(classes: list[Obj], **spec: Any) -> Any:
    pod = {"metadata": {"name": "p"}, "spec": spec}
    answer = PriorityAdmission(classes).admit(pod)
    return answer if isinstance(answer, Refusal) else answer["spec"]


PREEMPTING = "PreemptLowerPriority"


@pytest.mark.parametrize(
    ("classes", "spec", "expected"),
    [
        ([], {}, (None, 0, PREEMPTING)),
        ([priority_class("a", 7)], {}, (None, 0, PREEMPTING)),
        ([priority_class("a", 7)], {"priorityClassName": "a"}, ("a", 7, PREEMPTING)),
        (
            [priority_class("a", 7, preemptionPolicy="Never")],
            {"priorityClassName": "a", "preemptionPolicy": "Never", "priority": 7},
            ("a", 7, "Never"),
        ),
        ([priority_class("a", -3, globalDefault=True)], {}, ("a", -3, PREEMPTING)),
        (
            [
                priority_class("a", 7, globalDefault=True),
                priority_class("b", 5, globalDefault=True),
            ],
            {},
            ("b", 5, PREEMPTING),
        ),
        (
            [],
            {"priorityClassName": "system-node-critical"},
            ("system-node-critical", 2_000_001_000, PREEMPTING),
        ),
    ],
)
def test_resolution(classes: list[Obj], spec: Obj, expected: tuple[Any, ...]) -> None:
    found = resolve(classes, **spec)
    fields = ("priorityClassName", "priority", "preemptionPolicy")
    assert tuple(found.get(field) for field in fields) == expected


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"priorityClassName": "nope"}, "no PriorityClass with name nope was found"),
        ({"priority": 1}, "the integer value of priority (1) must not be provided"),
        ({"priorityClassName": "a", "priority": 0}, "computed 7 from"),
        ({"preemptionPolicy": "Never"}, "computed PreemptLowerPriority from"),
    ],
)
def test_refusal(spec: Obj, text: str) -> None:
    refusal = resolve([priority_class("a", 7)], **spec)
    assert isinstance(refusal, Refusal)
    assert refusal.message.startswith('pods "p" is forbidden: ')
    assert text in refusal.message


def test_a_resolved_pod_comes_back_as_it_is() -> None:
    admission = PriorityAdmission([])
    pod = admission.admit({"metadata": {"name": "p"}, "spec": {}})
    assert not isinstance(pod, Refusal)
    assert admission.admit(pod) is pod


def test_several_defaults_are_noted() -> None:
    one = priority_class("a", 7, globalDefault=True)
    assert PriorityAdmission([one]).notes == []
    (note,) = PriorityAdmission([one, priority_class("b", 5, globalDefault=True)]).notes
    assert "(a, b); b, the lowest" in note


def test_the_default_class_may_be_applied_again() -> None:
    one = priority_class("a", 7, globalDefault=True)
    assert PriorityAdmission([one]).admit_class(one) is one
    assert isinstance(
        PriorityAdmission([one]).admit_class({**one, "metadata": {"name": "b"}}), Refusal
    )
