"""What happens while a pod is being tried isn't lost."""

import pytest

from podium.scheduler.framework.cluster_events import ClusterEvent
from podium.scheduler.queue import QueueName
from podium.scheduler.queue.in_flight import InFlight, InFlightEvent
from podium.scheduler.queue.queue_events import FORCE_ACTIVATE
from tests.scheduler.queue.toys import (
    NODE_ADD,
    NODE_LABEL,
    OWN_LABEL,
    POD_DELETE,
    PROFILE,
    changed,
    hinted,
    popped,
    queue,
    rejected,
    waiting,
)


@pytest.mark.parametrize(
    ("event", "rejected_by", "place"),
    [
        (NODE_ADD, "A", QueueName.BACKOFF),
        (NODE_ADD, "B", QueueName.UNSCHEDULABLE),
        (POD_DELETE, "AB", QueueName.BACKOFF),
        (NODE_LABEL, "AB", QueueName.UNSCHEDULABLE),
    ],
)
def test_events_are_looked_at_once_more(
    event: ClusterEvent, rejected_by: str, place: QueueName
) -> None:
    q = queue()
    q.add(waiting(), PROFILE, 0.0)
    queued = popped(q, 0.0)
    assert q.event(event, None, {}, 0.0) == 0
    q.fail(queued, rejected_by, now_s=0.0)
    assert queued.place is place


def test_what_happened_before_the_attempt_is_of_no_interest() -> None:
    q = queue()
    first, second = waiting(), waiting()
    q.add(first, PROFILE, 0.0)
    q.add(second, PROFILE, 0.0)
    one = popped(q, 0.0)
    q.event(NODE_ADD, None, {}, 0.0)
    two = popped(q, 0.0)
    q.fail(two, "A", now_s=0.0)
    assert two.place is QueueName.UNSCHEDULABLE
    q.fail(one, "A", now_s=0.0)
    assert one.place is QueueName.BACKOFF


def test_the_log_is_cut_without_losing_anything() -> None:
    q = queue()
    pods = [waiting() for _ in range(40)]
    for pod in pods:
        q.add(pod, PROFILE, 0.0)
    flights = []
    for number, _ in enumerate(pods):
        flights.append(popped(q, 0.0))
        q.event(NODE_ADD if number == 20 else POD_DELETE, None, {}, 0.0)
    for number, queued in enumerate(flights):
        q.fail(queued, "A", now_s=0.0)
        assert queued.place is (QueueName.BACKOFF if number <= 20 else QueueName.UNSCHEDULABLE)


def test_each_pod_finds_all_events_since_it_was_popped_and_no_more_is_kept_than_twice_those() -> (
    None
):
    in_flight, happened = InFlight(), []
    for number in range(40):
        in_flight.begin(f"p{number}")
        happened.append(InFlightEvent(FORCE_ACTIVATE, {"number": number}, None))
        in_flight.record(happened[-1])
    for number in range(40):
        assert in_flight.end(f"p{number}") == happened[number:]
        assert in_flight.counts().total() <= 2 * (39 - number)


def test_what_a_plugin_was_waiting_for_may_have_come_meanwhile() -> None:
    q = queue()
    q.add(waiting(), PROFILE, 0.0)
    queued = popped(q, 0.0)
    q.event(POD_DELETE, None, {}, 0.0)
    q.event(NODE_ADD, None, {}, 0.0)
    q.fail(queued, "B", pending_plugins="A", now_s=0.0)
    assert queued.place is QueueName.ACTIVE


def test_an_error_is_retried_whatever_happened() -> None:
    q = queue()
    q.add(waiting(), PROFILE, 0.0)
    queued = popped(q, 0.0)
    q.fail(queued, now_s=0.0)
    assert queued.place is QueueName.BACKOFF


def test_an_event_that_leaves_a_pod_out_does_so_in_hindsight() -> None:
    q = queue()
    itself, other = waiting(), waiting()
    q.add(itself, PROFILE, 0.0)
    q.add(other, PROFILE, 0.0)
    flights = [popped(q, 0.0), popped(q, 0.0)]
    q.event(NODE_ADD, None, {}, 0.0, except_uid=itself.uid)
    for queued in flights:
        q.fail(queued, "A", now_s=0.0)
    assert [queued.place for queued in flights] == [QueueName.UNSCHEDULABLE, QueueName.BACKOFF]


