"""What went differently in a replay: `kind: RecordingReplay`, and its presentation."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Annotated

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report, Seconds
from podium.api.pods import priority_class_of
from podium.api.presentation import Bullets, Presentation, Section, Table
from podium.api.priority import pod_priority
from podium.api.values.message_words import count
from podium.api.values.times import NANOS_PER_SECOND, format_time
from podium.simulation.recordings.pod_records import (
    PodRecord,
    PreemptionRecord,
    recorded_preemptions,
    scheduled_by,
)
from podium.simulation.recordings.replay import Replay
from podium.simulation.recordings.replayed_pods import ReplayedPod
from podium.simulation.timeline.timeline_sentences import clock, span

KIND = "RecordingReplay"
TOLERANCE_S = 2.0
"""Waits that differ by less are alike: no replay takes as long to decide and to bind."""

RECORDED, REPLAYED = "recorded", "replayed"


@dataclass(frozen=True, slots=True)
class PlacementDifference(Report):
    """A pod that was placed elsewhere, or only in one of the two.

    Attributes:
        pod: the pod, as the recording has it.
        recorded: its node there; null if it had none.
        replayed: its node in the replay; null if it had none.
        reason: why it has none, where it hasn't.
        instead: name of the pod that goes on in its place, as it wasn't lost in the replay.
    """

    pod: str
    recorded: OrNull
    replayed: OrNull
    reason: Annotated[str, IF_ANY]
    instead: Annotated[str, IF_ANY]


@dataclass(frozen=True, slots=True)
class PreemptionDifference(Report):
    """A preemption that there was only in the recording, or only in the replay.

    Attributes:
        only: `recorded` or `replayed`.
        at_s: when, in seconds since the beginning.
        preemptor: who needed room; null if nobody knows.
        node: where.
        victims: who had to go.
        reason: why the replay needed it.
        otherwise: what became of the preemptor in the other one.
    """

    only: str
    at_s: Seconds
    preemptor: OrNull
    node: str
    victims: Sequence[str]
    reason: Annotated[str, IF_ANY]
    otherwise: Annotated[str, IF_ANY]


@dataclass(frozen=True, slots=True)
class WaitDifference(Report):
    """A pod that was placed on the same node, but at another time.

    Attributes:
        pod: the pod.
        node: its node.
        recorded_seconds: how long it waited.
        replayed_seconds: the same in the replay.
    """

    pod: str
    node: str
    recorded_seconds: float
    replayed_seconds: float


@dataclass(frozen=True, slots=True)
class WaitingOfClass(Report):
    """How the pods of a priority class waited that came in the course of time.

    Attributes:
        priority_class: its name; null for none.
        priority: of its pods.
        pods: how many had to be placed.
        recorded_placed: how many were.
        replayed_placed: the same in the replay.
        recorded_median_seconds: how long those waited; null if none was placed.
        replayed_median_seconds: the same in the replay.
    """

    priority_class: OrNull
    priority: int
    pods: int
    recorded_placed: int
    replayed_placed: int
    recorded_median_seconds: float | None
    replayed_median_seconds: float | None


@dataclass(frozen=True, slots=True)
class GapReport(Report):
    """A time of which the recording knows only the result.

    Attributes:
        at_s: when it began, in seconds since the beginning.
        until: when it ended, likewise.
        reason: why.
    """

    at_s: Seconds
    until: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport(Report):
    """What came of playing a recording again; times are in seconds since its beginning.

    Attributes:
        recording: where it lies.
        start: its beginning, as a time.
        seconds: how long it is.
        closed: whether it ends where the recorder was told to end.
        gaps: what it doesn't know.
        pods: how many the scheduler had to place.
        alike: how many of them went, or waited, alike in both.
        recorded_preemptions: how many there were.
        replayed_preemptions: how many there were in the replay.
        placements: pods that went elsewhere.
        preemptions: those that there were only in one of the two.
        waits: pods that went to the same node at another time.
        classes: how long pods waited, the highest priority first.
    """

    api_version: str = API_VERSION
    kind: str = KIND
    recording: str
    start: str
    seconds: float
    closed: bool
    gaps: Sequence[GapReport]
    pods: int
    alike: int
    recorded_preemptions: int
    replayed_preemptions: int
    placements: Sequence[PlacementDifference]
    preemptions: Sequence[PreemptionDifference]
    waits: Sequence[WaitDifference]
    classes: Sequence[WaitingOfClass]

    @property
    def has_differences(self) -> bool:
        return bool(self.placements or self.preemptions or self.waits)


def compare(replay: Replay) -> ReplayReport:
    """Tell what went differently in a replay."""
    recording, recorded = replay.recording, recorded_preemptions(replay.records)
    pods = {
        one: (record, replay.pods[one])
        for one, record in scheduled_by(replay.records, replay.scheduler_names).items()
    }
    placements: list[PlacementDifference] = []
    waits: list[WaitDifference] = []
    for record, result in pods.values():
        if result.instead or record.node != result.node:
            reason = "" if record.node and result.node else record.message
            if not result.node:
                reason = result.message
            placements.append(
                PlacementDifference(record.key, record.node, result.node, reason, result.instead)
            )
        elif record.node:
            recorded_s = _wait_s(replay, record, record.bound_s)
            replayed_s = _wait_s(replay, record, result.bound_s)
            if abs(recorded_s - replayed_s) >= TOLERANCE_S:
                waits.append(WaitDifference(record.key, record.node, recorded_s, replayed_s))
    return ReplayReport(
        recording=recording.path,
        start=format_time(round(recording.started_s * NANOS_PER_SECOND)),
        seconds=_passed_s(replay, recording.ended_s),
        closed=recording.is_closed,
        gaps=[
            GapReport(_passed_s(replay, gap.since_s), _passed_s(replay, gap.until_s), gap.reason)
            for gap in recording.gaps
        ],
        pods=len(pods),
        alike=len(pods) - len(placements) - len(waits),
        recorded_preemptions=len(recorded),
        replayed_preemptions=len(replay.preemptions),
        placements=placements,
        preemptions=[*_preemptions(replay, recorded)],
        waits=waits,
        classes=[*_classes(replay, pods.values())],
    )


def _passed_s(replay: Replay, at_s: float) -> float:
    return round(at_s - replay.recording.started_s, 3)


def _wait_s(replay: Replay, record: PodRecord, bound_s: float | None) -> float:
    since_s = record.created_s or replay.recording.started_s
    return round((bound_s or since_s) - since_s, 3)


def _preemptions(
    replay: Replay, recorded: Iterable[PreemptionRecord]
) -> Iterator[PreemptionDifference]:
    def difference(only: str, one: PreemptionRecord, otherwise: str) -> PreemptionDifference:
        preemptor = replay.records.get(one.preemptor)
        return PreemptionDifference(
            only,
            _passed_s(replay, one.at_s),
            "" if preemptor is None else preemptor.key,
            one.node,
            sorted(replay.records[victim].key for victim in one.victims),
            one.reason,
            otherwise,
        )

    def fate(node: str, bound_s: float | None, message: str) -> str:
        if node:
            when = "" if bound_s is None else f" at {clock(_passed_s(replay, bound_s))}"
            return f"placed on {node}{when}"
        return f"stays pending: {message}" if message else "stays pending"

    replayed = {one.identity: one for one in replay.preemptions}
    matched = set()
    for one in recorded:
        # Where the preemptor isn't known, node and victims are alike in one preemption.
        begin = 0 if one.preemptor else 1
        alike = (other for other in replayed if other[begin:] == one.identity[begin:])
        if (found := next(alike, None)) is not None:
            matched.add(found)
            continue
        result = replay.pods.get(one.preemptor)
        if result is None:
            yield difference(RECORDED, one, "")
        elif result.instead:
            yield difference(RECORDED, one, f"isn't needed: {result.instead} stays")
        else:
            fared = fate(result.node, result.bound_s, result.message)
            yield difference(RECORDED, one, fared)
    for identity, one in replayed.items():
        if identity not in matched:
            record = replay.records.get(one.preemptor)
            fared = "" if record is None else fate(record.node, record.bound_s, record.message)
            yield difference(REPLAYED, one, fared)


def _classes(
    replay: Replay, pods: Iterable[tuple[PodRecord, ReplayedPod]]
) -> Iterator[WaitingOfClass]:
    groups: dict[tuple[int, str], list[tuple[PodRecord, ReplayedPod]]] = defaultdict(list)
    for record, result in pods:
        if record.created_s is not None:
            name = priority_class_of(record.first)
            groups[-pod_priority(record.first), name].append((record, result))
    for (negated, name), pairs in sorted(groups.items()):
        recorded = [_wait_s(replay, one, one.bound_s) for one, _ in pairs if one.node]
        replayed = [_wait_s(replay, one, other.bound_s) for one, other in pairs if other.node]
        yield WaitingOfClass(
            name,
            -negated,
            len(pairs),
            len(recorded),
            len(replayed),
            round(median(recorded), 3) if recorded else None,
            round(median(replayed), 3) if replayed else None,
        )


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
        Section("New pods by priority class", [Table(_CLASSES, [*_class_rows(report)])]),
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


def _class_rows(report: ReplayReport) -> Iterator[tuple[str, ...]]:
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
