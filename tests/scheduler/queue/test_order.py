"""Who is popped before whom."""

import pytest

from podium.scheduler.queue.queued_pod import QueueName
from tests.scheduler.queue.toys import PROFILE, popped, queue, waiting


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
