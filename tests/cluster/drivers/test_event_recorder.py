"""Recorders: events as they are written, series, and what is tried again."""

from typing import Any

from podium.cluster.drivers.event_recorder import (
    FINISH_S,
    REFRESH_S,
    RETRY_S,
    EventRecorder,
    EventTimestamps,
    RecorderPurpose,
)
from podium.machines.effects import Create, Effect, Patch, Record
from podium.machines.events import UNKNOWN_OUTCOME, CallError, Outcome

NOW_S = 1_767_225_600.0
NOT_FOUND = CallError(404, "NotFound", "")
UNKNOWN = CallError(504, UNKNOWN_OUTCOME, "")


def pod(name: str = "p", version: int = 7) -> dict[str, Any]:
    metadata = {"namespace": "n", "name": name, "uid": "u", "resourceVersion": str(version)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}


def record(note: str = "No room", **fields: Any) -> Record:
    given: dict[str, Any] = {
        "regarding": pod(),
        "reporting_controller": "default-scheduler",
        "type": "Warning",
        "reason": "FailedScheduling",
        "action": "Scheduling",
        **fields,
    }
    return Record(note=note, **given)


def recorder() -> EventRecorder:
    return EventRecorder("host", EventTimestamps(), NOW_S)


def answer(recorder: EventRecorder, effect: Effect, error: CallError, now_s: float) -> list[Effect]:
    assert isinstance(effect.purpose, RecorderPurpose)
    return recorder.outcome(effect.purpose, Outcome(effect, error), now_s)


def test_an_event_is_created() -> None:
    (effect,) = recorder().record(record(annotations={"a": "1"}), NOW_S)
    assert isinstance(effect, Create)
    assert effect.kind == "Event"
    assert effect.obj == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {
            "name": f"p.{int(NOW_S) * 10**9:x}",
            "namespace": "n",
            "annotations": {"a": "1"},
        },
        "eventTime": "2026-01-01T00:00:00.000000Z",
        "reportingController": "default-scheduler",
        "reportingInstance": "default-scheduler-host",
        "action": "Scheduling",
        "reason": "FailedScheduling",
        "regarding": {
            "kind": "Pod",
            "namespace": "n",
            "name": "p",
            "uid": "u",
            "apiVersion": "v1",
            "resourceVersion": "7",
        },
        "note": "No room",
        "type": "Warning",
    }


def test_an_event_about_a_node_stands_in_the_default_namespace() -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "x", "uid": "x"}}
    (effect,) = recorder().record(record(regarding=node, related=pod()), NOW_S)
    assert isinstance(effect, Create)
    assert effect.obj["metadata"]["namespace"] == "default"
    assert effect.obj["related"]["name"] == "p"
    assert "namespace" not in effect.obj["regarding"]


def test_events_of_one_moment_have_different_names() -> None:
    stamps = EventTimestamps()
    names = {
        effect.obj["metadata"]["name"]
        for machine in (EventRecorder("a", stamps, NOW_S), EventRecorder("b", stamps, NOW_S))
        for reason in ("One", "Two")
        for effect in machine.record(record(reason=reason), NOW_S)
        if isinstance(effect, Create)
    }
    assert len(names) == 4


def test_a_name_that_would_be_too_long_is_replaced() -> None:
    (effect,) = recorder().record(record(regarding=pod("p" * 253)), NOW_S)
    assert isinstance(effect, Create)
    assert len(effect.obj["metadata"]["name"]) == 36


def test_the_second_makes_a_series_and_the_third_is_only_counted() -> None:
    one = recorder()
    (created,) = one.record(record(), NOW_S)
    (patched,) = one.record(record(note="Still no room"), NOW_S + 1)
    assert isinstance(created, Create)
    assert isinstance(patched, Patch)
    assert (patched.namespace, patched.name) == ("n", created.obj["metadata"]["name"])
    assert patched.body == {
        "series": {"count": 2, "lastObservedTime": "2026-01-01T00:00:01.000000Z"}
    }
    assert one.record(record(), NOW_S + 2) == []


def test_without_an_action_it_is_an_event_of_the_older_kind() -> None:
    one = recorder()
    (created,) = one.record(record(action=""), NOW_S)
    assert isinstance(created, Create)
    assert created.obj["apiVersion"] == "v1"
    assert created.obj["involvedObject"]["name"] == "p"
    assert created.obj["message"] == "No room"
    assert created.obj["count"] == 1
    assert "eventTime" not in created.obj
    (patched,) = one.record(record(action=""), NOW_S + 1)
    assert isinstance(patched, Patch)
    assert patched.body == {"count": 2, "lastTimestamp": "2026-01-01T00:00:01Z"}
    (other,) = one.record(record(action="", note="Still no room"), NOW_S + 2)
    assert isinstance(other, Create)


def test_another_version_of_the_object_is_another_event() -> None:
    one = recorder()
    one.record(record(), NOW_S)
    (effect,) = one.record(record(regarding=pod(version=8)), NOW_S)
    assert isinstance(effect, Create)


def test_a_series_that_has_ended_is_written_and_forgotten() -> None:
    one = recorder()
    for second in range(5):
        one.record(record(), NOW_S + second)
    assert one.next_wakeup_s() == NOW_S + FINISH_S
    assert one.wake(NOW_S + FINISH_S) == []
    (effect,) = one.wake(NOW_S + 2 * FINISH_S)
    assert isinstance(effect, Patch)
    assert effect.body["series"]["count"] == 5
    assert one.next_wakeup_s() is None
    (again,) = one.record(record(), NOW_S + 2 * FINISH_S)
    assert isinstance(again, Create)


def test_a_single_event_is_forgotten_and_not_written() -> None:
    one = recorder()
    one.record(record(), NOW_S)
    assert one.wake(NOW_S + FINISH_S + 1) == []
    assert one.next_wakeup_s() is None


def test_a_series_that_goes_on_is_written_now_and_then() -> None:
    one = recorder()
    writes = []
    for minute in range(0, 61, 3):
        writes += one.record(record(), NOW_S + minute * 60)
        writes += one.wake(NOW_S + minute * 60)
    patches = [effect for effect in writes if isinstance(effect, Patch)]
    counts = [effect.body["series"]["count"] for effect in patches]
    assert counts == [2, REFRESH_S // 180 + 1, 2 * REFRESH_S // 180 + 1]


def test_a_series_whose_event_is_gone_is_created() -> None:
    one = recorder()
    one.record(record(), NOW_S)
    (patched,) = one.record(record(), NOW_S + 1)
    (created,) = answer(one, patched, NOT_FOUND, NOW_S + 1)
    assert isinstance(created, Create)
    assert created.obj["series"]["count"] == 2


def test_a_write_without_answer_is_made_again_up_to_a_limit() -> None:
    one = recorder()
    (effect,) = one.record(record(), NOW_S)
    now_s, tries = NOW_S, 1
    while True:
        assert answer(one, effect, UNKNOWN, now_s) == []
        wakeup_s = one.next_wakeup_s()
        if wakeup_s != now_s + RETRY_S:
            break
        now_s += RETRY_S
        (effect,) = one.wake(now_s)
        tries += 1
    assert tries == 12


def test_a_refused_write_is_given_up() -> None:
    one = recorder()
    (effect,) = one.record(record(), NOW_S)
    assert answer(one, effect, CallError(403, "Forbidden", ""), NOW_S) == []
    assert one.wake(NOW_S + RETRY_S) == []
