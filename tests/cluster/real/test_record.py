"""A story that is recorded, through a kill of the recorder, and played again."""

import json
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from podium.api.errors import PodiumError
from podium.simulation.recordings.segments import Recording, read_recording
from podium.ui.command_line.main import app
from tests.cluster.real.conftest import StartPodium, on_both
from tests.cluster.real.control_plane import PATIENCE_S
from tests.cluster.real.world import World, pod, until
from tests.processes import start_podium
from tests.simulation.recordings.recorded import NO_PREEMPTION

AFTERMATH_S = 2.0
"""So much longer than the last binding is recorded: a replay may bind up to a second later."""


class Recorder:
    """`podium record` as a process of its own."""

    def __init__(self, world: World, directory: Path) -> None:
        self._directory = directory
        self._log = directory.with_suffix(f".{time.monotonic_ns()}")
        config = str(world.plane.kubeconfig())
        self._process = start_podium(self._log, "record", "-o", str(directory), KUBECONFIG=config)
        self.wait(lambda: "records into" in self._log.read_text())

    def wait(self, look: Callable[[], bool]) -> None:
        """Wait for something, as long as the process runs."""

        def found() -> bool:
            assert self._process.poll() is None, self._log.read_text()
            return look()

        until(found)

    def wait_written(self, name: str) -> None:
        """Wait until the file tells that a pod is on a node."""
        self.wait(lambda: name in bound(self._directory))

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self, number: signal.Signals) -> int:
        self.send(number)
        return self._process.wait(PATIENCE_S)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def read(directory: Path) -> Recording | None:
    """What is in the files by now; None if that isn't enough yet."""
    with suppress(PodiumError):
        return read_recording(directory)
    return None


def bound(directory: Path) -> set[str]:
    recording = read(directory)
    seen = [] if recording is None else [one.new for one in recording.changes if one.kind == "Pod"]
    return {one["metadata"]["name"] for one in seen if one and one["spec"].get("nodeName")}


def replayed(directory: Path, *options: str) -> Any:
    command = ["simulate", "--recording", str(directory), "-o", "json", *options]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@on_both
def test_what_happens_is_recorded_and_played_again(
    world: World, podium: StartPodium, tmp_path: Path
) -> None:
    world.priority("high", 1000)
    world.priority("higher", 2000)
    world.node("a", cpu="4")
    podium("--no-leader-elect")
    world.create(pod("low-1", cpu="3"))
    world.wait_bound("low-1")
    directory, configuration = tmp_path / "recording", tmp_path / "without.yaml"
    recorder = Recorder(world, directory)
    try:
        world.create(pod("first-1", cpu="500m", priorityClassName="higher"))
        recorder.wait_written("first-1")
        recorder.end(signal.SIGKILL)
        world.create(pod("unseen-1", cpu="500m", priorityClassName="higher"))
        world.wait_bound("unseen-1")
        recorder = Recorder(world, directory)
        world.create(pod("vip-1", cpu="3", priorityClassName="high"))
        recorder.wait_written("vip-1")
        time.sleep(AFTERMATH_S)
        assert recorder.end(signal.SIGTERM) == 0
    finally:
        recorder.close()
    as_it_was = replayed(directory)
    assert as_it_was["closed"]
    assert [gap["reason"] for gap in as_it_was["gaps"]] == ["no recorder was running"]
    assert (as_it_was["placements"], as_it_was["preemptions"]) == ([], [])
    assert (as_it_was["recordedPreemptions"], as_it_was["replayedPreemptions"]) == (1, 1)
    configuration.write_text(NO_PREEMPTION)
    otherwise = replayed(directory, "--config", str(configuration))
    (preemption,) = otherwise["preemptions"]
    assert (preemption["only"], preemption["node"]) == ("recorded", "a")
    assert preemption["preemptor"] == "default/vip-1"
    assert preemption["victims"] == ["default/low-1"]
    (placement,) = otherwise["placements"]
    assert (placement["pod"], placement["recorded"]) == ("default/vip-1", "a")
    assert placement["replayed"] is None


def test_after_a_compaction_it_tells_of_the_gap_and_goes_on(world: World, tmp_path: Path) -> None:
    world.node("a", cpu="4")
    directory = tmp_path / "recording"
    recorder = Recorder(world, directory)
    try:
        world.create(pod("early-1", nodeName="a"))
        recorder.wait_written("early-1")
        recorder.send(signal.SIGSTOP)
        world.create(pod("meanwhile-1", nodeName="a"))
        world.delete("early-1", 0)
        world.plane.restart()
        recorder.send(signal.SIGCONT)
        recorder.wait_written("meanwhile-1")
        world.create(pod("late-1", nodeName="a"))
        recorder.wait_written("late-1")
        assert recorder.end(signal.SIGTERM) == 0
    finally:
        recorder.close()
    recording = read(directory)
    assert recording is not None
    assert "the watch of Pod had expired" in {gap.reason for gap in recording.gaps}
    gone = [one.old["metadata"]["name"] for one in recording.changes if one.new is None]
    assert "early-1" in gone
