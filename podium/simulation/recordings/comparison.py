"""The differences between a recording and its replay: `kind: RecordingReplay`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Annotated

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report
from podium.api.pods import priority_class_of
from podium.api.presentation import Bullets, Presentation, Section, Table
from podium.api.priority import pod_priority
from podium.api.values.message_words import count
from podium.api.values.times import NANOS_PER_SECOND, format_time
from podium.simulation.recordings.pod_records import (
    PodRecord,
    PreemptionRecord,
    recorded_preemptions,
)
from podium.simulation.recordings.replay import Replay, ReplayedPod
from podium.simulation.timeline.timeline_sentences import clock, span

KIND = "RecordingReplay"
TOLERANCE_S = 2.0
"""The difference from which on waits differ: no replay takes as long to decide and to bind."""

RECORDED, REPLAYED = "recorded", "replayed"


class PlacementDifference(Report):
    """A pod that was bound to different nodes, or only in the recording or only in the replay."""

    pod: str
    """The recorded pod, `namespace/name`."""
    recorded: OrNull
    """Node of the pod in the recording; null if it had none."""
    replayed: OrNull
    """Node of the pod in the replay; null if it had none."""
    reason: Annotated[str, IF_ANY]
    """Why the pod couldn't be scheduled, if it has no node in one of them."""
    instead: Annotated[str, IF_ANY]
    """Name of the pod that takes its place in the replay; the recorded pod replaced that pod, which
    wasn't lost in the replay."""


class PreemptionDifference(Report):
    """A preemption of the recording or of the replay alone."""

    only: str
    """`recorded` or `replayed`."""
    at: float
    """When it happened, in seconds since the beginning."""
    preemptor: OrNull
    """The preemptor; null if unknown."""
    node: str
    """Node of the victims."""
    victims: Sequence[str]
    """The victims."""
    reason: Annotated[str, IF_ANY]
    """Why the preemptor didn't fit in the replay."""
    otherwise: Annotated[str, IF_ANY]
    """What happened to the preemptor where it didn't preempt."""


class WaitDifference(Report):
    """A pod that was bound to the recorded node, but at another time."""

    pod: str
    """The pod, `namespace/name`."""
    node: str
    """Node of the pod."""
    recorded_seconds: float
    """How long the pod waited in the recording."""
    replayed_seconds: float
    """How long the pod waited in the replay."""


class WaitingOfClass(Report):
    """The waiting times of the new pods of a priority class."""

    priority_class: OrNull
    """Name of the PriorityClass; null for none."""
    priority: int
    """Priority of the pods."""
    pods: int
    """Number of pods to place."""
    recorded_placed: int
    """Number of pods that were placed in the recording."""
    replayed_placed: int
    """Number of pods that were placed in the replay."""
    recorded_median_seconds: float | None
    """Median wait of pods placed in the recording; null if none were."""
    replayed_median_seconds: float | None
    """Median wait of pods placed in the replay; null if none were."""


class GapReport(Report):
    """A time in which no recorder ran, so that only the changes in sum are known."""

    at: float
    """When the gap began, in seconds since the beginning."""
    until: float
    """When the gap ended, in seconds since the beginning."""
    reason: str
    """Why there is a gap."""


class ReplayReport(Report, kw_only=True):
    """The result of a replay; times are in seconds since the beginning of the recording."""

    api_version: str = API_VERSION
    kind: str = KIND
    recording: str
    """Directory of the recording."""
    start: str
    """Time at which the recording begins."""
    seconds: float
    """Length of the recording."""
    closed: bool
    """Whether the recorder was stopped regularly, rather than killed."""
    gaps: Sequence[GapReport]
    """Gaps of the recording."""
    pods: int
    """Number of pods that the scheduler had to place."""
    alike: int
    """Number of these pods with equal placements and waits in the recording and the replay."""
    recorded_preemptions: int
    """Number of preemptions in the recording."""
    replayed_preemptions: int
    """Number of preemptions in the replay."""
    placements: Sequence[PlacementDifference]
    """Pods that were bound to other nodes."""
    preemptions: Sequence[PreemptionDifference]
    """Preemptions of the recording or the replay alone."""
    waits: Sequence[WaitDifference]
    """Pods that were bound to the recorded node at another time."""
    classes: Sequence[WaitingOfClass]
    """Waits by priority class, the highest priority first."""

    @property
    def has_differences(self) -> bool:
        return bool(self.placements or self.preemptions or self.waits)


def compare(replay: Replay) -> ReplayReport:
    """Compare a replay with its recording."""
    recording, recorded = replay.recording, recorded_preemptions(replay.records)
    pods = [
        (record, replay.pods[pod_uid])
        for pod_uid, record in replay.records.items()
        if not record.given_node and record.scheduler_name in replay.scheduler_names
    ]
    placements: list[PlacementDifference] = []
    waits: list[WaitDifference] = []
    for record, result in pods:
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
        classes=[*_classes(replay, pods)],
    )


