"""Priorities by example; the wording is held to recorded answers elsewhere."""

from typing import Any

import pytest

from podium.api.refused import RefusedError
from podium.apiserver.admission.priority import PriorityClasses
from podium.apiserver.attributes import Operation
from tests.apiserver.admission.shelf import Door, pod, stored

Obj = dict[str, Any]


def priority_class(name: str, value: int, **fields: Any) -> Obj:
    return stored("PriorityClass", name, value=value, **fields)


def resolve(classes: list[Obj], **spec: Any) -> Any:
    return PriorityClasses(classes).resolve({"metadata": {"name": "p"}, "spec": spec})["spec"]


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
    with pytest.raises(RefusedError) as refused:
        resolve([priority_class("a", 7)], **spec)
    assert refused.value.code == 403
    assert refused.value.message.startswith('pods "p" is forbidden: ')
    assert text in refused.value.message


def test_a_resolved_pod_comes_back_as_it_is() -> None:
    classes = PriorityClasses([])
    resolved = classes.resolve({"metadata": {"name": "p"}, "spec": {}})
    assert classes.resolve(resolved) is resolved


def test_the_default_class_may_be_applied_again() -> None:
    one = priority_class("a", 7, globalDefault=True)
    classes = PriorityClasses([one])
    classes.check(one)
    with pytest.raises(RefusedError, match="a is already marked as default"):
        classes.check(priority_class("b", 7, globalDefault=True))


def test_classes_are_looked_up_as_they_are_now() -> None:
    door = Door()
    assert door.admit(pod())["spec"]["priority"] == 0
    door.shelf.put(priority_class("a", 42, globalDefault=True))
    after = door.admit(pod())
    assert (after["spec"]["priorityClassName"], after["spec"]["priority"]) == ("a", 42)
    door.shelf.remove("PriorityClass", "a")
    assert door.admit(after, old=after) is after
    with pytest.raises(RefusedError, match="no PriorityClass with name a was found"):
        door.admit(pod(priorityClassName="a"))


def test_an_update_that_leaves_the_priority_out_keeps_it() -> None:
    door = Door(priority_class("a", 42))
    old = door.admit(pod(priorityClassName="a"))
    update = pod(priorityClassName="a", tolerations=old["spec"]["tolerations"])
    assert door.admit(update, old=old)["spec"] == old["spec"]


@pytest.mark.parametrize("name", ["system-node-critical", "system-cluster-critical"])
def test_system_classes_stay(name: str) -> None:
    with pytest.raises(RefusedError) as refused:
        Door().ask(priority_class(name, 1), operation=Operation.DELETE, name=name)
    assert refused.value.message == (
        f'priorityclasses.scheduling.k8s.io "{name}" is forbidden: '
        "this is a system priority class and cannot be deleted"
    )


def test_other_classes_go() -> None:
    Door().ask(priority_class("a", 1), operation=Operation.DELETE, name="a")
