"""Plays a recording for `podium simulate`, and prints what went differently."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from podium.cli.collecting import collect_rarely
from podium.cli.configurations import read_scheduler_config, scheduler_config_of
from podium.cli.options import InputError
from podium.cli.output import (
    console,
    count,
    print_lines,
    print_report,
    print_section,
    print_warnings,
    working,
)
from podium.config.load import Loaded
from podium.documents.report import plain
from podium.recording.comparison import (
    PlacementDifference,
    PreemptionDifference,
    ReplayReport,
    WaitingOfClass,
    compare,
)
from podium.recording.reading import Recording, read_recording
from podium.recording.replay import replay
from podium.simulation.timeline_sentences import clock, span

_NONE = "-"
_SAME = "Nothing went differently."


def print_replay(
    directory: Path,
    config: str | None,
    plugins: Sequence[str],
    output: str,
    unheeded: Sequence[str],
) -> None:
    """Play a recording, and print what went differently.

    Args:
        directory: of the recording.
        config: another KubeSchedulerConfiguration than the recorded one; None for that.
        plugins: `FILE:CLASS` of plugins that decide as well.
        output: how to print it.
        unheeded: what was asked for that makes no sense with a recording.

    Raises:
        PodiumError: the recording can't be played, or something asked for is wrong.
    """
    if unheeded:
        raise InputError(f"{' and '.join(unheeded)}: a recording can't be combined with that")
    recording = read_recording(directory)
    loaded: Loaded | None
    if config is None and recording.configuration:
        loaded = scheduler_config_of(recording.configuration, str(directory), plugins)
    else:
        loaded = read_scheduler_config(config, plugins)
    print_warnings(loaded.notes if loaded else ())
    collect_rarely()
    with working("replaying") as shown:
        played = replay(
            recording,
            loaded.configuration if loaded else None,
            loaded.options if loaded else None,
            lambda passed_s, number: shown.tell(lambda: _how_far(recording, passed_s, number)),
        )
    report = compare(played)
    if output == "timeline":
        print_differences(console(), report)
    else:
        print_report(plain(report), output)


def _how_far(recording: Recording, passed_s: float, number: int) -> str:
    return f"replaying: {clock(passed_s)}, change {number:,} of {len(recording.changes):,}"


def print_differences(out: Console, report: ReplayReport) -> None:
    """Print what went differently, in tables, and a summary."""
    gaps = (
        f"{clock(gap.at_s)} to {clock(gap.until)}: {gap.reason}; only the result is known"
        for gap in report.gaps
    )
    print_lines(out, "Gaps of the recording", gaps)
    headings = ["POD", "RECORDED", "REPLAYED", "WHY"]
    rows = [
        [one.pod, *map(_or_none, (one.recorded, one.replayed)), _why(one)]
        for one in report.placements
    ]
    print_section(out, "Placed elsewhere", headings, rows)
    headings = ["ONLY", "AT", "PREEMPTOR", "NODE", "VICTIMS", "INSTEAD, AND WHY"]
    print_section(out, "Preempted otherwise", headings, map(_preemption, report.preemptions))
    headings = ["POD", "NODE", "RECORDED", "REPLAYED"]
    waits = [
        [one.pod, one.node, span(one.recorded_seconds), span(one.replayed_seconds)]
        for one in report.waits
    ]
    print_section(out, "Waited otherwise", headings, waits)
    _print_classes(out, report.classes)
    out.print(Text(_summary(report)))


def _why(one: PlacementDifference) -> str:
    return f"{one.instead} stays, and stands for it" if one.instead else one.reason or _NONE


def _preemption(one: PreemptionDifference) -> list[str]:
    otherwise = " ".join(_sentences(one))
    preemptor, victims = _or_none(one.preemptor), ", ".join(one.victims)
    return [one.only, clock(one.at_s), preemptor, one.node, victims, otherwise or _NONE]


def _sentences(one: PreemptionDifference) -> Iterator[str]:
    other = "replay" if one.only == "recorded" else "recording"
    if one.otherwise:
        yield f"in the {other}: {one.otherwise.rstrip('.')}."
    if one.reason:
        yield one.reason


_CLASS_COLUMNS: Sequence[tuple[str, Callable[[WaitingOfClass], str]]] = (
    ("CLASS", lambda one: _or_none(one.priority_class)),
    ("PRIORITY", lambda one: str(one.priority)),
    ("PODS", lambda one: str(one.pods)),
    ("PLACED", lambda one: str(one.recorded_placed)),
    ("REPLAYED", lambda one: str(one.replayed_placed)),
    ("MEDIAN WAIT", lambda one: _span(one.recorded_median_seconds)),
    ("REPLAYED", lambda one: _span(one.replayed_median_seconds)),
)


def _print_classes(out: Console, classes: Sequence[WaitingOfClass]) -> None:
    rows = [[told(one) for _, told in _CLASS_COLUMNS] for one in classes]
    headings = [heading for heading, _ in _CLASS_COLUMNS]
    print_section(out, "New pods by priority class", headings, rows)


def _summary(report: ReplayReport) -> str:
    preempted = count(report.recorded_preemptions, "preemption")
    text = (
        f"{report.recording}: {span(report.seconds)} from {report.start}. "
        f"{count(report.pods, 'pod')} to place, {report.alike} alike; {preempted} recorded, "
        f"{report.replayed_preemptions} in the replay."
    )
    if not report.closed:
        text += " The recorder was killed, or goes on."
    return text if report.has_differences else f"{_SAME} {text}"


def _or_none(text: str) -> str:
    return text or _NONE


def _span(seconds: float | None) -> str:
    return _NONE if seconds is None else span(seconds)
