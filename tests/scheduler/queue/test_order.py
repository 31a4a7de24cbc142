"""Who is popped before whom."""

import pytest

from podium.scheduler.queue import QueueName
from tests.scheduler.queue.toys import NODE_ADD, PROFILE, changed, popped, queue, rejected, waiting


def test_higher_priorities_first_then_who_came_first() -> None:
    q = queue()
    early, late, high = waiting(), waiting(), waiting(priority=5)
    q.add(early, PROFILE, 1.0)
    q.add(late, PROFILE, 2.0)
    q.add(high, PROFILE, 3.0)
    assert [popped(q, 3.0).pod for _ in range(3)] == [high, early, late]
    assert q.pop(3.0) is None


def test_at_the_same_instant_in_the_order_of_adding() -> None:
    q = queue()
    pods = [waiting(app) for app in "cab" * 30]
    for pod in pods:
        q.add(pod, PROFILE, 1.0)
    assert [popped(q, 1.0).pod for _ in pods] == pods


def test_an_attempt_puts_a_pod_behind_those_that_were_not_tried() -> None:
    q = queue(max_backoff_s=0)
    tried, fresh = waiting(), waiting()
    q.add(tried, PROFILE, 0.0)
    q.fail(popped(q, 0.0), now_s=2.0)
    q.add(fresh, PROFILE, 1.0)
    assert [popped(q, 3.0).pod for _ in range(2)] == [fresh, tried]


def test_pods_that_fail_at_the_same_instant_come_back_in_the_order_of_failing() -> None:
    q = queue(max_backoff_s=0)
    q.add(waiting(), PROFILE, 0.0)
    q.add(waiting(), PROFILE, 0.0)
    first, second = popped(q, 1.0), popped(q, 1.0)
    q.fail(second, now_s=2.0)
    q.fail(first, now_s=2.0)
    assert [popped(q, 3.0) for _ in range(2)] == [second, first]


def test_an_event_leaves_a_pod_its_place_among_equals() -> None:
    """It keeps the time of its last attempt; only attempts renew it."""
    q = queue()
    [tried] = rejected(q, [waiting()], at_s=0.0)
    q.add(waiting(), PROFILE, 50.0)
    q.event(NODE_ADD, None, {}, 100.0)
    assert popped(q, 100.0) is tried
    assert tried.added_at_s == 0.0


def test_an_update_moves_a_pod_to_where_it_belongs_now() -> None:
    q = queue()
    low, middle = waiting(priority=1), waiting(priority=2)
    q.add(low, PROFILE, 0.0)
    q.add(middle, PROFILE, 0.0)
    raised = changed(low, priority=3)
    q.update(low, raised, 1.0)
    assert [popped(q, 1.0).pod for _ in range(2)] == [raised, middle]


def test_an_update_back_and_forth() -> None:
    q = queue()
    pod = waiting(priority=1)
    other = changed(pod, priority=0)
    q.add(pod, PROFILE, 0.0)
    for old, new in [(pod, other), (other, pod), (pod, other), (other, pod)]:
        q.update(old, new, 0.0)
    assert popped(q, 0.0).pod is pod
    assert q.pop(0.0) is None


def test_pods_that_leave_are_not_popped() -> None:
    q = queue()
    pods = [waiting() for _ in range(300)]
    for pod in pods:
        q.add(pod, PROFILE, 0.0)
    for pod in pods[:290]:
        q.delete(pod.uid)
    assert q.counts()[QueueName.ACTIVE] == 10
    assert [popped(q, 0.0).pod for _ in range(10)] == pods[290:]
    assert q.pop(0.0) is None


def test_the_same_pod_twice_is_an_error_of_the_caller() -> None:
    q = queue()
    pod = waiting()
    q.add(pod, PROFILE, 0.0)
    with pytest.raises(ValueError, match="in the queue already"):
        q.add(pod, PROFILE, 1.0)
