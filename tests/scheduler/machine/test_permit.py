"""Plugins that allow and reject pods which wait on Permit, and filters that answer Pending."""

from typing import Any

import pytest

from podium.machines.effects import Bind, Record
from podium.scheduler.framework.cluster_events import EventHint, EventResource, after_removal
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import Permission
from podium.scheduler.framework.status import SUCCESS, Code, Status
from podium.scheduler.framework.third_party_plugins import NodeInfo, NodePlugin
from podium.scheduler.queue.queued_pod import QueueName
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.scheduler.machine.builders import done, pod
from tests.scheduler.machine.test_post_filter import with_plugin
from tests.scheduler.machine.test_scheduler_machine import Hand, node, of

WAITS = Permission(Status(Code.WAIT), 60.0)


class Pairs:
    """Binds pods two by two: the second allows the first. When one fails, all others do."""

    name = "Pairs"

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def events_to_register(self) -> tuple[EventHint, ...]:
        return (after_removal(EventResource.ASSIGNED_POD),)

    def permit(self, pod: PodInfo, node_name: str) -> Permission:
        first = next(iter(self._handle.waiting), None)
        if first is None:
            return WAITS
        assert first.pending_plugins == [self.name]
        assert self._handle.waiting.get(first.pod.uid) is first
        first.allow(self.name)
        return Permission()

    def reserve(self, pod: PodInfo, node_name: str) -> Status:
        return SUCCESS

    def unreserve(self, pod: PodInfo, node_name: str) -> None:
        for other in self._handle.waiting:
            other.reject(self.name, f"goes with {pod.name}")


def bound(hand: Hand, effects: list[Any]) -> list[str]:
    """The pods whose bindings are sent once all other calls have been answered."""
    for effect in effects:
        if not isinstance(effect, Bind | Record):
            effects += hand.answer(done(effect))
    return sorted(one.name for one in of(effects, Bind))


def test_a_pod_is_bound_when_a_plugin_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = Hand(configuration=with_plugin(monkeypatch, Pairs))
    hand.start(node(), pod("a"))
    assert bound(hand, [*hand.wake()]) == []
    hand.tell("Pod", pod("b"))
    assert bound(hand, [*hand.wake()]) == ["a", "b"]
    assert hand.wake(600) == []


class Slow(Pairs):
    """Lets all pods wait, and rejects those that are left when one of them fails."""

    def permit(self, pod: PodInfo, node_name: str) -> Permission:
        return Permission(WAITS.status, 30.0 if pod.priority else 60.0)


def test_a_pod_is_rejected_by_a_plugin_or_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hand = Hand(configuration=with_plugin(monkeypatch, Slow))
    hand.start(node(), pod("a"), pod("b", priority=1))
    hand.wake()
    assert len([*hand.machine.scheduler.handle.waiting]) == 2
    notes = [one.note for one in of(hand.wake(30), Record)]
    why = "rejected due to timeout after waiting 30s at plugin Pairs"
    assert notes == [f"0/1 nodes are available: 1 {one}." for one in (why, "goes with b")]


def test_a_pod_waits_until_each_plugin_has_allowed_it() -> None:
    waiting, settled = Scheduler().handle.waiting, list[Status]()
    pending = Scheduler().pending(pod("a"))
    waiting.add(pending, "n1", {"A": 5.0, "B": 9.0}, 100.0, settled.append)
    (one,) = waiting
    assert (one.node_name, waiting.next_deadline_s()) == ("n1", 105.0)
    one.allow("A")
    waiting.settle()
    assert (settled, waiting.next_deadline_s()) == ([], 109.0)
    one.allow("B")
    # The first decision counts.
    one.reject("A", "too late")
    waiting.settle()
    assert settled == [SUCCESS]
    assert waiting.get(pending.uid) is None


class Later(NodePlugin):
    name = "Later"

    def filter_node(self, pod: PodInfo, node: NodeInfo) -> Status | None:
        return Status(Code.PENDING, ("node(s) waited for their images",))


def test_a_filter_that_answers_pending_is_no_reason_to_preempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hand = Hand(configuration=with_plugin(monkeypatch, Later))
    hand.start(node(), pod("low", node="n1"), pod("p", priority=10))
    (event,) = of(hand.wake(), Record)
    assert event.note == (
        "0/1 nodes are available: 1 node(s) waited for their images. no new claims to deallocate,"
        " preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )
    hand.tell("Node", node("n2"))
    assert hand.place("p") is QueueName.ACTIVE
