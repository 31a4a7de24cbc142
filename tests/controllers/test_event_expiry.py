"""Events expire, counted from the last time that they were told of."""

from typing import Any

import pytest

from podium.controllers.event_expiry import ROUND_S, TTL_S, EventExpiry
from podium.machines.effects import Delete, Effect
from podium.machines.events import CallError, Change, Outcome, Synced, Woken

START_S = 1_767_225_600.0


def event(number: int, **fields: Any) -> dict[str, Any]:
    metadata = {
        "name": "e",
        "namespace": "default",
        "uid": "u",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "resourceVersion": str(number),
    }
    return {"kind": "Event", "metadata": metadata, **fields}


def knowing(obj: dict[str, Any]) -> EventExpiry:
    machine = EventExpiry()
    machine.step(Change("Event", None, obj), START_S)
    machine.step(Synced(), START_S)
    return machine


def woken(machine: EventExpiry, at_s: float) -> list[Effect]:
    return [*machine.step(Woken(), START_S + at_s)]


@pytest.mark.parametrize(
    ("fields", "goes_s"),
    [
        ({}, 0.0),
        ({"lastTimestamp": "2026-01-01T00:00:20Z"}, 20.0),
        ({"eventTime": "2026-01-01T00:00:00.500000Z"}, 10.0),
        ({"series": {"count": 2, "lastObservedTime": "2026-01-01T00:10:00.000000Z"}}, 600.0),
    ],
)
def test_an_hour_after_it_was_told_of(fields: dict[str, Any], goes_s: float) -> None:
    machine = knowing(event(1, **fields))
    assert machine.next_wakeup_s() == START_S + goes_s + TTL_S
    assert woken(machine, goes_s + TTL_S - 1) == []
    (deleted,) = woken(machine, goes_s + TTL_S)
    assert isinstance(deleted, Delete)
    assert (deleted.kind, deleted.namespace, deleted.name) == ("Event", "default", "e")
    assert deleted.uid == "u"
    assert machine.next_wakeup_s() is None


def test_what_is_told_of_again_stays_longer() -> None:
    first, again = event(1), event(2, lastTimestamp="2026-01-01T00:30:00Z")
    machine = knowing(first)
    machine.step(Change("Event", first, again), START_S + 1800)
    assert woken(machine, TTL_S) == []
    assert len(woken(machine, TTL_S + 1800)) == 1


def test_what_is_gone_isnt_deleted() -> None:
    machine = knowing(event(1))
    machine.step(Change("Event", event(1), None), START_S + 5)
    assert woken(machine, TTL_S) == []


def test_a_failure_is_tried_again() -> None:
    machine = knowing(event(1))
    (deleted,) = woken(machine, TTL_S)
    failed = Outcome(deleted, CallError(500, "InternalError", "no luck"))
    machine.step(failed, START_S + TTL_S)
    assert machine.next_wakeup_s() == START_S + TTL_S + ROUND_S
    assert len(woken(machine, TTL_S + ROUND_S)) == 1
