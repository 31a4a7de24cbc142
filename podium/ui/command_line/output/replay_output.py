"""Plays a recording for `podium simulate`, and prints what went differently."""

from collections.abc import Sequence
from pathlib import Path

from podium.simulation.recordings.comparison import ReplayReport, compare
from podium.simulation.recordings.recording_reader import read_recording
from podium.simulation.recordings.replay import replay
from podium.simulation.recordings.replay_presentation import replay_presentation
from podium.simulation.timeline.timeline_sentences import clock
from podium.ui.command_line.output.output import (
    UNSEEN,
    AdviceOutput,
    Progress,
    print_warnings,
    working,
)
from podium.ui.inputs.configurations import read_scheduler_config
from podium.ui.writers.terminal import print_advice


def print_replay(
    directory: Path, config: str | None, plugins: Sequence[str], output: AdviceOutput
) -> None:
    """Play a recording, and print what went differently; raises as `replayed` does."""
    with working("replaying") as progress:
        report, notes = replayed(directory, config, plugins, progress)
    print_warnings(notes)
    print_advice(report, replay_presentation(report), output)


def replayed(
    directory: Path,
    config: str | None,
    plugins: Sequence[str],
    progress: Progress = UNSEEN,
) -> tuple[ReplayReport, Sequence[str]]:
    """What goes differently in a replay, and what is odd about the configuration.

    Args:
        directory: of the recording.
        config: another KubeSchedulerConfiguration than the recorded one; None for that.
        plugins: `FILE:CLASS` of plugins that decide as well.
        progress: is told how far it is.

    Raises:
        PodiumError: the recording can't be played, or something asked for is wrong.
    """
    recording = read_recording(directory)
    if config is None and recording.configuration:
        loaded = read_scheduler_config(str(directory), plugins, recording.configuration)
    else:
        loaded = read_scheduler_config(config, plugins)
    total = f"{len(recording.changes):,}"
    played = replay(
        recording,
        loaded.configuration if loaded else None,
        loaded.options if loaded else None,
        lambda at_s, number: progress.tell(
            lambda: f"replaying: {clock(at_s)}, change {number:,} of {total}"
        ),
    )
    return compare(played), loaded.notes if loaded else ()
