"""Presentation of the differences between a recording and its replay."""

from collections.abc import Iterator

from podium.api.presentation import Bullets, Presentation, Section, Table
from podium.api.values.message_words import count
from podium.simulation.recordings.comparison import (
    PlacementDifference,
    PreemptionDifference,
    ReplayReport,
)
from podium.simulation.timeline.timeline_sentences import clock, span

_NONE = "-"
_SAME = "Nothing went differently."
_CLASSES = ("Class", "Priority", "Pods", "Placed", "Replayed", "Median wait", "Replayed")


def replay_presentation(report: ReplayReport) -> Presentation:
    """A summary, and a table for each sort of difference."""
    gaps = [
        f"{clock(gap.at_s)} to {clock(gap.until)}: {gap.reason}; only the result is known"
        for gap in report.gaps
    ]
    waits = [
        (one.pod, one.node, span(one.recorded_seconds), span(one.replayed_seconds))
        for one in report.waits
    ]
    placed = Table(("Pod", "Recorded", "Replayed", "Why"), [*map(_placement, report.placements)])
    headers = ("Only", "At", "Preemptor", "Node", "Victims", "Instead, and why")
    preempted = Table(headers, [*map(_preemption, report.preemptions)])
    waited = Table(("Pod", "Node", "Recorded", "Replayed"), waits)
    sections = [
        Section("Gaps of the recording", [Bullets(gaps)]),
        Section("Placed elsewhere", [placed]),
        Section("Preempted otherwise", [preempted]),
        Section("Waited otherwise", [waited]),
        Section("New pods by priority class", [Table(_CLASSES, [*_classes(report)])]),
    ]
    return Presentation(
        f"Podium simulate --recording {report.recording}", _summary(report), sections
    )


def _placement(one: PlacementDifference) -> tuple[str, ...]:
    why = f"{one.instead} stays, and stands for it" if one.instead else one.reason or _NONE
    return one.pod, one.recorded or _NONE, one.replayed or _NONE, why


def _preemption(one: PreemptionDifference) -> tuple[str, ...]:
    otherwise = " ".join(_sentences(one)) or _NONE
    victims = ", ".join(one.victims)
    return one.only, clock(one.at_s), one.preemptor or _NONE, one.node, victims, otherwise


def _sentences(one: PreemptionDifference) -> Iterator[str]:
    other = "replay" if one.only == "recorded" else "recording"
    if one.otherwise:
        yield f"in the {other}: {one.otherwise.rstrip('.')}."
    if one.reason:
        yield one.reason


def _classes(report: ReplayReport) -> Iterator[tuple[str, ...]]:
    for one in report.classes:
        placed = str(one.recorded_placed), str(one.replayed_placed)
        waits = one.recorded_median_seconds, one.replayed_median_seconds
        medians = (_NONE if wait is None else span(wait) for wait in waits)
        yield one.priority_class or _NONE, str(one.priority), str(one.pods), *placed, *medians


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
