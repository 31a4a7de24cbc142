"""Event recorders: Events as they are written, their series, and retries."""

from typing import Any

import pytest
import yaml

from podium.cluster.drivers.event_recorder import (
    FINISH_S,
    REFRESH_S,
    RETRY_S,
    TRIES_MAX,
    EventRecorder,
    EventTimestamps,
    RecorderPurpose,
)
from podium.machines.effects import Create, Effect, Patch, Record
from podium.machines.events import UNKNOWN_OUTCOME, CallError, Outcome
from tests.objects import pod

NOW_S = 1_767_225_600.0
UNKNOWN = CallError(504, UNKNOWN_OUTCOME, "")


def about(name: str = "p", version: int = 7) -> dict[str, Any]:
    return pod(name, namespace="n", uid="u", metadata={"resourceVersion": str(version)})


def record(note: str = "No room", **fields: Any) -> Record:
    given: dict[str, Any] = {
        "regarding": about(),
        "reporting_controller": "default-scheduler",
        "type": "Warning",
        "reason": "FailedScheduling",
        "action": "Scheduling",
        **fields,
    }
    return Record(note=note, **given)


@pytest.fixture
def recorder() -> EventRecorder:
    return EventRecorder("host", EventTimestamps(), NOW_S)


def answer(recorder: EventRecorder, effect: Effect, error: CallError, now_s: float) -> list[Effect]:
    assert isinstance(effect.purpose, RecorderPurpose)
    return recorder.outcome(effect.purpose, Outcome(effect, error), now_s)


def only(effects: list[Effect]) -> Any:
    (effect,) = effects
    return effect.obj if isinstance(effect, Create) else effect.body


EVENT = """
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: p.18867251edfa0000, namespace: n, annotations: {a: "1"}}
eventTime: "2026-01-01T00:00:00.000000Z"
reportingController: default-scheduler
reportingInstance: default-scheduler-host
action: Scheduling
reason: FailedScheduling
regarding: {apiVersion: v1, kind: Pod, namespace: n, name: p, uid: u, resourceVersion: "7"}
note: No room
type: Warning
"""


def test_an_event_is_created(recorder: EventRecorder) -> None:
    event = only(recorder.record(record(annotations={"a": "1"}), NOW_S))
    assert event == yaml.safe_load(EVENT)
    assert event["metadata"]["name"] == f"p.{int(NOW_S) * 10**9:x}"


def test_an_event_about_a_node_is_in_the_default_namespace(recorder: EventRecorder) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "x", "uid": "x"}}
    event = only(recorder.record(record(regarding=node, related=about()), NOW_S))
    assert (event["metadata"]["namespace"], event["related"]["name"]) == ("default", "p")
    assert "namespace" not in event["regarding"]


def test_names_differ_at_one_moment_and_are_replaced_where_they_are_too_long() -> None:
    stamps = EventTimestamps()
    names = {
        only(machine.record(record(reason=reason), NOW_S))["metadata"]["name"]
        for machine in (EventRecorder("a", stamps, NOW_S), EventRecorder("b", stamps, NOW_S))
        for reason in ("One", "Two")
    }
    assert len(names) == 4
    long = EventRecorder("a", stamps, NOW_S).record(record(regarding=about("p" * 253)), NOW_S)
    assert len(only(long)["metadata"]["name"]) == 36


def test_the_second_makes_a_series_and_the_third_is_only_counted(recorder: EventRecorder) -> None:
    created = only(recorder.record(record(), NOW_S))
    (patched,) = recorder.record(record(note="Still no room"), NOW_S + 1)
    assert isinstance(patched, Patch)
    assert (patched.namespace, patched.name) == ("n", created["metadata"]["name"])
    series = {"count": 2, "lastObservedTime": "2026-01-01T00:00:01.000000Z"}
    assert patched.body == {"series": series}
    assert recorder.record(record(), NOW_S + 2) == []
    another_version = record(regarding=about(version=8))
    assert "series" not in only(recorder.record(another_version, NOW_S))


def test_without_an_action_it_is_an_event_of_the_older_kind(recorder: EventRecorder) -> None:
    older = only(recorder.record(record(action=""), NOW_S))
    assert (older["apiVersion"], older["message"], older["count"]) == ("v1", "No room", 1)
    assert older["involvedObject"]["name"] == "p"
    assert "eventTime" not in older
    repeated = only(recorder.record(record(action=""), NOW_S + 1))
    assert repeated == {"count": 2, "lastTimestamp": "2026-01-01T00:00:01Z"}
    other = only(recorder.record(record(action="", note="Still no room"), NOW_S + 2))
    assert other["count"] == 1


def test_a_series_that_has_ended_is_written_and_forgotten(recorder: EventRecorder) -> None:
    for second in range(5):
        recorder.record(record(), NOW_S + second)
    assert recorder.next_wakeup_s() == NOW_S + FINISH_S
    assert recorder.wake(NOW_S + FINISH_S) == []
    assert only(recorder.wake(NOW_S + 2 * FINISH_S))["series"]["count"] == 5
    assert recorder.next_wakeup_s() is None
    assert "series" not in only(recorder.record(record(), NOW_S + 2 * FINISH_S))
    # A single event is forgotten without a write.
    assert recorder.wake(NOW_S + 4 * FINISH_S) == []
    assert recorder.next_wakeup_s() is None


def test_a_series_that_goes_on_is_written_now_and_then(recorder: EventRecorder) -> None:
    writes = []
    for minute in range(0, 61, 3):
        writes += recorder.record(record(), NOW_S + minute * 60)
        writes += recorder.wake(NOW_S + minute * 60)
    counts = [one.body["series"]["count"] for one in writes if isinstance(one, Patch)]
    assert counts == [2, REFRESH_S // 180 + 1, 2 * REFRESH_S // 180 + 1]


def test_a_series_whose_event_is_gone_is_created(recorder: EventRecorder) -> None:
    recorder.record(record(), NOW_S)
    (patched,) = recorder.record(record(), NOW_S + 1)
    created = only(answer(recorder, patched, CallError(404, "NotFound", ""), NOW_S + 1))
    assert created["series"]["count"] == 2


def test_a_write_without_answer_is_made_again_up_to_a_limit(recorder: EventRecorder) -> None:
    (effect,) = recorder.record(record(), NOW_S)
    now_s, tries = NOW_S, 1
    while answer(recorder, effect, UNKNOWN, now_s) == []:
        if recorder.next_wakeup_s() != now_s + RETRY_S:
            break
        now_s += RETRY_S
        (effect,) = recorder.wake(now_s)
        tries += 1
    assert tries == TRIES_MAX == 12


def test_a_refused_write_is_given_up(recorder: EventRecorder) -> None:
    (effect,) = recorder.record(record(), NOW_S)
    assert answer(recorder, effect, CallError(403, "Forbidden", ""), NOW_S) == []
    assert recorder.wake(NOW_S + RETRY_S) == []
