"""The reconcile loop: what it takes for news, when it reconciles, and syncs in rounds of calls."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import pytest

from podium.api.objects import Object
from podium.machines.effects import Create, Delete, Effect, Panic, Patch
from podium.machines.events import CallError, Change, Outcome, Synced, Woken
from podium.machines.reconciler import reconciler
from podium.machines.reconciler.work_queue import Backoff, RetryRules
from tests.objects import Obj

Versions = tuple[int | None, int | None]
FORBIDDEN = CallError(403, "Forbidden", "exceeded quota")


class Recorder(reconciler.Reconciler):
    """Makes the calls that a test gives it, and remembers what it saw."""

    name = "recorder"
    kinds = frozenset({"Pod"})

    def __init__(self) -> None:
        super().__init__()
        self.asks: dict[Hashable, Effect] = {}
        self.changes: list[tuple[str | None, str | None]] = []
        self.looks: list[Hashable] = []

    def keys_of(self, change: Change, before: Object | None) -> Iterable[Hashable]:
        self.changes.append((version(before), version(change.new)))
        return ("p",)

    def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
        self.looks.append(key)
        effect = self.asks.pop(key, None)
        return () if effect is None else (effect,)


def patch(name: str) -> Patch:
    body = {"metadata": {"labels": {"a": "b"}}}
    return Patch(kind="Pod", namespace="default", name=name, body=body)


PATCH = patch("p")
DELETE = Delete(kind="Pod", namespace="default", name="p", uid="p")


def pod(number: int, name: str = "p", **fields: Any) -> Obj:
    metadata = {"name": name, "namespace": "default", "uid": name, "resourceVersion": str(number)}
    return {"kind": "Pod", "metadata": {**metadata, **fields}}


def version(obj: Object | None) -> str | None:
    return None if obj is None else obj["metadata"]["resourceVersion"]


def change(versions: Versions) -> Change:
    old, new = (None if number is None else pod(number) for number in versions)
    return Change("Pod", old, new)


def started(*keys: Hashable, machine: Recorder | None = None) -> Recorder:
    machine = machine or Recorder()
    machine.step(Synced(), 0.0)
    for key in keys:
        machine.look_again(key, 0.0)
    return machine


def known(machine: reconciler.Reconciler) -> Object | None:
    return machine.objects.get("Pod", "p", "default")


LEAVING = pod(2, deletionTimestamp="soon", deletionGracePeriodSeconds=30)


@pytest.mark.parametrize(
    ("effect", "before", "answer", "after", "changes"),
    [
        # The echo of an answer is no news.
        (PATCH, [], pod(3), [(1, 2), (2, 3), (3, 4)], [("1", "3"), ("3", "4")]),
        # A watch has overtaken the answer.
        (PATCH, [(1, 5)], pod(3), [], [("1", "5")]),
        # An object is deleted once.
        (DELETE, [], pod(2), [(1, None), (None, 1)], [("1", None)]),
        (DELETE, [], LEAVING, [], [("1", "2")]),
        (PATCH, [], {**pod(3), "kind": "Scale"}, [], []),
    ],
    ids=["echo", "overtaken", "deleted", "deleted with grace", "of another kind"],
)
def test_what_answers_and_watches_show_is_news_once(
    effect: Effect,
    before: list[Versions],
    answer: Obj,
    after: list[Versions],
    changes: list[tuple[str | None, str | None]],
) -> None:
    machine = Recorder()
    machine.step(Change("Pod", None, pod(1)), 0.0)
    machine.asks["p"] = effect
    (sent,) = started(machine=machine).step(Woken(), 0.0)
    machine.changes.clear()
    events = [*map(change, before), Outcome(sent, obj=answer), *map(change, after)]
    for event in events:
        machine.step(event, 1.0)
    assert machine.changes == changes
    assert version(known(machine)) == (changes[-1][1] if changes else "1")
    assert machine.objects.get("Scale", "p", "default") is None


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_a_created_object_that_no_watch_confirms_is_gone_after_a_while(is_confirmed: bool) -> None:
    machine = started("p")
    machine.asks["p"] = Create(kind="Pod", obj=pod(1))
    (sent,) = machine.step(Woken(), 0.0)
    machine.step(Outcome(sent, obj=pod(1)), 1.0)
    machine.step(Woken(), 1.0)
    at_s = 1.0 + reconciler.PATIENCE_S
    assert machine.next_wakeup_s() == at_s
    if is_confirmed:
        machine.step(Change("Pod", None, pod(1)), 2.0)
        assert machine.next_wakeup_s() is None
    machine.step(Woken(), at_s - 1)
    assert known(machine) is not None
    machine.step(Woken(), at_s)
    assert (known(machine) is not None) is is_confirmed
    assert machine.changes == [(None, "1"), ("1", None)][: 2 - is_confirmed]
    assert machine.looks[-1] == "p"
    assert machine.next_wakeup_s() is None


def test_a_key_that_fails_for_ever_is_tried_for_ever() -> None:
    machine, waits_s = started("p"), list[float]()
    for _ in range(2000):
        now_s = machine.next_wakeup_s()
        assert now_s is not None
        machine.asks["p"] = PATCH
        (sent,) = machine.step(Woken(), now_s)
        machine.step(Outcome(sent, FORBIDDEN), now_s)
        again_s = machine.next_wakeup_s()
        assert again_s is not None
        waits_s.append(again_s - now_s)
    # As times are since the epoch, differences between them are no exact ones.
    assert waits_s[:5] == pytest.approx([0.005, 0.01, 0.02, 0.04, 0.08])
    assert waits_s[17:19] == pytest.approx([655.36, 1000.0])
    assert waits_s[-1] == pytest.approx(1000.0)


def test_a_key_whose_look_raises_costs_no_other_and_is_looked_at_again_later() -> None:
    class Clumsy(Recorder):
        def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
            if key == ("default", "bad") and now_s < 2.0:
                yield PATCH
                raise ValueError("a bug")
            yield from super().reconcile(key, now_s)

    machine = started(("default", "bad"), "p", machine=Clumsy())
    machine.asks["p"] = PATCH
    panic, sent = machine.step(Woken(), 0.0)
    assert isinstance(panic, Panic)
    assert (panic.task, str(panic.error), panic.again_s) == ("default/bad", "a bug", 0.005)
    assert isinstance(sent, Patch)
    waits_s = []
    while (again_s := machine.next_wakeup_s()) is not None:
        waits_s.append(again_s)
        machine.step(Woken(), again_s)
    assert waits_s == pytest.approx([0.005 * (2**number - 1) for number in range(1, 10)])
    assert machine.looks == ["p", ("default", "bad")]


def test_looks_in_between_do_not_add_to_those_after_failures() -> None:
    machine, now_s, looks = started("p"), 0.0, list[int]()
    for hour in range(3):
        before = len(machine.looks)
        while (at_s := machine.next_wakeup_s()) is not None and at_s < 3600.0 * (hour + 1):
            now_s = at_s
            machine.asks["p"] = PATCH
            for sent in machine.step(Woken(), now_s):
                machine.step(Outcome(sent, FORBIDDEN), now_s)
            if len(machine.looks) % 10 == 0:
                # Something else about the key changes.
                machine.look_again("p", now_s + 1.0)
        looks.append(len(machine.looks) - before)
    assert max(looks) < 150


class CountedKey:
    """A key that counts how often it was looked for."""

    def __init__(self) -> None:
        self.count = 0

    def __hash__(self) -> int:
        self.count += 1
        return id(self)


def test_to_be_woken_nothing_is_asked_of_what_is_under_way() -> None:
    """Thousands of changes while thousands of calls are under way would take minutes."""
    machine, key = started(), CountedKey()
    machine.asks[key] = PATCH
    machine.look_now(key)
    (sent,) = machine.step(Woken(), 0.0)
    machine.look_now(key)
    key.count = 0
    assert machine.next_wakeup_s() is None
    assert key.count == 0
    machine.step(Outcome(sent, obj=pod(2)), 1.0)
    assert machine.next_wakeup_s() == 1.0
    machine.step(Woken(), 1.0)
    assert machine.looks == [key, key, "p"]


def test_a_look_fails_once_however_much_of_it_fails() -> None:
    class Batch(Recorder):
        retry_rules = RetryRules(retries_max=4)

        def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
            return [PATCH] * 3

    machine, waits_s = started("p", machine=Batch()), list[float]()
    while (now_s := machine.next_wakeup_s()) is not None:
        waits_s.append(now_s)
        refused, granted, unavailable = machine.step(Woken(), now_s)
        machine.step(Outcome(refused, FORBIDDEN), now_s)
        machine.step(Outcome(unavailable, CallError(503, "ServiceUnavailable", "later")), now_s)
        machine.step(Outcome(granted), now_s)
    # A call that succeeds doesn't make good for the rest, and after some retries there is no more.
    assert waits_s == pytest.approx([0.0, 0.005, 0.015, 0.035, 0.075])


def test_of_several_later_looks_the_earliest_counts() -> None:
    machine = started()
    for wait_s in (3.0, 2.0, 5.0):
        machine.look_after("p", wait_s)
    for now_s in (2.0, 4.0):
        assert machine.next_wakeup_s() == now_s
        machine.step(Woken(), now_s)
        if now_s == 2.0:
            machine.look_after("p", 2.0)
            machine.look_after("p", 7.0)
    assert machine.looks == ["p", "p"]
    assert machine.next_wakeup_s() is None


class Rounds(reconciler.SequencedReconciler):
    """Patches pods `a` and `b`, then `c`; a refusal ends the sync."""

    name = "rounds"
    kinds = frozenset({"Pod"})
    retry_rules = RetryRules(Backoff(first_s=1.0, max_s=60.0), has_bucket=False)

    def __init__(self) -> None:
        super().__init__()
        self.patched: list[str] = []
        self.syncs = 0

    def keys_of(self, change: Change, before: Object | None) -> Iterable[Hashable]:
        return ("p",)

    def react(self, key: Hashable, change: Change, before: Object | None) -> None:
        self.look_after(key, 1.0)

    def sync(self, key: Hashable, now_s: float) -> reconciler.Calls[None]:
        self.syncs += 1
        self.learn((yield [patch("a"), patch("b")]))
        assert not (yield from reconciler.made([]))
        self.learn((yield [patch("c")]))

    def learn(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            assert isinstance(outcome.effect, Patch)
            self.patched.append(outcome.effect.name)
            if outcome.error is not None:
                raise reconciler.SyncFailedError


def begun() -> tuple[Rounds, list[Effect]]:
    machine = Rounds()
    machine.step(Change("Pod", None, pod(1, "a")), 0.0)
    machine.step(Synced(), 0.0)
    assert machine.next_wakeup_s() == 1.0
    return machine, list(machine.step(Woken(), 1.0))


def test_outcomes_come_in_the_order_of_the_calls() -> None:
    machine, (first, second) = begun()
    assert list(machine.step(Outcome(second, obj=pod(2, "b")), 1.0)) == []
    (third,) = machine.step(Outcome(first, obj=pod(3, "a")), 1.0)
    assert machine.patched == ["a", "b"]
    assert list(machine.step(Outcome(third, obj=pod(4, "c")), 1.0)) == []
    assert machine.patched == ["a", "b", "c"]
    assert machine.next_wakeup_s() == 2.0  # what it has written is news like any other


def test_a_key_is_not_looked_at_before_its_sync_has_ended() -> None:
    machine, (first, second) = begun()
    machine.look_now("p")
    machine.step(Outcome(first, obj=pod(1, "a")), 1.0)
    # The refusal ends the sync, and the key is due.
    assert not machine.step(Outcome(second, error=CallError(404, "NotFound", "")), 1.0)
    assert machine.next_wakeup_s() == 1.0
    assert len(machine.step(Woken(), 1.0)) == 2
    assert machine.syncs == 2


def test_a_refused_sync_is_tried_again_later_and_later() -> None:
    machine, calls = begun()
    for at_s, next_s in ((1.0, 2.0), (2.0, 4.0), (4.0, 8.0)):
        for effect in calls:
            machine.step(Outcome(effect, error=FORBIDDEN), at_s)
        assert machine.next_wakeup_s() == next_s
        calls = list(machine.step(Woken(), next_s))


def test_a_bug_costs_one_key_some_time() -> None:
    machine, (first, second) = begun()
    machine.patched = None  # type: ignore[assignment]
    machine.step(Outcome(first, obj=pod(1, "a")), 1.0)
    (panic,) = machine.step(Outcome(second, obj=pod(1, "b")), 1.0)
    assert isinstance(panic, Panic)
    assert machine.next_wakeup_s() == panic.again_s
