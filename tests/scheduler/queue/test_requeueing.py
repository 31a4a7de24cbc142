"""What an event does to pods that wait for one."""

from typing import Any

import pytest

from podium.api.objects import Object
from podium.scheduler.framework.cluster_events import Action, ClusterEvent, EventResource
from podium.scheduler.framework.interface import CycleError
from podium.scheduler.queue.hints import QueueProfile
from podium.scheduler.queue.queued_pod import QueueName
from podium.scheduler.queue.scheduling_queue import SchedulingQueue
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.scheduler.queue.toys import (
    NODE_ADD,
    NODE_LABEL,
    POD_DELETE,
    Sort,
    hinted,
    popped,
    queue,
    rejected,
    waiting,
)

LATER_S = 100.0


def place_after(event: ClusterEvent, rejected_by: str, **options: Any) -> QueueName:
    q = queue(**options)
    [queued] = rejected(q, [waiting()], by=rejected_by)
    q.event(event, None, {}, LATER_S)
    return queued.place


@pytest.mark.parametrize(
    ("registered", "happened", "helps"),
    [
        (Action.UPDATE, Action.UPDATE_POD_LABEL, True),
        (Action.UPDATE, Action.UPDATE_OTHER, True),
        (Action.UPDATE, Action.UPDATE, True),
        (Action.UPDATE_POD_LABEL, Action.UPDATE_OTHER, False),
        (Action.UPDATE_POD_LABEL, Action.UPDATE, False),
        (Action.UPDATE_POD_LABEL, Action.UPDATE_POD_SCALE_DOWN | Action.UPDATE_POD_LABEL, True),
        (Action.ADD | Action.DELETE, Action.DELETE, True),
        (Action.ADD | Action.DELETE, Action.UPDATE, False),
    ],
)
def test_kinds_of_updates(registered: Action, happened: Action, helps: bool) -> None:
    """A general update isn't one of the particular kinds, but the other way round."""
    resource = EventResource.ASSIGNED_POD
    hints = {"A": hinted(ClusterEvent(resource, registered))}
    place = place_after(ClusterEvent(resource, happened), "A", hints=hints)
    assert (place is QueueName.ACTIVE) == helps


def test_a_plugin_that_registered_nothing_stays_with_what_others_registered() -> None:
    """It isn't known to anybody, so only what somebody cares about reaches its pods."""
    assert place_after(NODE_ADD, "X") is QueueName.ACTIVE
    assert place_after(NODE_LABEL, "X") is QueueName.UNSCHEDULABLE


def test_a_plugin_that_registered_for_nothing_is_helped_by_nothing() -> None:
    assert place_after(NODE_ADD, "A", hints={"A": ()}) is QueueName.UNSCHEDULABLE


def test_an_event_for_all_helps_whoever_was_rejected() -> None:
    everything = ClusterEvent(EventResource.WILDCARD, Action.ALL)
    assert place_after(everything, "A", hints={"A": ()}) is QueueName.ACTIVE


class Closely:
    """A hint that says yes to pods of one app, and counts how often it is asked."""

    def __init__(self, app: str) -> None:
        self.app = app
        self.asked = 0

    def __call__(self, pod: PodInfo, old: Object | None, new: Object | None) -> bool:
        self.asked += 1
        assert (old, new) == ({"was": 1}, {"is": 2})
        return pod.cls.labels["app"] == self.app


def test_a_hint_is_asked_once_for_all_pods_of_a_class() -> None:
    hint = Closely("web")
    q = queue({"A": hinted(NODE_LABEL, by=hint)})
    web = rejected(q, [waiting("web") for _ in range(50)])
    db = rejected(q, [waiting("db") for _ in range(50)])
    assert q.event(NODE_LABEL, {"was": 1}, {"is": 2}, LATER_S) == 50
    assert hint.asked == 2
    assert {queued.place for queued in web} == {QueueName.ACTIVE}
    assert {queued.place for queued in db} == {QueueName.UNSCHEDULABLE}


def test_a_plugin_that_can_not_tell_lets_the_pod_be_tried() -> None:
    def broken(pod: PodInfo, old: Object | None, new: Object | None) -> bool:
        raise CycleError("A", "no such claim")

    assert place_after(NODE_ADD, "A", hints={"A": hinted(NODE_ADD, by=broken)}) is QueueName.ACTIVE


def test_pods_can_be_left_out() -> None:
    q = queue()
    low, high = waiting(priority=1), waiting(priority=2)
    rejected(q, [low, high])
    assert q.event(NODE_ADD, None, {}, LATER_S, among=lambda pod: pod.priority <= 1) == 1
    assert q.place_of(high.uid) is QueueName.UNSCHEDULABLE


def test_several_actions_move_a_pod_once() -> None:
    q = queue({"A": hinted(NODE_ADD, NODE_LABEL)})
    rejected(q, [waiting()])
    both = ClusterEvent(EventResource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)
    assert q.event(both, None, {}, LATER_S) == 1
    assert q.incoming["active", "NodeAdd"] == 1


@pytest.mark.parametrize(
    ("event", "label"),
    [
        (NODE_LABEL, "NodeUpdateNodeLabel"),
        (POD_DELETE, "AssignedPodDelete"),
        (ClusterEvent(EventResource.PERSISTENT_VOLUME, Action.UPDATE), "PersistentVolumeUpdate"),
        (ClusterEvent(EventResource.CSI_NODE, Action.ADD), "storage.k8s.io/CSINodeAdd"),
    ],
)
def test_labels_of_metrics(event: ClusterEvent, label: str) -> None:
    q = queue({"A": hinted(event)})
    rejected(q, [waiting()])
    q.event(event, {}, {}, 0.0)
    assert q.incoming == {
        ("active", "UnschedulablePodAdd"): 1,
        ("unschedulable", "ScheduleAttemptFailure"): 1,
        ("backoff", label): 1,
    }


def test_profiles_have_hints_of_their_own() -> None:
    profiles = {
        "one": QueueProfile(Sort(), (), {"A": hinted(NODE_ADD)}),
        "two": QueueProfile(Sort(), (), {"A": hinted(NODE_LABEL)}),
    }
    q = SchedulingQueue(profiles)
    pods = {name: waiting() for name in profiles}
    for name, pod in pods.items():
        q.add(pod, name, 0.0)
        q.fail(popped(q, 0.0), "A", now_s=0.0)
    q.event(NODE_LABEL, {}, {}, LATER_S)
    assert q.place_of(pods["one"].uid) is QueueName.UNSCHEDULABLE
    assert q.place_of(pods["two"].uid) is QueueName.ACTIVE


def test_pods_that_wait_for_an_event_are_known_with_when_they_are_tried_without_one() -> None:
    q = queue()
    (first,) = rejected(q, [waiting()], by="A")
    assert [(one, tried_s) for one, tried_s in q.waiting_for_events()] == [(first, 330.0)]
    assert not first.has_overslept
    q.event(NODE_ADD, None, {}, LATER_S)
    assert [*q.waiting_for_events()] == []
    assert not first.has_overslept


def test_who_is_brought_back_by_the_flush_has_overslept_until_an_event_wakes_it() -> None:
    q = queue()
    (first,) = rejected(q, [waiting()], by="A")
    q.flush(330.0)
    assert first.place is QueueName.ACTIVE
    assert first.has_overslept
    q.fail(popped(q, 330.0), ["A"], now_s=330.0)
    q.event(NODE_ADD, None, {}, 400.0)
    assert not first.has_overslept
