"""Classes of pods: asking for them again, without finding them out again."""

from typing import Any

import pytest

from podium.scheduler.snapshot.pod_classes import PerClass, PodClasses
from podium.scheduler.snapshot.pod_info import pending_pod
from tests.objects import pod


def test_pods_on_nodes_are_of_the_same_class_whenever_they_are_asked_about() -> None:
    classes = PodClasses()
    pods = [pod(f"{app}-1", on="n1") for app in ("web", "db", "job", "web")]
    expected = [classes.of(obj, wants_node=False) for obj in pods]
    for first in pods:
        for second in pods:
            asked = [first, second, first, second]
            found = [classes.on_node(obj) for obj in asked]
            assert found == [expected[pods.index(obj)] for obj in asked]
    assert expected[0] is expected[3]
    assert len(classes) == 3


@pytest.mark.parametrize(
    ("newer", "is_another"),
    [
        (pod("web-1", on="n1", status={"phase": "Running"}), False),
        (pod("web-1", on="n1", app="db", status={}), True),
        (pod("web-1", on="n1", nodeSelector={"disk": "ssd"}, status={}), True),
        (pod("web-1", on="n1", metadata={"deletionTimestamp": "2026-01-01"}, status={}), True),
    ],
)
def test_a_pod_in_a_newer_state_is_of_the_class_that_it_would_be_found_to_be(
    newer: dict[str, Any], is_another: bool
) -> None:
    classes, old = PodClasses(), pod("web-1", on="n1", status={})
    cls = classes.of(old, wants_node=False)
    renewed = classes.renewed(cls, old, newer, wants_node=False)
    assert renewed is classes.of(newer, wants_node=False)
    assert (renewed is not cls) == is_another


def test_classes_that_nobody_holds_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.scheduler.snapshot.pod_classes.CROWD_MIN", 10)
    classes = PodClasses()
    made = PerClass(classes, lambda cls: cls.priority + 1)
    held = [pending_pod(prioritised(number), classes) for number in range(12)][6:]
    assert classes.is_crowded
    assert [made.of(pod.cls) for pod in held] == [*range(7, 13)]
    classes.forget()
    assert [pod.cls.id for pod in held] == [*range(6)]
    assert [*classes] == [pod.cls for pod in held]
    assert classes.priorities().tolist() == [*range(6, 12), 0]
    assert classes.peer_group_ids().tolist() == [0] * 6 + [-1]
    assert [made.of(pod.cls) for pod in held] == [*range(7, 13)]
    assert pending_pod(prioritised(7), classes).cls is held[1].cls
    assert pending_pod(prioritised(0), classes).cls.id == 6
    assert not classes.is_crowded


def prioritised(number: int) -> dict[str, Any]:
    return {"metadata": {"name": "p"}, "spec": {"priority": number}}
