"""One run: a scenario, a seed, and what came of it in numbers, with the pods that it names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from podium.api.documents.report import HIDDEN, IF_ANY, Report
from podium.api.errors import PodiumError
from podium.api.objects import name, namespace, uid
from podium.api.policy.disruption_target import PREEMPTED
from podium.cluster.virtual import Cluster
from podium.simulation.experiments.measures import measures_of
from podium.simulation.experiments.series.series import RunSeries, run_series
from podium.simulation.experiments.series.usage_log import KINDS, UsageLog, UsageRecorder
from podium.simulation.experiments.whole_scenario import WholeScenario
from podium.simulation.recordings.segments import Recording
from podium.simulation.runner.scenario_runner import Prepare, Progress, Simulation, simulate
from podium.simulation.runner.simulation_report import (
    AT_ONCE_S,
    ClassSummary,
    class_summaries,
    summarize_classes,
)
from podium.simulation.scenario import Scenario
from podium.simulation.timeline import TimelineEntry
from podium.simulation.timeline.facts import PodFacts
from podium.simulation.timeline.pod_history import PodHistories, PodHistory, pods_by_uid

WITNESSES_MAX = 100


@dataclass(frozen=True, slots=True)
class Witness(Report):
    """What happened to a pod, where and when.

    Attributes:
        pod: `namespace/name`.
        what: `preempted`, `evicted`, `lost`, `waited` or `neverPlaced`.
        at: when, in seconds since the start; for those that waited, when they came.
        node: from which it went, or which it was given at last; empty if it never had one.
        seconds: how long it waited.
    """

    pod: str
    what: str
    at: float
    node: Annotated[str, IF_ANY] = ""
    seconds: Annotated[float, IF_ANY] = 0.0


@dataclass(frozen=True, slots=True)
class RunResult(Report):
    """What came of a run.

    Attributes:
        measures: numbers by name.
        witnesses: disrupted pods by their time, then those that waited, the longest first.
        witnesses_left_out: how many more there were.
        error: why it couldn't be played; empty if it was.
        is_lost: whether that has nothing to do with the run, and another try may do.
    """

    measures: Mapping[str, float] = field(default_factory=dict)
    witnesses: Annotated[Sequence[Witness], IF_ANY] = ()
    witnesses_left_out: Annotated[int, IF_ANY] = 0
    error: Annotated[str, IF_ANY] = ""
    is_lost: Annotated[bool, HIDDEN] = False


def observed(
    scenario: Scenario, progress: Progress | None = None, prepare: Prepare | None = None
) -> tuple[Simulation, RunSeries]:
    """Play a scenario and follow it; the arguments are those of `simulate`."""
    recorders: list[UsageRecorder] = []

    def follow(cluster: Cluster) -> None:
        recorders.append(UsageRecorder(cluster))
        if prepare is not None:
            prepare(cluster)

    simulation = simulate(scenario, progress, prepare=follow)
    recorders[0].look()
    return simulation, run_series(recorders[0].log, histories_of(simulation), simulation.ended_s)


def histories_of(simulation: Simulation) -> list[PodHistory]:
    """Histories of all pods of a run."""
    return list(PodHistories(simulation.entries, pods_by_uid(simulation.pods_before)))


def run(whole: WholeScenario, seed: int) -> RunResult:
    """Play a scenario with a seed; what is wrong with it is part of the result."""
    try:
        simulation, series = observed(whole.scenario(seed))
    except PodiumError as error:
        return RunResult(error=str(error))
    if simulation.interrupted:
        raise KeyboardInterrupt
    classes = class_summaries(simulation)
    return result_of(classes, series, histories_of(simulation), simulation.failures)


def result_of(
    classes: Sequence[ClassSummary],
    series: RunSeries,
    histories: Sequence[PodHistory],
    failures: int = 0,
) -> RunResult:
    """Measure a run."""
    witnesses = [*_disrupted(histories), *_waited(histories, series)]
    kept = witnesses[:WITNESSES_MAX]
    measures = measures_of(classes, series, failures)
    return RunResult(measures, kept, len(witnesses) - len(kept))


def read_result(plain: Mapping[str, Any]) -> RunResult:
    """The result that these plain values stand for, as a journal has them."""
    witnesses = [Witness(**one) for one in plain.get("witnesses", ())]
    left_out, error = plain.get("witnessesLeftOut", 0), plain.get("error", "")
    return RunResult(plain["measures"], witnesses, left_out, error)


def _disrupted(histories: Sequence[PodHistory]) -> list[Witness]:
    gone = [pod for pod in histories if pod.cause is not None and pod.ended_s is not None]
    gone.sort(key=lambda pod: (pod.ended_s or 0.0, pod.pod))
    return [
        Witness(pod.pod, pod.cause.group if pod.cause else PREEMPTED, pod.ended_s or 0.0, pod.node)
        for pod in gone
    ]


def _waited(histories: Sequence[PodHistory], series: RunSeries) -> list[Witness]:
    nodes = {pod.pod: pod.node for pod in histories}
    waits = [wait for wait in series.waits if wait.seconds > AT_ONCE_S or not wait.placed]
    waits.sort(key=lambda wait: (-wait.seconds, wait.pod))
    return [
        Witness(
            wait.pod,
            "waited" if wait.placed else "neverPlaced",
            wait.created_s,
            nodes.get(wait.pod, "") if wait.placed else "",
            wait.seconds,
        )
        for wait in waits
    ]


def recorded_result(recording: Recording) -> RunResult:
    """Measures of a recording, as of a run."""
    entries = [*_entries(recording)]
    pods = [obj for obj in recording.state if obj.get("kind") == "Pod"]
    histories = list(PodHistories(entries, pods_by_uid(pods)))
    series = recorded_series(recording, histories)
    return result_of(summarize_classes(entries, pods), series, histories)


def recorded_series(recording: Recording, histories: list[PodHistory] | None = None) -> RunSeries:
    """The lines of a recording."""
    if histories is None:
        pods = [obj for obj in recording.state if obj.get("kind") == "Pod"]
        histories = list(PodHistories(_entries(recording), pods_by_uid(pods)))
    log = UsageLog()
    for known in recording.state:
        if known.get("kind") in KINDS:
            log.take(str(known["kind"]), known)
    log.write(0.0)
    for change in recording.changes:
        obj = change.new or change.old
        if change.kind in KINDS and obj is not None:
            log.take(change.kind, obj, gone=change.new is None)
            log.write(_passed_s(recording, change.at_s))
    return run_series(log, histories, _passed_s(recording, recording.ended_s))


def _passed_s(recording: Recording, at_s: float) -> float:
    return round(max(0.0, at_s - recording.started_s), 6)


def _entries(recording: Recording) -> Iterator[TimelineEntry]:
    facts = PodFacts()
    for change in recording.changes:
        obj = change.new or change.old
        if change.kind != "Pod" or obj is None:
            continue
        about = ("Pod", namespace(obj), name(obj))
        for fact in facts(change.old, change.new):
            at_s = _passed_s(recording, change.at_s)
            yield TimelineEntry(at_s, fact.type, *about, "", fact.details, uid(obj))