def _passed_s(replay: Replay, at_s: float) -> float:
    return round(at_s - replay.recording.started_s, 3)


def _wait_s(replay: Replay, record: PodRecord, bound_s: float | None) -> float:
    since_s = record.created_s or replay.recording.started_s
    return round((bound_s or since_s) - since_s, 3)


def _preemptions(
    replay: Replay, recorded: Iterable[PreemptionRecord]
) -> Iterator[PreemptionDifference]:
    def difference(only: str, preemption: PreemptionRecord, otherwise: str) -> PreemptionDifference:
        preemptor = replay.records.get(preemption.preemptor)
        return PreemptionDifference(
            only,
            _passed_s(replay, preemption.at_s),
            "" if preemptor is None else preemptor.key,
            preemption.node,
            sorted(replay.records[victim].key for victim in preemption.victims),
            preemption.reason,
            otherwise,
        )

    def fate(pod: PodRecord | ReplayedPod | None) -> str:
        if pod is None:
            return ""
        if not pod.node:
            return f"stays pending: {pod.message}" if pod.message else "stays pending"
        when = "" if pod.bound_s is None else f" at {clock(_passed_s(replay, pod.bound_s))}"
        return f"placed on {pod.node}{when}"

    replayed = {preemption.identity: preemption for preemption in replay.preemptions}
    matched = set()
    for one in recorded:
        # If the preemptor isn't known, node and victims of a preemption are compared.
        begin = 0 if one.preemptor else 1
        alike = (other for other in replayed if other[begin:] == one.identity[begin:])
        if (match := next(alike, None)) is not None:
            matched.add(match)
            continue
        result = replay.pods.get(one.preemptor)
        if result is not None and result.instead:
            yield difference(RECORDED, one, f"isn't needed: {result.instead} stays")
        else:
            yield difference(RECORDED, one, fate(result))
    for identity, one in replayed.items():
        if identity not in matched:
            yield difference(REPLAYED, one, fate(replay.records.get(one.preemptor)))


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
_CLASSES = ("Class", "Priority", "Pods", "Placed", "Replayed", "Median wait", "Replayed")


def replay_presentation(report: ReplayReport) -> Presentation:
    """Present a replay: a summary, and a table for each kind of difference."""
    summary = (
        f"{report.recording}: {span(report.seconds)} from {report.start}. "
        f"{count(report.pods, 'pod')} to place, {report.alike} alike; "
        f"{count(report.recorded_preemptions, 'preemption')} recorded, "
        f"{report.replayed_preemptions} in the replay."
    )
    if not report.closed:
        summary += " The recorder was killed, or goes on."
    if not report.has_differences:
        summary = f"Nothing went differently. {summary}"
    gaps = [
        f"{clock(gap.at)} to {clock(gap.until)}: {gap.reason}; only the result is known"
        for gap in report.gaps
    ]
    placements = [
        (
            one.pod,
            one.recorded or _NONE,
            one.replayed or _NONE,
            f"{one.instead} stays, and stands for it" if one.instead else one.reason or _NONE,
        )
        for one in report.placements
    ]
    preemptions = []
    for one in report.preemptions:
        other = "replay" if one.only == RECORDED else "recording"
        otherwise = f"in the {other}: {one.otherwise.rstrip('.')}. " if one.otherwise else ""
        why = (otherwise + one.reason).rstrip() or _NONE
        victims = ", ".join(one.victims)
        row = (one.only, clock(one.at), one.preemptor or _NONE, one.node, victims, why)
        preemptions.append(row)
    waits = [
        (wait.pod, wait.node, span(wait.recorded_seconds), span(wait.replayed_seconds))
        for wait in report.waits
    ]
    classes = [
        (
            class_.priority_class or _NONE,
            str(class_.priority),
            str(class_.pods),
            str(class_.recorded_placed),
            str(class_.replayed_placed),
            *(
                _NONE if wait_s is None else span(wait_s)
                for wait_s in (class_.recorded_median_seconds, class_.replayed_median_seconds)
            ),
        )
        for class_ in report.classes
    ]
    headers = ("Only", "At", "Preemptor", "Node", "Victims", "Instead, and why")
    sections = [
        Section("Gaps of the recording", [Bullets(gaps)]),
        Section("Placed elsewhere", [Table(("Pod", "Recorded", "Replayed", "Why"), placements)]),
        Section("Preempted otherwise", [Table(headers, preemptions)]),
        Section("Waited otherwise", [Table(("Pod", "Node", "Recorded", "Replayed"), waits)]),
        Section("New pods by priority class", [Table(_CLASSES, classes)]),
    ]
    return Presentation(f"Podium simulate --recording {report.recording}", summary, sections)
