"""Events expire, counted from the last time that they were told of."""

from typing import Any

import pytest

from podium.control.effects import Delete, Effect
from podium.control.events import Change, Synced, Woken
from podium.controllers.event_expiry import TTL_S, EventExpiry

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


def woken(machine: EventExpiry, at_s: float) -> list[Effect]:
    return [*machine.step(Woken(), START_S + at_s)]


@pytest.mark.parametrize(
    ("fields", "told_s"),
    [
        ({}, 0.0),
        ({"lastTimestamp": "2026-01-01T00:00:20Z"}, 20.0),
        ({"eventTime": "2026-01-01T00:00:00.500000Z"}, 0.5),
        ({"series": {"count": 2, "lastObservedTime": "2026-01-01T00:10:00.000000Z"}}, 600.0),
    ],
)
def test_an_hour_after_it_was_told_of(fields: dict[str, Any], told_s: float) -> None:
    machine = EventExpiry()
    machine.step(Change("Event", None, event(1, **fields)), START_S)
    machine.step(Synced(), START_S)
    assert woken(machine, 0.0) == []
    assert machine.next_wakeup_s() == START_S + told_s + TTL_S
    (deleted,) = woken(machine, told_s + TTL_S)
    assert isinstance(deleted, Delete)
    assert (deleted.kind, deleted.namespace, deleted.name, deleted.uid) == (
        "Event",
        "default",
        "e",
        "u",
    )


def test_what_is_told_of_again_stays_longer() -> None:
    machine = EventExpiry()
    first, again = event(1), event(2, lastTimestamp="2026-01-01T00:30:00Z")
    machine.step(Change("Event", None, first), START_S)
    machine.step(Synced(), START_S)
    woken(machine, 0.0)
    machine.step(Change("Event", first, again), START_S + 1800)
    assert woken(machine, TTL_S) == []
    assert len(woken(machine, TTL_S + 1800)) == 1
