"""What the loop around reconciling takes for news, and when it looks."""

from collections.abc import Hashable, Iterable
from typing import Any

import pytest

from podium.api.objects import Object
from podium.machines.effects import Create, Delete, Effect, Panic, Patch
from podium.machines.events import CallError, Change, Outcome, Synced, Woken
from podium.machines.reconciler.reconciler import PATIENCE_S, Reconciler
from podium.machines.reconciler.work_queue import RetryRules

Obj = dict[str, Any]


class Recorder(Reconciler):
    """Asks for what it is told to, and remembers what it saw."""

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


PATCH = Patch(kind="Pod", namespace="default", name="p", body={"metadata": {"labels": {"a": "b"}}})
DELETE = Delete(kind="Pod", namespace="default", name="p", uid="u")


def pod(number: int, **fields: Any) -> Obj:
    metadata = {"name": "p", "namespace": "default", "uid": "u", "resourceVersion": str(number)}
    return {"kind": "Pod", "metadata": {**metadata, **fields}}


def version(obj: Object | None) -> str | None:
    return None if obj is None else obj["metadata"]["resourceVersion"]


def asked(effect: Effect, known: Obj) -> tuple[Recorder, Effect]:
    """A machine that knows a pod and has just asked for something."""
    machine = Recorder()
    machine.step(Change("Pod", None, known), 0.0)
    machine.step(Synced(), 0.0)
    machine.asks["p"] = effect
    (sent,) = machine.step(Woken(), 0.0)
    machine.changes.clear()
    return machine, sent


def test_what_an_answer_shows_is_news_and_its_echo_is_not() -> None:
    machine, sent = asked(PATCH, pod(1))
    machine.step(Outcome(sent, obj=pod(3, deletionTimestamp="now")), 1.0)
    assert machine.changes == [("1", "3")]
    assert machine.next_wakeup_s() == 1.0
    machine.step(Change("Pod", pod(1), pod(2)), 1.0)
    machine.step(Change("Pod", pod(2), pod(3)), 1.0)
    assert machine.changes == [("1", "3")]
    machine.step(Change("Pod", pod(3), pod(4)), 1.0)
    assert machine.changes[1:] == [("3", "4")]


def test_an_answer_that_a_watch_has_overtaken_is_no_news() -> None:
    machine, sent = asked(PATCH, pod(1))
    machine.step(Change("Pod", pod(1), pod(5)), 0.0)
    machine.step(Outcome(sent, obj=pod(3)), 1.0)
    assert machine.changes == [("1", "5")]
    known = machine.objects.get("Pod", "p", "default")
    assert version(known) == "5"


def test_what_was_deleted_is_gone_once() -> None:
    machine, sent = asked(DELETE, pod(1))
    machine.step(Outcome(sent, obj=pod(2)), 1.0)
    assert machine.changes == [("1", None)]
    machine.step(Change("Pod", pod(1), None), 1.0)
    machine.step(Change("Pod", None, pod(1)), 1.0)
    assert machine.changes == [("1", None)]
    assert machine.objects.get("Pod", "p", "default") is None


def test_what_is_deleted_with_grace_lives_on() -> None:
    machine, sent = asked(DELETE, pod(1))
    leaving = pod(2, deletionTimestamp="soon", deletionGracePeriodSeconds=30)
    machine.step(Outcome(sent, obj=leaving), 1.0)
    assert machine.changes == [("1", "2")]
    assert machine.objects.get("Pod", "p", "default") is leaving


def test_answers_about_other_kinds_concern_nobody() -> None:
    machine, sent = asked(PATCH, pod(1))
    machine.step(Outcome(sent, obj={**pod(3), "kind": "Scale"}), 1.0)
    assert machine.changes == []
    assert machine.objects.get("Scale", "p", "default") is None


def created() -> tuple[Recorder, float]:
    """A machine that has just learnt that it created a pod, and when it would give up on it."""
    machine = Recorder()
    machine.step(Synced(), 0.0)
    machine.asks["p"] = Create(kind="Pod", obj=pod(1))
    machine.look_again("p", 0.0)
    (sent,) = machine.step(Woken(), 0.0)
    machine.step(Outcome(sent, obj=pod(1)), 1.0)
    machine.step(Woken(), 1.0)
    at_s = machine.next_wakeup_s()
    assert at_s == 1.0 + PATIENCE_S
    return machine, at_s


