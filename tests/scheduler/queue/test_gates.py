"""PreEnqueue: who isn't let in, and what opens the gate."""

from podium.scheduler.queue.queued_pod import QueueName
from tests.scheduler.queue.toys import NODE_ADD, POD_DELETE, Gate, hinted, queue, rejected, waiting

HINTS = {"A": hinted(NODE_ADD), "Gate": hinted(POD_DELETE)}


def test_only_events_of_the_gate_are_asked_about() -> None:
    """Not those of the plugin that rejected the pod before."""
    gate = Gate()
    q = queue(HINTS, [gate])
    [queued] = rejected(q, [waiting()])
    gate.closed_to = {queued.uid}
    q.event(NODE_ADD, None, {}, 50.0)
    assert queued.place is QueueName.GATED
    gate.closed_to = set()
    gate.asked = []
    q.event(NODE_ADD, None, {}, 60.0)
    assert (queued.place, gate.asked) == (QueueName.GATED, [])
    assert q.event(POD_DELETE, None, {}, 70.0) == 1
    assert queued.place is QueueName.ACTIVE
    assert queued.gated_by is None


def test_a_pod_is_asked_at_every_entry_but_the_last() -> None:
    """Into backoff it is asked, so from there to the active queue it isn't any more."""
    gate = Gate()
    q = queue(HINTS, [gate])
    [queued] = rejected(q, [waiting()])
    q.event(NODE_ADD, None, {}, 0.0)
    assert (queued.place, len(gate.asked)) == (QueueName.BACKOFF, 2)
    gate.closed_to = {queued.uid}
    q.flush(2.0)
    assert (queued.place, len(gate.asked)) == (QueueName.ACTIVE, 2)


def test_without_early_pops_it_is_asked_when_the_backoff_is_over() -> None:
    gate = Gate()
    q = queue(HINTS, [gate], pop_from_backoff=False)
    [queued] = rejected(q, [waiting()])
    q.event(NODE_ADD, None, {}, 0.0)
    assert (queued.place, len(gate.asked)) == (QueueName.BACKOFF, 1)
    gate.closed_to = {queued.uid}
    q.flush(2.0)
    assert (queued.place, len(gate.asked)) == (QueueName.GATED, 2)
