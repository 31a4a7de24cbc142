"""Another scheduler beside this one: its nominations, and room that it takes again and again."""

from typing import Any

import pytest

from podium.machines.effects import Bind, Delete, Effect, Patch, Record
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.preemption.policies.livelock import ROUNDS
from podium.scheduler.queue.queued_pod import QueueName
from tests.scheduler.machine.builders import done, pod
from tests.scheduler.machine.test_scheduler_machine import NOW_S, node, of
from tests.scheduler.machine.test_scheduler_machine import Hand as AnyHand

OTHER = "other-scheduler"


class Hand(AnyHand):
    """Drives a scheduler that counts what others nominate."""

    def __init__(self, **options: Any) -> None:
        super().__init__(options=SchedulerOptions(other_nominations=True, **options))


def others(name: str, nominated: str = "", **fields: Any) -> dict[str, Any]:
    status = {"nominatedNodeName": nominated} if nominated else None
    made = pod(name, status=status, **fields)
    made["spec"]["schedulerName"] = OTHER
    return made


def test_what_another_scheduler_has_nominated_counts() -> None:
    hand = Hand()
    hand.start(node(cpu="2"), others("theirs", "n1", cpu="2", priority=5), pod("low"))
    assert not of(hand.wake(), Bind)
    hand.tell("Pod", pod("high", priority=6))
    (binding,) = of(hand.wake(), Bind)
    assert binding.name == "high"


def test_room_that_another_nomination_gives_up_is_used() -> None:
    hand = Hand()
    hand.start(node(cpu="2"), others("theirs", "n1", cpu="2"), pod("ours"))
    hand.wake()
    assert hand.place("ours") is QueueName.UNSCHEDULABLE
    hand.tell("Pod", others("theirs", cpu="2"))
    hand.wake(10.0)
    assert hand.place("ours") is None


def test_room_of_another_nomination_whose_pod_is_gone_is_used() -> None:
    hand = Hand()
    hand.start(node(cpu="2"), others("theirs", "n1", cpu="2"), pod("ours"))
    hand.wake()
    hand.tell_gone("Pod", "theirs")
    hand.wake(10.0)
    assert hand.place("ours") is None


def test_a_nomination_that_moves_counts_where_it_is_now() -> None:
    hand = Hand()
    hand.start(node(cpu="2"), node("n2", cpu="2"), others("theirs", "n1", cpu="2"))
    hand.tell("Pod", others("theirs", "n2", cpu="2"))
    hand.tell("Pod", pod("ours", cpu="2"))
    (binding,) = of(hand.wake(), Bind)
    assert binding.node_name == "n1"


def test_another_scheduler_s_pod_counts_once_when_it_is_bound() -> None:
    hand = Hand()
    hand.start(node(cpu="2"), others("theirs", "n1"))
    hand.tell("Pod", others("theirs", node="n1"))
    hand.tell("Pod", pod("ours"))
    assert of(hand.wake(), Bind)
    assert not hand.machine.scheduler.nominator


def test_nominations_of_other_schedulers_are_left_alone_by_preemption() -> None:
    hand = Hand()
    low = pod("low", cpu="2", node="n1")
    hand.start(node(cpu="2"), low, others("theirs", "n1", cpu="2", priority=1))
    hand.tell("Pod", pod("high", cpu="2", priority=9))
    patched = {patch.name for patch in of(hand.wake(), Patch)}
    assert patched == {"high", "low"}


def test_by_default_other_nominations_are_ignored_as_kube_scheduler_does() -> None:
    hand = AnyHand()
    hand.start(node(cpu="2"), others("theirs", "n1", cpu="2", priority=5), pod("low"))
    assert of(hand.wake(), Bind)


class Rival(Hand):
    """A preemptor of two CPUs, on a node whose two pods go one after the other."""

    def __init__(self, backoff: str = "1m") -> None:
        super().__init__(livelock_backoff_s=backoff)
        self.names = ["taker-0", "taker-1"]
        self.start(node(cpu="2"), *(others(name, node="n1") for name in self.names))
        self.made = len(self.names)
        self.tell("Pod", pod("big", cpu="2", priority=9))
        self.effects = self.wake()

    def carry_out(self) -> set[str]:
        """Let all calls succeed; the pods that were deleted."""
        gone: set[str] = set()
        while self.effects:
            effect = self.effects.pop(0)
            if isinstance(effect, Delete):
                gone.add(effect.name)
            if effect.purpose is not None:
                self.effects += self.answer(done(effect))
        return gone

    def take_room(self, *, other: bool = True) -> None:
        """One victim goes, and a pod of somebody else takes its place before the next one goes."""
        make = others if other else pod
        for name in self.names:
            self.tell_gone("Pod", name)
            self.made += 1
            self.tell("Pod", make(f"taker-{self.made}", node="n1"))
        self.names = [f"taker-{self.made - 1}", f"taker-{self.made}"]
        self.pass_s(11.0)

    def pass_s(self, seconds: float) -> None:
        self.effects += self.wake(self.now_s + seconds - NOW_S)

    def livelocks(self) -> float:
        registry = self.machine.metrics.registry
        labels = {"profile": "default-scheduler"}
        return registry.get_sample_value("podium_preemption_livelocks_total", labels) or 0.0


def told(effects: list[Effect]) -> list[Record]:
    return [one for one in of(effects, Record) if one.reason == "PreemptionLivelock"]


def test_room_that_others_take_again_and_again_is_given_up_for_a_while() -> None:
    rival = Rival()
    for _ in range(ROUNDS - 1):
        assert len(rival.carry_out()) == 2
        rival.take_room()
        assert not told(rival.effects)
    assert len(rival.carry_out()) == 2
    rival.take_room()
    (event,) = told(rival.effects)
    assert f"was taken {ROUNDS} times by pods of {OTHER}" in event.note
    assert event.note.endswith("preempting no pods for 60s")
    assert rival.livelocks() == 1
    assert not rival.carry_out()
    rival.pass_s(59.0)
    assert not rival.carry_out()
    rival.pass_s(1.0)
    assert len(rival.carry_out()) == 2, "it tries again"
    rival.take_room()
    (event,) = told(rival.effects)
    assert event.note.endswith("preempting no pods for 120s")


def test_without_a_backoff_it_is_told_and_goes_on() -> None:
    rival = Rival(backoff="0s")
    for _ in range(ROUNDS):
        rival.carry_out()
        rival.take_room()
    assert told(rival.effects)
    assert len(rival.carry_out()) == 2


def test_room_that_one_s_own_pods_take_is_no_livelock() -> None:
    rival = Rival()
    for _ in range(ROUNDS + 2):
        assert len(rival.carry_out()) == 2
        rival.take_room(other=False)
    assert rival.livelocks() == 0


@pytest.mark.parametrize("ending", ["gone", "bound"])
def test_a_preemptor_that_waits_no_more_is_forgotten(ending: str) -> None:
    rival = Rival()
    rival.carry_out()
    assert len(rival.machine.livelocks) == 1
    if ending == "gone":
        rival.tell_gone("Pod", "big")
    else:
        rival.tell("Pod", pod("big", cpu="2", priority=9, node="n1"))
    assert len(rival.machine.livelocks) == 0
