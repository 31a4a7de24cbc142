"""The comparison of two sides over the same scenarios and seeds: `kind: Comparison`.

A side is a file or directory: a scheduler configuration or a cluster state, which replaces that
part of each scenario; a scenario, which is run as it is; or a recording, which is measured
without a run.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from podium.api.codec.yaml_text import read_yaml
from podium.api.documents.document import InvalidDocumentError
from podium.api.documents.report import API_VERSION, IF_ANY, Report
from podium.api.errors import PodiumError
from podium.cluster.manifests.input_files import read_text
from podium.cluster.manifests.manifest_sources import read_sources
from podium.scheduler.config.document import KIND as CONFIGURATION_KIND
from podium.scheduler.config.load import load_configuration
from podium.scheduler.config.scheduler_options import OPTIONS_KIND
from podium.scheduler.plugin_registry import plugin_factories
from podium.simulation.experiments.executors import Done, Executor, ScenarioRun
from podium.simulation.experiments.paired_differences import Difference, differences
from podium.simulation.experiments.run import RunResult, Witness, recorded_result
from podium.simulation.experiments.whole_scenario import (
    WholeScenario,
    read_whole_scenario,
    with_configuration,
    with_state,
)
from podium.simulation.recordings.segments import Recording, read_recording, segment_paths
from podium.simulation.scenario.scenario_document import KIND as SCENARIO_KIND

DEFAULT = "default"
"""Name of the side that leaves scenarios as they are."""

_HIGHER_IS_BETTER = ("utilisation",)
_NEITHER = ("pods",)


class Side(msgspec.Struct, frozen=True):
    """What one side of a comparison runs: its own scenarios, or changes to shared scenarios."""

    name: str
    kind: str
    documents: Sequence[Mapping[str, Any]] = ()
    scenario: WholeScenario | None = None
    recording: Recording | None = None

    def of(self, whole: WholeScenario) -> WholeScenario:
        """Return a shared scenario with the changes of this side."""
        if self.kind == "configuration":
            return with_configuration(whole, [dict(document) for document in self.documents])
        if self.kind == "state":
            return with_state(whole, self.documents)
        return self.scenario or whole


def read_side(name: str, max_pods: int) -> Side:
    """Read a side of a comparison; raises PodiumError.

    `name` is `default`; a file with a KubeSchedulerConfiguration, SchedulerOptions or both; a
    scenario; a file or directory with the objects of a state; or a recording.
    """
    if name == DEFAULT:
        return Side(name, DEFAULT)
    if not Path(name).is_dir():
        values = [document.value for document in read_yaml(read_text(name))]
        documents = [value for value in values if isinstance(value, dict)]
        kinds = {document.get("kind") for document in documents}
        if kinds and kinds <= {CONFIGURATION_KIND, OPTIONS_KIND}:
            return configuration_side(name, documents)
        if SCENARIO_KIND in kinds:
            return Side(name, "scenario", scenario=read_whole_scenario(name, max_pods))
    elif segment_paths(Path(name)):
        return Side(name, "recording", recording=read_recording(Path(name)))
    return Side(name, "state", [loaded.obj for loaded in read_sources([name]).objects])


def configuration_side(name: str, documents: Sequence[Mapping[str, Any]]) -> Side:
    """Make the side of a scheduler configuration; raises PodiumError if it is invalid."""
    try:
        load_configuration(documents, plugin_factories().keys())
    except InvalidDocumentError as error:
        raise PodiumError("\n".join(f"{name}: {one}" for one in error.errors)) from None
    return Side(name, "configuration", documents)


def scenarios_of(a: Side, b: Side, scenarios: Sequence[WholeScenario]) -> Sequence[WholeScenario]:
    """Return the scenarios that both sides run; raises PodiumError if they can't be compared."""
    if "recording" in (a.kind, b.kind):
        if a.kind != b.kind or scenarios:
            raise PodiumError(
                "a recording can be compared with another recording, and plays nothing"
            )
        return ()
    if "scenario" in (a.kind, b.kind):
        if a.kind != b.kind or scenarios:
            raise PodiumError("a scenario can be compared with another scenario, and plays itself")
        return [] if a.scenario is None else [a.scenario]
    kinds = {a.kind, b.kind} - {DEFAULT}
    if len(kinds) > 1:
        raise PodiumError(f"{a.name} is a {a.kind} and {b.name} a {b.kind}: compare like with like")
    if not scenarios:
        raise PodiumError("which scenarios are to be played? Name them with --scenario")
    return scenarios


class PodChange(Report):
    """A pod with different outcomes on both sides, in one pair of runs."""

    scenario: str
    """Scenario of the pair."""
    seed: int
    """Seed of the pair."""
    pod: str
    """The pod, `namespace/name`."""
    a: Sequence[Witness]
    """What happened to the pod on the first side; empty if nothing did."""
    b: Sequence[Witness]
    """What happened to the pod on the second side; empty if nothing did."""


