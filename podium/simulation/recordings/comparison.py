"""What went differently in a replay: `kind: RecordingReplay`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Annotated

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report, Seconds
from podium.api.pods import priority_class_of
from podium.api.priority import pod_priority
from podium.api.values.times import NANOS_PER_SECOND, format_time
from podium.simulation.recordings.pod_records import (
    PodRecord,
    RecordedPreemption,
    recorded_preemptions,
    scheduled_by,
)
from podium.simulation.recordings.replay import Replay, ReplayedPreemption
from podium.simulation.recordings.replayed_pods import ReplayedPod
from podium.simulation.timeline.timeline_sentences import clock

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
        """Whether anything went differently."""
        return bool(self.placements or self.preemptions or self.waits)


def compare(replay: Replay) -> ReplayReport:
    """Tell what went differently in a replay."""
    return _Comparison(replay).report()


class _Comparison:
    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._recording = replay.recording
        self._decided = scheduled_by(replay.records, replay.scheduler_names)

    def report(self) -> ReplayReport:
        recording, replay = self._recording, self._replay
        placements, waits = [*self._placements()], [*self._waits()]
        recorded = recorded_preemptions(replay.records)
        return ReplayReport(
            recording=recording.path,
            start=format_time(round(recording.started_s * NANOS_PER_SECOND)),
            seconds=self._passed(recording.ended_s),
            closed=recording.is_closed,
            gaps=[
                GapReport(self._passed(gap.since_s), self._passed(gap.until_s), gap.reason)
                for gap in recording.gaps
            ],
            pods=len(self._decided),
            alike=len(self._decided) - len(placements) - len(waits),
            recorded_preemptions=len(recorded),
            replayed_preemptions=len(replay.preemptions),
            placements=placements,
            preemptions=[*self._preemptions(recorded)],
            waits=waits,
            classes=[*self._classes()],
        )

    def _passed(self, at_s: float) -> float:
        return round(at_s - self._recording.started_s, 3)

    def _placements(self) -> Iterator[PlacementDifference]:
        for one, record in self._decided.items():
            result = self._replay.pods[one]
            if result.instead or record.node != result.node:
                reason = "" if record.node and result.node else record.message
                if not result.node:
                    reason = result.message
                yield PlacementDifference(
                    record.key, record.node, result.node, reason, result.instead
                )

    def _waits(self) -> Iterator[WaitDifference]:
        for one, record in self._decided.items():
            result = self._replay.pods[one]
            if result.instead or not record.node or record.node != result.node:
                continue
            recorded_s, replayed_s = (
                self._wait_s(record, record.bound_s),
                self._wait_s(record, result.bound_s),
            )
            if abs(recorded_s - replayed_s) >= TOLERANCE_S:
                yield WaitDifference(record.key, record.node, recorded_s, replayed_s)

    def _wait_s(self, record: PodRecord, bound_s: float | None) -> float:
        since_s = record.created_s or self._recording.started_s
        return round((bound_s or since_s) - since_s, 3)

    def _preemptions(
        self, recorded: Iterable[RecordedPreemption]
    ) -> Iterator[PreemptionDifference]:
        replayed = {_identity(one): one for one in self._replay.preemptions}
        matched = set()
        for one in recorded:
            found = self._match(one, replayed)
            if found is None:
                yield self._difference(RECORDED, one, "", self._in_replay(one.preemptor))
            else:
                matched.add(found)
        for identity, other in replayed.items():
            if identity not in matched:
                record = self._replay.records.get(other.preemptor)
                otherwise = (
                    ""
                    if record is None
                    else self._fate(record.node, record.bound_s, record.message)
                )
                yield self._difference(REPLAYED, other, other.reason, otherwise)

    def _match(
        self, one: RecordedPreemption, replayed: Iterable["_Identity"]
    ) -> "_Identity | None":
        if one.preemptor:
            return next((other for other in replayed if other == _identity(one)), None)
        return next((other for other in replayed if other[1:] == _identity(one)[1:]), None)

    def _difference(
        self, only: str, one: RecordedPreemption | ReplayedPreemption, reason: str, otherwise: str
    ) -> PreemptionDifference:
        preemptor = self._replay.records.get(one.preemptor)
        victims = sorted(self._replay.records[victim].key for victim in one.victims)
        return PreemptionDifference(
            only,
            self._passed(one.at_s),
            "" if preemptor is None else preemptor.key,
            one.node,
            victims,
            reason,
            otherwise,
        )

    def _in_replay(self, preemptor: str) -> str:
        result = self._replay.pods.get(preemptor)
        if result is None:
            return ""
        if result.instead:
            return f"isn't needed: {result.instead} stays"
        return self._fate(result.node, result.bound_s, result.message)

    def _fate(self, node: str, bound_s: float | None, message: str) -> str:
        if node:
            when = "" if bound_s is None else f" at {clock(self._passed(bound_s))}"
            return f"placed on {node}{when}"
        return f"stays pending: {message}" if message else "stays pending"

    def _classes(self) -> Iterator[WaitingOfClass]:
        groups: dict[tuple[int, str], list[tuple[PodRecord, ReplayedPod]]] = defaultdict(list)
        for one, record in self._decided.items():
            if record.created_s is not None:
                name = priority_class_of(record.first)
                pair = record, self._replay.pods[one]
                groups[-pod_priority(record.first), name].append(pair)
        for (negated, name), pairs in sorted(groups.items()):
            recorded = [self._wait_s(one, one.bound_s) for one, _ in pairs if one.node]
            replayed = [self._wait_s(one, other.bound_s) for one, other in pairs if other.node]
            yield WaitingOfClass(
                name,
                -negated,
                len(pairs),
                len(recorded),
                len(replayed),
                round(median(recorded), 3) if recorded else None,
                round(median(replayed), 3) if replayed else None,
            )


_Identity = tuple[str, str, frozenset[str]]


def _identity(one: RecordedPreemption | ReplayedPreemption) -> _Identity:
    return one.preemptor, one.node, one.victims
