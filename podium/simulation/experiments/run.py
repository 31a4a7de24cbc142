"""One run of an experiment: a scenario with a seed, its measures, and the affected pods."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any

from podium.api.documents.report import HIDDEN, IF_ANY, Report
from podium.api.errors import PodiumError
from podium.api.objects import name, namespace, uid
from podium.cluster.virtual import Cluster
from podium.simulation.experiments.measures import measures_of
from podium.simulation.experiments.series.series import (
    KINDS,
    RunSeries,
    UsageLog,
    UsageRecorder,
    run_series,
)
from podium.simulation.experiments.whole_scenario import WholeScenario
from podium.simulation.recordings.segments import Recording
from podium.simulation.runner.scenario_runner import Prepare, Progress, Simulation, simulate
from podium.simulation.runner.simulation_report import AT_ONCE_S, summarize_classes
from podium.simulation.scenario.scenario_document import Scenario
from podium.simulation.timeline.facts import PodFacts, TimelineEntry
from podium.simulation.timeline.pod_history import PodHistories, PodHistory, pods_by_uid

WITNESSES_MAX = 100


class Witness(Report):
    """A pod that was disrupted or had to wait, with place and time."""

    pod: str
    """The pod, `namespace/name`."""
    what: str
    """`preempted`, `evicted`, `lost`, `waited` or `neverPlaced`."""
    at: float
    """When it happened, in seconds since the start; for a pod that waited, when it was created."""
    node: Annotated[str, IF_ANY] = ""
    """The pod's node before the disruption or after the wait; empty if it never had one."""
    seconds: Annotated[float, IF_ANY] = 0.0
    """How long the pod waited."""


class RunResult(Report):
    """The result of a run."""

    measures: Mapping[str, float] = field(default_factory=dict)
    """Numbers by name."""
    witnesses: Annotated[Sequence[Witness], IF_ANY] = ()
    """Disrupted pods by time, then pods that waited, the longest first."""
    witnesses_left_out: Annotated[int, IF_ANY] = 0
    """Number of further witnesses."""
    error: Annotated[str, IF_ANY] = ""
    """Why the run failed; empty if it succeeded."""
    is_lost: Annotated[bool, HIDDEN] = False
    """Whether the run failed for external reasons, so that it may succeed if repeated."""


def observed(
    scenario: Scenario, progress: Progress | None = None, prepare: Prepare | None = None
) -> tuple[Simulation, RunSeries]:
    """Simulate a scenario and record its time series; the arguments are those of `simulate`."""
    recorders: list[UsageRecorder] = []

    def follow(cluster: Cluster) -> None:
        recorders.append(UsageRecorder(cluster))
        if prepare is not None:
            prepare(cluster)

    simulation = simulate(scenario, progress, prepare=follow)
    recorders[0].look()
    histories = [*simulation.histories()]
    return simulation, run_series(recorders[0].log, histories, simulation.ended_s)


def run(whole: WholeScenario, seed: int) -> RunResult:
    """Run a scenario with a seed; if the scenario has an error, the result contains it."""
    try:
        simulation, series = observed(whole.scenario(seed))
    except PodiumError as error:
        return RunResult(error=str(error))
    if simulation.interrupted:
        raise KeyboardInterrupt
    return _result([*simulation.histories()], series, simulation.failures)


def _result(histories: Sequence[PodHistory], series: RunSeries, failures: int = 0) -> RunResult:
    disrupted = [
        Witness(pod.pod, pod.cause.group, pod.ended_s, pod.node)
        for pod in histories
        if pod.cause is not None and pod.ended_s is not None
    ]
    disrupted.sort(key=lambda witness: (witness.at, witness.pod))
    nodes = {pod.pod: pod.node for pod in histories}
    waited = [
        Witness(wait.pod, "waited", wait.created_s, nodes.get(wait.pod, ""), wait.seconds)
        if wait.placed
        else Witness(wait.pod, "neverPlaced", wait.created_s, "", wait.seconds)
        for wait in series.waits
        if wait.seconds > AT_ONCE_S or not wait.placed
    ]
    waited.sort(key=lambda witness: (-witness.seconds, witness.pod))
    witnesses = [*disrupted, *waited]
    kept = witnesses[:WITNESSES_MAX]
    measures = measures_of(summarize_classes(histories), series, failures)
    return RunResult(measures, kept, len(witnesses) - len(kept))


def read_result(plain: Mapping[str, Any]) -> RunResult:
    """Read a result from JSON values of a journal."""
    witnesses = [Witness(**witness) for witness in plain.get("witnesses", ())]
    left_out, error = plain.get("witnessesLeftOut", 0), plain.get("error", "")
    return RunResult(plain["measures"], witnesses, left_out, error)


def recorded_result(recording: Recording) -> RunResult:
    """Compute the measures and witnesses of a recording, as of a run."""
    return _result(*recorded(recording))


def recorded(recording: Recording) -> tuple[list[PodHistory], RunSeries]:
    """Collect the histories of all pods of a recording, and compute its time series."""
    pods = [obj for obj in recording.state if obj.get("kind") == "Pod"]
    histories = [*PodHistories(_entries(recording), pods_by_uid(pods))]
    log = UsageLog()
    for obj in recording.state:
        if obj.get("kind") in KINDS:
            log.take(str(obj["kind"]), obj)
    log.write(0.0)
    for change in recording.changes:
        if change.kind in KINDS:
            log.take(change.kind, change.obj, gone=change.new is None)
            log.write(_passed_s(recording, change.at_s))
    return histories, run_series(log, histories, _passed_s(recording, recording.ended_s))


def _passed_s(recording: Recording, at_s: float) -> float:
    return round(max(0.0, at_s - recording.started_s), 6)


def _entries(recording: Recording) -> Iterator[TimelineEntry]:
    facts = PodFacts()
    for change in recording.changes:
        if change.kind != "Pod":
            continue
        obj, at_s = change.obj, _passed_s(recording, change.at_s)
        about = ("Pod", namespace(obj), name(obj))
        for fact in facts(change.old, change.new):
            yield TimelineEntry(at_s, fact.type, *about, "", fact.details, uid(obj))