def test_a_change_of_the_pod_itself() -> None:
    """It counts for this pod only, and the pod comes back as it is now."""
    q = queue({"A": hinted(OWN_LABEL)})
    pod, other = waiting(), waiting()
    q.add(pod, PROFILE, 0.0)
    q.add(other, PROFILE, 0.0)
    flights = [popped(q, 0.0), popped(q, 0.0)]
    relabelled = changed(pod, labels={"app": "new"})
    q.update(pod, relabelled, 0.0)
    assert flights[0].pod is relabelled
    for queued in flights:
        q.fail(queued, "A", now_s=0.0)
    assert [queued.place for queued in flights] == [QueueName.BACKOFF, QueueName.UNSCHEDULABLE]


@pytest.mark.parametrize("helps", [True, False])
def test_an_activation_counts_for_its_pod_only_whatever_plugins_wait_for(*, helps: bool) -> None:
    """A preemption may have come to its end before the preemptor is back in the queue."""
    q = queue({"A": hinted(NODE_ADD, by=lambda *_: helps)})
    pod, other = waiting(), waiting()
    q.add(pod, PROFILE, 0.0)
    q.add(other, PROFILE, 0.0)
    flights = [popped(q, 0.0), popped(q, 0.0)]
    q.activate([pod.uid], 0.0)
    for queued in flights:
        q.fail(queued, "A", now_s=0.0)
    assert [queued.place for queued in flights] == [QueueName.BACKOFF, QueueName.UNSCHEDULABLE]


def test_leftovers_that_are_flushed_help_pods_in_flight_too() -> None:
    """So does kube-scheduler: the event is one for all."""
    q = queue()
    rejected(q, [waiting()])
    q.add(waiting(), PROFILE, 329.0)
    queued = popped(q, 329.0)
    q.flush(330.0)
    q.fail(queued, "A", now_s=330.0)
    assert queued.place is QueueName.BACKOFF


def test_a_pod_that_was_let_go_comes_back_as_after_an_error() -> None:
    """Its binding has failed; nobody kept the events any more."""
    q = queue()
    pod = waiting()
    q.add(pod, PROFILE, 0.0)
    queued = popped(q, 0.0)
    q.done(pod.uid)
    assert (pod.uid in q, queued.place) == (False, QueueName.DONE)
    q.fail(queued, "A", now_s=0.0)
    assert q.get(pod.uid) is queued
    assert queued.place is QueueName.BACKOFF


def test_done_twice() -> None:
    q = queue()
    pod = waiting()
    q.add(pod, PROFILE, 0.0)
    q.done(pod.uid)
    assert pod.uid in q
    popped(q, 0.0)
    q.done(pod.uid)
    q.done(pod.uid)
    assert len(q) == 0


def test_a_pod_that_is_gone_does_not_come_back() -> None:
    q = queue()
    pod = waiting()
    q.add(pod, PROFILE, 0.0)
    queued = popped(q, 0.0)
    q.delete(pod.uid)
    q.fail(queued, "A", now_s=0.0)
    assert (pod.uid in q, queued.place) == (False, QueueName.DELETED)


def test_failing_twice() -> None:
    q = queue()
    q.add(waiting(), PROFILE, 0.0)
    queued = popped(q, 0.0)
    q.fail(queued, "A", now_s=0.0)
    q.fail(queued, now_s=5.0)
    assert (queued.place, queued.unschedulable_count) == (QueueName.UNSCHEDULABLE, 1)


def test_a_pod_that_came_anew_meanwhile_stays_as_it_is() -> None:
    q = queue()
    pod = waiting()
    q.add(pod, PROFILE, 0.0)
    queued = popped(q, 0.0)
    q.done(pod.uid)
    q.add(pod, PROFILE, 1.0)
    q.fail(queued, "A", now_s=2.0)
    assert q.get(pod.uid) is not queued
    assert q.place_of(pod.uid) is QueueName.ACTIVE