class Pair(Report):
    """The measures of both sides for a scenario and a seed."""

    scenario: str
    seed: int
    a: Mapping[str, float]
    b: Mapping[str, float]


class FailedRun(Report):
    """A run that failed, and why."""

    scenario: str
    seed: int
    side: str
    error: str


class Comparison(Report, kw_only=True):
    """The differences between two sides."""

    api_version: str = API_VERSION
    kind: str = "Comparison"
    a: str
    """Name of the first side, as given."""
    b: str
    """Name of the second side, as given."""
    differences: Sequence[Difference]
    """Differences by measure; `widest` is an index of `pairs`."""
    pods: Sequence[PodChange]
    """Pods with different outcomes, in the first pair of each scenario that has any."""
    pairs: Sequence[Pair]
    """Pairs of runs, both of which succeeded."""
    failed: Annotated[Sequence[FailedRun], IF_ANY]
    """Runs that failed; the other run of the pair isn't counted either."""
    notes: Annotated[Sequence[str], IF_ANY]
    """Remarks that help to read the result."""


_Twins = tuple[str, int, RunResult, RunResult]


def compare(
    a: Side,
    b: Side,
    scenarios: Sequence[WholeScenario],
    seeds: Sequence[int],
    executor: Executor,
    done: Done,
) -> Comparison:
    """Run all scenarios with all seeds on both sides; raises PodiumError."""
    played = scenarios_of(a, b, scenarios)
    twins: list[_Twins] = []
    if a.recording is not None and b.recording is not None:
        twins.append(("recording", 0, recorded_result(a.recording), recorded_result(b.recording)))
    else:
        wholes = [side.of(scenario) for scenario in played for side in (a, b)]
        runs = [ScenarioRun(whole, seed) for whole in wholes for seed in seeds]
        results: dict[int, RunResult] = dict(executor(runs, done))
        for number, scenario in enumerate(played):
            begin = 2 * number * len(seeds)
            for at, seed in enumerate(seeds, start=begin):
                twins.append((scenario.name, seed, results[at], results[at + len(seeds)]))
    failed = [
        FailedRun(name, seed, side.name, result.error)
        for name, seed, *both in twins
        for side, result in zip((a, b), both, strict=True)
        if result.error
    ]
    whole = [twin for twin in twins if not (twin[2].error or twin[3].error)]
    # Of a scenario in which chance has no part, one pair counts: equal ones prove nothing more.
    kept, notes = list[_Twins](), list[str]()
    for name in dict.fromkeys(one[0] for one in whole):
        pairs = [one for one in whole if one[0] == name]
        measures = [(first.measures, second.measures) for *_, first, second in pairs]
        alike = all(both == measures[0] for both in measures)
        if alike and len(pairs) > 1:
            notes.append(f"{name}: all {len(pairs)} seeds play alike, so they count as one pair")
        kept += pairs[:1] if alike else pairs
    changes: dict[str, list[PodChange]] = {}
    for name, seed, first, second in kept:
        if not changes.get(name):
            changes[name] = [*_pod_changes(name, seed, first, second)]
    return Comparison(
        a=a.name,
        b=b.name,
        differences=differences([(first.measures, second.measures) for *_, first, second in kept]),
        pods=[change for pods in changes.values() for change in pods],
        pairs=[Pair(name, seed, result.measures, two.measures) for name, seed, result, two in kept],
        failed=failed,
        notes=notes,
    )


def _pod_changes(name: str, seed: int, first: RunResult, second: RunResult) -> Iterator[PodChange]:
    fates: dict[str, tuple[list[Witness], list[Witness]]] = {}
    for side, result in enumerate((first, second)):
        for witness in result.witnesses:
            fates.setdefault(witness.pod, ([], []))[side].append(witness)
    for pod, both in fates.items():
        # It doesn't matter on which node a pod waited or was disrupted.
        a, b = ([(one.what, one.seconds or one.at) for one in side] for side in both)
        if a != b:
            yield PodChange(name, seed, pod, *map(tuple, both))


def verdict(difference: Difference) -> str:
    """Return whether a measure is `better` or `worse` on the second side, if that is sure."""
    if difference.interval is not None and not difference.is_certain:
        return "no sure difference"
    if difference.measure.startswith(_NEITHER):
        return "neither better nor worse"
    return "worse" if is_worse(difference) else "better"


def is_worse(difference: Difference) -> bool:
    """Return whether a measure is worse on the second side, and not only by chance if known."""
    if difference.measure.startswith(_NEITHER):
        return False
    sign = -1 if difference.measure.startswith(_HIGHER_IS_BETTER) else 1
    is_sure = difference.interval is None or difference.is_certain
    return sign * difference.difference > 0 and is_sure