def test_what_no_watch_ever_tells_of_is_gone_after_a_while() -> None:
    machine, at_s = created()
    machine.step(Woken(), at_s - 1)
    assert machine.objects.get("Pod", "p", "default") is not None
    machine.step(Woken(), at_s)
    assert machine.objects.get("Pod", "p", "default") is None
    assert machine.changes == [(None, "1"), ("1", None)]
    assert machine.looks[-1] == "p"
    assert machine.next_wakeup_s() is None


def test_what_a_watch_has_told_of_stays() -> None:
    machine, at_s = created()
    machine.step(Change("Pod", None, pod(1)), 2.0)
    assert machine.next_wakeup_s() is None
    machine.step(Woken(), at_s)
    assert machine.objects.get("Pod", "p", "default") is not None


def test_a_key_that_fails_for_ever_is_tried_for_ever() -> None:
    machine, waits_s = Recorder(), list[float]()
    machine.step(Synced(), 0.0)
    machine.look_again("p", 0.0)
    for _ in range(2000):
        now_s = machine.next_wakeup_s()
        assert now_s is not None
        machine.asks["p"] = PATCH
        (sent,) = machine.step(Woken(), now_s)
        machine.step(Outcome(sent, CallError(403, "Forbidden", "exceeded quota")), now_s)
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

    machine = Clumsy()
    machine.step(Synced(), 0.0)
    machine.asks["p"] = PATCH
    for key in (("default", "bad"), "p"):
        machine.look_again(key, 0.0)
    panic, patch = machine.step(Woken(), 0.0)
    assert isinstance(panic, Panic)
    assert (panic.task, str(panic.error), panic.again_s) == ("default/bad", "a bug", 0.005)
    assert isinstance(patch, Patch)
    waits_s = []
    while (again_s := machine.next_wakeup_s()) is not None:
        waits_s.append(again_s)
        machine.step(Woken(), again_s)
    assert waits_s == pytest.approx([0.005 * (2**number - 1) for number in range(1, 10)])
    assert machine.looks == ["p", ("default", "bad")]


def test_looks_in_between_do_not_add_to_those_after_failures() -> None:
    machine, now_s, looks = Recorder(), 0.0, list[int]()
    machine.step(Synced(), now_s)
    machine.look_again("p", now_s)
    for hour in range(3):
        before = len(machine.looks)
        while (at_s := machine.next_wakeup_s()) is not None and at_s < 3600.0 * (hour + 1):
            now_s = at_s
            machine.asks["p"] = PATCH
            for sent in machine.step(Woken(), now_s):
                machine.step(Outcome(sent, CallError(403, "Forbidden", "exceeded quota")), now_s)
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
    machine, key = Recorder(), CountedKey()
    machine.step(Synced(), 0.0)
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


class Batch(Recorder):
    """Asks for several effects at a look."""

    retry_rules = RetryRules(retries_max=4)

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
        self.looks.append(key)
        return [PATCH] * self._size


def test_a_look_fails_once_however_much_of_it_fails() -> None:
    machine, waits_s = Batch(3), list[float]()
    machine.step(Synced(), 0.0)
    machine.look_again("p", 0.0)
    while (now_s := machine.next_wakeup_s()) is not None:
        waits_s.append(now_s)
        refused, granted, unavailable = machine.step(Woken(), now_s)
        assert isinstance(refused, Patch)
        assert isinstance(granted, Patch)
        assert isinstance(unavailable, Patch)
        machine.step(Outcome(refused, CallError(403, "Forbidden", "exceeded quota")), now_s)
        machine.step(Outcome(unavailable, CallError(503, "ServiceUnavailable", "later")), now_s)
        machine.step(Outcome(granted), now_s)
    # What was granted doesn't make good for the rest, and after some tries it is left at that.
    assert waits_s == pytest.approx([0.0, 0.005, 0.015, 0.035, 0.075])


def test_of_several_later_looks_the_earliest_counts() -> None:
    machine = Recorder()
    machine.step(Synced(), 0.0)
    machine.look_after("p", 3.0)
    machine.look_after("p", 2.0)
    machine.look_after("p", 5.0)
    for now_s in (2.0, 4.0):
        assert machine.next_wakeup_s() == now_s
        machine.step(Woken(), now_s)
        if now_s == 2.0:
            machine.look_after("p", 2.0)
            machine.look_after("p", 7.0)
    assert machine.looks == ["p", "p"]
    assert machine.next_wakeup_s() is None
