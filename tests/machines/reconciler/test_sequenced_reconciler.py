"""Syncs in rounds: in which order they learn outcomes, and when they are tried again."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from podium.api.objects import Object
from podium.machines.backoff import Backoff
from podium.machines.effects import Effect, Panic, Patch
from podium.machines.events import CallError, Change, Outcome, Synced, Woken
from podium.machines.reconciler.sequenced_reconciler import (
    Calls,
    SequencedReconciler,
    SyncFailedError,
    made,
)
from podium.machines.reconciler.work_queue import RetryRules

Obj = dict[str, Any]


class Rounds(SequencedReconciler):
    """Patches pods `a` and `b`, then `c`; a refusal ends the sync."""

    name = "rounds"
    kinds = frozenset({"Pod"})
    retry_rules = RetryRules(Backoff(first_s=1.0, max_s=60.0), has_bucket=False)

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self.syncs = 0

    def keys_of(self, change: Change, before: Object | None) -> Iterable[Hashable]:
        return ("p",)

    def react(self, key: Hashable, change: Change, before: Object | None) -> None:
        self.look_after(key, 1.0)

    def sync(self, key: Hashable, now_s: float) -> Calls[None]:
        self.syncs += 1
        self.learn((yield [patch("a"), patch("b")]))
        assert not (yield from made([]))
        self.learn((yield [patch("c")]))

    def learn(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            assert isinstance(outcome.effect, Patch)
            self.told.append(outcome.effect.name)
            if outcome.error is not None:
                raise SyncFailedError


def patch(name: str) -> Patch:
    return Patch(kind="Pod", namespace="default", name=name, body={"metadata": {}})


def pod(name: str, version: int) -> Obj:
    metadata = {"name": name, "namespace": "default", "uid": name, "resourceVersion": str(version)}
    return {"kind": "Pod", "metadata": metadata}


def begun() -> tuple[Rounds, list[Effect]]:
    machine = Rounds()
    machine.step(Change("Pod", None, pod("a", 1)), 0.0)
    machine.step(Synced(), 0.0)
    assert machine.next_wakeup_s() == 1.0
    return machine, list(machine.step(Woken(), 1.0))


def test_outcomes_come_in_the_order_of_the_calls() -> None:
    machine, (first, second) = begun()
    assert list(machine.step(Outcome(second, obj=pod("b", 2)), 1.0)) == []
    (third,) = machine.step(Outcome(first, obj=pod("a", 3)), 1.0)
    assert machine.told == ["a", "b"]
    assert list(machine.step(Outcome(third, obj=pod("c", 4)), 1.0)) == []
    assert machine.told == ["a", "b", "c"]
    assert machine.next_wakeup_s() == 2.0  # what it has written is news like any other


def test_a_key_is_not_looked_at_before_its_sync_has_ended() -> None:
    machine, (first, second) = begun()
    machine.look_now("p")
    machine.step(Outcome(first, obj=pod("a", 1)), 1.0)
    (third,) = machine.step(Outcome(second, error=CallError(404, "NotFound", "")), 1.0) or (None,)
    assert third is None  # the refusal has ended the sync, and the key is due
    assert machine.next_wakeup_s() == 1.0
    assert len(machine.step(Woken(), 1.0)) == 2
    assert machine.syncs == 2


def test_a_refused_sync_is_tried_again_later_and_later() -> None:
    machine, asked = begun()
    refused = CallError(500, "InternalError", "")
    for at_s, next_s in ((1.0, 2.0), (2.0, 4.0), (4.0, 8.0)):
        for effect in asked:
            machine.step(Outcome(effect, error=refused), at_s)
        assert machine.next_wakeup_s() == next_s
        asked = list(machine.step(Woken(), next_s))


def test_a_bug_costs_one_key_some_time() -> None:
    machine, (first, second) = begun()
    machine.told = None  # type: ignore[assignment]
    machine.step(Outcome(first, obj=pod("a", 1)), 1.0)
    (panic,) = machine.step(Outcome(second, obj=pod("b", 1)), 1.0)
    assert isinstance(panic, Panic)
    assert machine.next_wakeup_s() == panic.again_s
