"""Updates, deletions, activations, and pods that nothing helps."""

from podium.scheduler.framework.cluster_events import Action, ClusterEvent, EventResource
from podium.scheduler.queue import QueueName
from tests.scheduler.queue.toys import (
    NODE_ADD,
    OWN_LABEL,
    PROFILE,
    Gate,
    changed,
    hinted,
    popped,
    queue,
    rejected,
    waiting,
)


def test_deleting_from_anywhere() -> None:
    gated = waiting()
    q = queue(gates=[Gate(closed_to=[gated.uid])])
    [in_backoff] = rejected(q, [waiting()])
    q.event(NODE_ADD, None, {}, 0.0)
    [unschedulable] = rejected(q, [waiting(priority=1)])
    q.add(gated, PROFILE, 0.0)
    q.add(waiting(priority=1), PROFILE, 0.0)
    in_flight = popped(q, 0.0)
    active = waiting()
    q.add(active, PROFILE, 0.0)
    assert list(q.counts().values()) == [1] * 5
    for uid in (active.uid, in_backoff.uid, unschedulable.uid, gated.uid, in_flight.uid):
        q.delete(uid)
        q.delete(uid)
        assert q.place_of(uid) is None
    assert list(q.counts().values()) == [0] * 5
    assert (len(q), list(q), q.next_wakeup_s()) == (0, [], None)


def test_what_is_not_in_the_queue_is_not_touched() -> None:
    q = queue()
    pod = waiting()
    q.update(pod, changed(pod, labels={"app": "b"}), 0.0)
    q.activate([pod.uid], 0.0)
    q.delete(pod.uid)
    assert len(q) == 0


def test_activating() -> None:
    q = queue()
    [in_backoff] = rejected(q, [waiting()])
    q.event(NODE_ADD, None, {}, 0.0)
    [unschedulable] = rejected(q, [waiting(priority=1)])
    active = waiting()
    q.add(active, PROFILE, 0.0)
    q.activate([in_backoff.uid, unschedulable.uid, active.uid, "unknown"], 0.0)
    assert q.counts()[QueueName.ACTIVE] == 3
    assert q.incoming["active", "ForceActivate"] == 2


def test_an_update_that_may_help_brings_a_pod_back() -> None:
    q = queue({"A": hinted(OWN_LABEL, by=lambda pod, old, new: pod.cls.labels["app"] == "good")})
    [queued] = rejected(q, [waiting("bad")])
    worse, good = changed(queued.pod, {"app": "worse"}), changed(queued.pod, {"app": "good"})
    q.update(queued.pod, worse, 50.0)
    assert (queued.place, queued.pod) == (QueueName.UNSCHEDULABLE, worse)
    q.update(worse, good, 60.0)
    assert (queued.place, queued.pod) == (QueueName.ACTIVE, good)


def test_an_update_of_several_kinds_goes_through_them_until_one_helps() -> None:
    scaled_down = ClusterEvent(EventResource.UNSCHEDULED_POD, Action.UPDATE_POD_SCALE_DOWN)
    q = queue({"A": hinted(scaled_down)})
    [queued] = rejected(q, [waiting()])
    smaller = changed(queued.pod, {"app": "small"}, containers=[{"name": "c", "image": "i"}])
    q.update(queued.pod, smaller, 50.0)
    assert q.incoming["active", "UnschedulablePodUpdatePodScaleDown"] == 1


def test_after_an_update_a_pod_waits_with_its_new_class() -> None:
    q = queue({"A": hinted(NODE_ADD, by=lambda pod, old, new: pod.cls.labels["app"] == "new")})
    one, two = rejected(q, [waiting("old"), waiting("old")])
    q.update(one.pod, changed(one.pod, {"app": "new"}), 1.0)
    assert q.event(NODE_ADD, None, {}, 50.0) == 1
    assert (one.place, two.place) == (QueueName.ACTIVE, QueueName.UNSCHEDULABLE)


def test_leftovers_are_tried_after_five_minutes_at_a_whole_half_minute() -> None:
    q = queue({"A": ()})
    [queued] = rejected(q, [waiting()], at_s=1000.0)
    assert q.next_wakeup_s() == 1320.0
    q.flush(1319.9)
    assert queued.place is QueueName.UNSCHEDULABLE
    q.flush(1320.0)
    assert queued.place is QueueName.ACTIVE
    assert q.incoming["active", "UnschedulableTimeout"] == 1


def test_five_minutes_have_to_be_over() -> None:
    q = queue({"A": ()})
    [queued] = rejected(q, [waiting()], at_s=900.0)
    assert q.next_wakeup_s() == 1230.0
    q.flush(1200.0)
    assert queued.place is QueueName.UNSCHEDULABLE


def test_how_long_leftovers_wait_is_an_option() -> None:
    q = queue({"A": ()}, max_in_unschedulable_s=10)
    rejected(q, [waiting()], at_s=900.0)
    assert q.next_wakeup_s() == 930.0


def test_gated_pods_are_asked_again_as_seldom() -> None:
    pod = waiting()
    gate = Gate(closed_to=[pod.uid])
    q = queue({"Gate": ()}, [gate])
    q.add(pod, PROFILE, 1000.0)
    q.flush(1320.0)
    assert (q.place_of(pod.uid), len(gate.asked)) == (QueueName.GATED, 2)
    assert q.next_wakeup_s() == 1650.0
    gate.closed_to = set()
    q.flush(1649.0)
    assert len(gate.asked) == 2
    q.flush(1650.0)
    assert q.place_of(pod.uid) is QueueName.ACTIVE


def test_a_pod_that_waits_for_both_wakes_up_for_the_first() -> None:
    q = queue()
    rejected(q, [waiting()], at_s=0.0)
    q.event(NODE_ADD, None, {}, 0.0)
    rejected(q, [waiting(priority=1)], at_s=0.0)
    assert q.next_wakeup_s() == 2.0
    q.flush(2.0)
    assert q.next_wakeup_s() == 330.0


def test_everything_can_be_looked_at() -> None:
    q = queue()
    [queued] = rejected(q, [waiting()])
    q.add(waiting(), PROFILE, 1.0)
    assert {each.place for each in q} == {QueueName.UNSCHEDULABLE, QueueName.ACTIVE}
    assert (queued.attempts, queued.added_at_s, queued.initial_attempt_s) == (1, 0.0, 0.0)
