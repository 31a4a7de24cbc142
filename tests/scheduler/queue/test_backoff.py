"""How long a pod is kept back after failures, and when it may be popped all the same."""

import pytest

from podium.scheduler.queue.queued_pod import QueueName
from podium.scheduler.queue.scheduling_queue import SchedulingQueue
from tests.scheduler.queue.toys import NODE_ADD, PROFILE, popped, queue, rejected, waiting

HOUR_S = 3600.0


def after_failures(q: SchedulingQueue, *plugins: str, times: int, start_s: float) -> str:
    """A pod that has failed so often, an hour apart, the last time at `start_s`."""
    pod = waiting()
    q.add(pod, PROFILE, start_s - HOUR_S * times)
    for failure in range(times - 1, -1, -1):
        now_s = start_s - HOUR_S * failure
        q.activate([pod.uid], now_s)
        q.fail(popped(q, now_s), plugins, now_s=now_s)
    return pod.uid


@pytest.mark.parametrize(
    ("times", "backoff_s"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10), (2000, 10)]
)
def test_it_doubles_up_to_a_limit(times: int, backoff_s: int) -> None:
    q = queue()
    uid = after_failures(q, "A", times=times, start_s=1e7)
    q.event(NODE_ADD, None, {}, 1e7)
    assert q.place_of(uid) is QueueName.BACKOFF
    assert q.next_wakeup_s() == 1e7 + backoff_s + 1


def test_limits_are_options() -> None:
    q = queue(initial_backoff_s=3, max_backoff_s=5)
    for times, backoff_s in [(1, 3), (2, 5)]:
        uid = after_failures(q, "A", times=times, start_s=1e6)
        q.event(NODE_ADD, None, {}, 1e6)
        assert q.next_wakeup_s() == 1e6 + backoff_s + 1
        q.delete(uid)


def test_a_backoff_ends_with_the_second_after_it() -> None:
    """Failed at 0.3, backing off until 1.3: that is all of the second that begins at 1."""
    q = queue()
    [queued] = rejected(q, [waiting()], at_s=0.3)
    q.event(NODE_ADD, None, {}, 0.5)
    assert queued.backoff_until_s == 1.0
    assert q.next_wakeup_s() == 2.0
    q.flush(1.999)
    assert queued.place is QueueName.BACKOFF
    q.flush(2.0)
    assert queued.place is QueueName.ACTIVE
    assert q.incoming["active", "BackoffComplete"] == 1


def test_a_maximum_of_zero_turns_it_off() -> None:
    q = queue(max_backoff_s=0)
    q.add(waiting(), PROFILE, 0.0)
    q.fail(popped(q, 0.0), now_s=0.0)
    assert q.counts()[QueueName.ACTIVE] == 1


def test_without_early_pops_times_are_not_rounded() -> None:
    q = queue(pop_from_backoff=False)
    [queued] = rejected(q, [waiting()], at_s=0.3)
    q.event(NODE_ADD, None, {}, 0.5)
    assert queued.backoff_until_s == 1.3
    assert (q.has_next(), q.pop(1.9)) == (False, None)
    assert q.next_wakeup_s() == 2.0
    assert popped(q, 2.0) is queued


def test_the_way_to_the_active_queue_does_not_depend_on_who_calls_when() -> None:
    """`pop` does what `flush` has left to do."""
    q = queue()
    [queued] = rejected(q, [waiting(priority=1)])
    q.event(NODE_ADD, None, {}, 0.0)
    q.add(waiting(), PROFILE, 0.0)
    assert popped(q, 7.5) is queued
    assert q.incoming["active", "BackoffComplete"] == 1


@pytest.mark.parametrize(
    ("waited_s", "next_backoff_s"), [(0, 2), (0.9, 2), (1, 4), (2.9, 4), (3, 8), (7, 10), (1e6, 10)]
)
def test_a_pod_that_was_rejected_before_has_backed_off_as_often_as_it_had_time_to(
    waited_s: float, next_backoff_s: float
) -> None:
    q = queue()
    pod = waiting()
    q.add(pod, PROFILE, 1e6, rejected_since_s=1e6 - waited_s)
    queued = popped(q, 1e6)
    q.fail(queued, ["A"], now_s=1e6)
    # It only said again who rejects it: an event finds it ready to be tried.
    q.event(NODE_ADD, None, {}, 1e6)
    assert queued.place is QueueName.ACTIVE
    q.fail(popped(q, 1e6), ["A"], now_s=1e6)
    q.event(NODE_ADD, None, {}, 1e6)
    assert queued.place is QueueName.BACKOFF
    assert queued.backoff_until_s == 1e6 + next_backoff_s


def test_an_error_at_the_first_try_counts_whatever_was_before() -> None:
    q = queue()
    q.add(waiting(), PROFILE, 1e6, rejected_since_s=1e6 - 60)
    queued = popped(q, 1e6)
    q.fail(queued, now_s=1e6)
    assert queued.backoff_until_s == 1e6 + 1
