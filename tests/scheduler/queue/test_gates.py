"""PreEnqueue: who isn't let in, and what opens the gate."""

from typing import Any

from podium.api.objects import Object
from podium.scheduler.queue import QueueName
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.scheduler.queue.toys import (
    NODE_ADD,
    OWN_GATES,
    POD_DELETE,
    PROFILE,
    Gate,
    changed,
    hinted,
    popped,
    queue,
    rejected,
    waiting,
)

HINTS = {"A": hinted(NODE_ADD), "Gate": hinted(POD_DELETE)}


def test_a_gated_pod_is_not_popped() -> None:
    pod = waiting()
    gate = Gate(closed_to=[pod.uid])
    q = queue(HINTS, [gate])
    q.add(pod, PROFILE, 3.0)
    queued = q.get(pod.uid)
    assert queued is not None
    assert queued.gated_by is not None
    assert (queued.gated_by.plugin, queued.gated_by.message) == ("Gate", "Gate is closed")
    assert queued.unschedulable_plugins == {"Gate"}
    assert queued.initial_attempt_s is None
    assert (q.counts()[QueueName.GATED], q.counts()[QueueName.UNSCHEDULABLE]) == (1, 0)
    assert q.pop(3.0) is None
    assert q.incoming == {("unschedulable", "UnschedulablePodAdd"): 1}


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


def test_an_event_of_the_gate_that_does_not_open_it() -> None:
    pod = waiting()
    gate = Gate(closed_to=[pod.uid])
    q = queue(HINTS, [gate])
    q.add(pod, PROFILE, 0.0)
    assert q.event(POD_DELETE, None, {}, 1.0) == 0
    assert q.place_of(pod.uid) is QueueName.GATED
    assert gate.asked == [pod.uid] * 2


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


def test_an_error_can_end_at_a_gate() -> None:
    gate = Gate()
    q = queue(HINTS, [gate])
    q.add(waiting(), PROFILE, 0.0)
    queued = popped(q, 0.0)
    gate.closed_to = {queued.uid}
    q.fail(queued, now_s=0.0)
    assert queued.place is QueueName.GATED


def test_the_gate_that_was_closed_is_asked_first() -> None:
    first, second = Gate("First"), Gate("Second")
    pod = waiting()
    second.closed_to = {pod.uid}
    q = queue({"First": hinted(NODE_ADD), "Second": hinted(NODE_ADD)}, [first, second])
    q.add(pod, PROFILE, 0.0)
    q.event(NODE_ADD, None, {}, 1.0)
    assert (len(first.asked), len(second.asked)) == (1, 2)
    second.closed_to, first.closed_to = set(), {pod.uid}
    q.event(NODE_ADD, None, {}, 2.0)
    queued = q.get(pod.uid)
    assert queued is not None
    assert queued.gated_by is not None
    assert queued.gated_by.plugin == "First"
    assert queued.unschedulable_plugins == {"First", "Second"}


class SchedulingGates(Gate):
    """The real one's rule."""

    def pre_enqueue(self, pod: PodInfo) -> Any:
        self.closed_to = {pod.uid} if pod.obj["spec"].get("schedulingGates") else set()
        return super().pre_enqueue(pod)


def opened(pod: PodInfo, old: Object | None, new: Object | None) -> bool:
    assert new is not None
    return pod.obj is new and not new["spec"].get("schedulingGates")


def test_a_pod_loses_its_scheduling_gates() -> None:
    q = queue({"Gates": hinted(OWN_GATES, by=opened)}, [SchedulingGates("Gates")])
    gated = waiting(schedulingGates=[{"name": "a"}, {"name": "b"}])
    one_left = changed(gated, schedulingGates=[{"name": "b"}])
    free = changed(gated, schedulingGates=[])
    q.add(gated, PROFILE, 0.0)
    q.update(gated, one_left, 1.0)
    assert q.place_of(gated.uid) is QueueName.GATED
    q.update(one_left, free, 2.0)
    queued = popped(q, 2.0)
    assert (queued.pod, queued.added_at_s, queued.initial_attempt_s) == (free, 0.0, 2.0)
    assert q.incoming["active", "UnschedulablePodUpdatePodSchedulingGatesEliminated"] == 1


def test_a_preemptor_is_held_back_while_its_preemption_lasts() -> None:
    """Rejected, woken too early, gated; free once the last victim has gone."""
    gate = Gate("DefaultPreemption")
    q = queue({"A": hinted(NODE_ADD, POD_DELETE), gate.name: hinted(POD_DELETE)}, [gate])
    [preemptor] = rejected(q, [waiting(priority=10)])
    gate.closed_to = {preemptor.uid}
    q.event(POD_DELETE, {}, None, 5.0)
    assert preemptor.place is QueueName.GATED
    gate.closed_to = set()
    q.event(POD_DELETE, {}, None, 30.0)
    assert popped(q, 30.0) is preemptor


def test_a_preemption_that_failed_activates_the_preemptor() -> None:
    gate = Gate("DefaultPreemption")
    q = queue({"A": hinted(NODE_ADD, POD_DELETE), gate.name: hinted(POD_DELETE)}, [gate])
    [preemptor] = rejected(q, [waiting(priority=10)])
    gate.closed_to = {preemptor.uid}
    q.activate([preemptor.uid], 0.1)
    assert preemptor.place is QueueName.GATED
    gate.closed_to = set()
    q.activate([preemptor.uid], 0.2)
    assert preemptor.place is QueueName.ACTIVE
    assert q.incoming["active", "ForceActivate"] == 1
