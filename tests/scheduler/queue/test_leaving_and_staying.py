"""Updates, deletions, activations, and pods that nothing helps."""

from podium.scheduler.queue.queued_pod import QueueName
from tests.scheduler.queue.toys import PROFILE, Gate, changed, queue, rejected, waiting


def test_what_is_not_in_the_queue_is_not_touched() -> None:
    q = queue()
    pod = waiting()
    q.update(pod, changed(pod, labels={"app": "b"}), 0.0)
    q.activate([pod.uid], 0.0)
    q.delete(pod.uid)
    assert len(q) == 0


def test_leftovers_are_tried_after_five_minutes_at_a_whole_half_minute() -> None:
    q = queue({"A": ()})
    [queued] = rejected(q, [waiting()], at_s=1000.0)
    assert q.next_wakeup_s() == 1320.0
    q.flush(1319.9)
    assert queued.place is QueueName.UNSCHEDULABLE
    q.flush(1320.0)
    assert queued.place is QueueName.ACTIVE
    assert q.incoming["active", "UnschedulableTimeout"] == 1


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
