"""What happens while a pod is being tried isn't lost."""

from podium.scheduler.queue.in_flight import InFlight, InFlightEvent
from podium.scheduler.queue.queue_events import FORCE_ACTIVATE
from podium.scheduler.queue.queued_pod import QueueName
from tests.scheduler.queue.toys import PROFILE, popped, queue, rejected, waiting


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
    assert [*q] == [queued]
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
    assert queued not in [*q]
    assert q.place_of(pod.uid) is QueueName.ACTIVE
