"""The recorder: what is written, when, and how it goes on after it was killed."""

from pathlib import Path
from typing import Any

from podium.machines.events import Change, Synced, Woken
from podium.simulation.recordings.recorder import FLUSH_S, RecorderMachine
from podium.simulation.recordings.segments import (
    Recording,
    RecordingGap,
    SegmentWriter,
    read_recording,
)


def pod(name: str, version: int = 1, **metadata: Any) -> dict[str, Any]:
    container = {
        "name": "c",
        "image": "i",
        "command": ["run", "--password=secret"],
        "env": [{"name": "TOKEN", "value": "secret"}],
        "envFrom": [{"secretRef": {"name": "s"}}],
        "resources": {"requests": {"cpu": "1"}},
    }
    said = {"name": name, "namespace": "default", "uid": name, "resourceVersion": str(version)}
    spec = {"containers": [container], "initContainers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**said, **metadata}, "spec": spec}


class Recorder:
    """A recorder that is told what a test says; it may be killed."""

    def __init__(self, directory: Path) -> None:
        self.writer = SegmentWriter(directory)
        self.machine = RecorderMachine(self.writer)
        self._directory = directory

    def sees(self, at_s: float, *objects: dict[str, Any]) -> None:
        for obj in objects:
            self.machine.step(Change(obj["kind"], None, obj), at_s)

    def loses(self, at_s: float, obj: dict[str, Any]) -> None:
        self.machine.step(Change(obj["kind"], obj, None), at_s)

    def syncs(self, at_s: float) -> None:
        self.machine.step(Synced(), at_s)

    def kill(self) -> None:
        self.writer.close()

    def read(self) -> Recording:
        return read_recording(self._directory)


def told(recording: Recording) -> list[tuple[float, str | None, str | None]]:
    def version(obj: Any) -> str | None:
        return (
            None
            if obj is None
            else f"{obj['metadata']['name']}@{obj['metadata']['resourceVersion']}"
        )

    return [(one.at_s, version(one.old), version(one.new)) for one in recording.changes]


def test_first_the_state_then_what_happens(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.sees(10.0, pod("a"), pod("b"))
    recorder.syncs(10.5)
    recorder.sees(11.0, pod("a", 2), pod("c", 3))
    recorder.loses(12.0, pod("b", 4))
    recorder.machine.end(13.0)
    recorder.kill()
    recording = recorder.read()
    assert [one["metadata"]["name"] for one in recording.state] == ["a", "b"]
    assert told(recording) == [(11.0, "a@1", "a@2"), (11.0, None, "c@3"), (12.0, "b@4", None)]
    assert (recording.started_s, recording.ended_s, recording.is_closed) == (10.5, 13.0, True)
    assert not recording.gaps


def test_nobodys_business_is_left_out(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    notes = {"kubectl.kubernetes.io/last-applied-configuration": "secret", "kept": "k"}
    recorder.sees(10.0, pod("a", annotations=notes, managedFields=["secret"]))
    template = {"spec": {"template": {"spec": pod("t")["spec"]}}}
    recorder.sees(10.0, {**pod("r"), "kind": "ReplicaSet", "apiVersion": "apps/v1", **template})
    recorder.syncs(10.0)
    recorder.kill()
    (written, _) = recorder.read().state
    assert "secret" not in str(recorder.read().state)
    assert written["metadata"]["annotations"] == {"kept": "k"}
    assert written["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "1"}}


def test_it_writes_within_a_second(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.syncs(10.0)
    assert recorder.machine.next_wakeup_s() is None
    recorder.sees(11.0, pod("a"))
    recorder.sees(11.5, pod("b"))
    assert recorder.machine.next_wakeup_s() == 11.0 + FLUSH_S
    assert not recorder.read().changes
    recorder.machine.step(Woken(), 12.0)
    assert len(recorder.read().changes) == 2
    assert recorder.machine.next_wakeup_s() is None
    assert not recorder.read().is_closed
    recorder.kill()


def test_after_a_kill_it_writes_what_has_changed_and_tells_the_gap(tmp_path: Path) -> None:
    killed = Recorder(tmp_path)
    killed.sees(10.0, pod("a"), pod("b"), pod("c"), pod("d"))
    killed.syncs(10.0)
    killed.sees(11.0, pod("a", 2))
    killed.machine.step(Woken(), 12.0)
    killed.sees(12.5, pod("lost", 3))
    killed.kill()
    recorder = Recorder(tmp_path)
    recorder.sees(20.0, pod("a", 2), pod("c", 5), pod("d", 6, uid="another"), pod("e", 7))
    recorder.syncs(21.0)
    recorder.sees(22.0, pod("f", 8))
    recorder.machine.end(23.0)
    recorder.kill()
    recording = recorder.read()
    assert told(recording)[1:] == [
        (20.0, "c@1", "c@5"),
        (20.0, "d@1", None),
        (20.0, None, "d@6"),
        (20.0, None, "e@7"),
        (21.0, "b@1", None),
        (22.0, None, "f@8"),
    ]
    assert recording.gaps == [RecordingGap(11.0, 20.0, "no recorder was running")]


def test_a_watch_that_has_expired_leaves_a_gap(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.syncs(10.0)
    recorder.sees(11.0, pod("a"))
    recorder.machine.missed("the watch of Pod had expired", 15.0)
    recorder.loses(16.0, pod("a"))
    recorder.machine.end(17.0)
    recorder.kill()
    assert recorder.read().gaps == [RecordingGap(11.0, 15.0, "the watch of Pod had expired")]


def test_of_what_only_selects_pods_its_status_is_nothing_new(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    service = {**pod("s"), "kind": "Service", "spec": {"selector": {"app": "a"}}}
    recorder.sees(10.0, service)
    recorder.syncs(10.0)
    again = {**service, "metadata": {**service["metadata"], "resourceVersion": "2"}}
    recorder.sees(11.0, {**again, "status": {"loadBalancer": {}}})
    third = {**service["metadata"], "resourceVersion": "3"}
    recorder.sees(12.0, {**again, "metadata": third, "spec": {"selector": {"app": "b"}}})
    recorder.machine.end(13.0)
    recorder.kill()
    assert [at_s for at_s, _, _ in told(recorder.read())] == [12.0]
