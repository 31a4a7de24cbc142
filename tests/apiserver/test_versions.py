"""Events in their two shapes."""

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.registry import shown_version, stored_version

EVENT = KINDS["Event"]
STORED = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "e"},
    "involvedObject": {"name": "p"},
    "message": "m",
    "reportingComponent": "r",
    "count": 2,
    "reason": "R",
}
NEW_SHAPE = {
    "apiVersion": "events.k8s.io/v1",
    "kind": "Event",
    "metadata": {"name": "e"},
    "regarding": {"name": "p"},
    "note": "m",
    "reportingController": "r",
    "deprecatedCount": 2,
    "reason": "R",
}


def test_events_are_stored_in_one_shape() -> None:
    assert stored_version(EVENT, NEW_SHAPE) == STORED
    assert stored_version(EVENT, STORED) is STORED


def test_events_are_shown_in_either() -> None:
    assert shown_version(EVENT, STORED, "events.k8s.io/v1") == NEW_SHAPE
    assert shown_version(EVENT, STORED, "v1") is STORED
    assert shown_version(EVENT, STORED, "") is STORED


def test_fields_of_one_shape_mean_nothing_in_the_other() -> None:
    assert stored_version(EVENT, {**NEW_SHAPE, "involvedObject": 5, "message": "x"}) == STORED
    shown = shown_version(EVENT, {**STORED, "regarding": 5, "note": "x"}, "events.k8s.io/v1")
    assert shown == NEW_SHAPE


def test_what_does_not_say_its_kind_is_told() -> None:
    known = stored_version(KINDS["Deployment"], {"metadata": {"name": "d"}})
    assert known == {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}}
