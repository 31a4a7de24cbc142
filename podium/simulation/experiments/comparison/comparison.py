"""What two sides make of the same scenarios and seeds: `kind: Comparison`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from podium.api.documents.report import API_VERSION, IF_ANY, Report
from podium.simulation.experiments.comparison.sides import Side, scenarios_of
from podium.simulation.experiments.executors import Done, Executor, ScenarioRun
from podium.simulation.experiments.paired_differences import Difference, differences
from podium.simulation.experiments.run import RunResult, Witness, recorded_result
from podium.simulation.experiments.whole_scenario import WholeScenario

_HIGHER_IS_BETTER = ("utilisation",)
_NEITHER = ("pods",)


@dataclass(frozen=True, slots=True)
class PodChange(Report):
    """A pod that fares otherwise on the other side, in one pair of runs.

    Attributes:
        scenario: the pair's.
        seed: the pair's.
        a: what happened to it on the first side; nothing if it is empty.
        b: the same on the second side.
    """

    scenario: str
    seed: int
    pod: str
    a: Sequence[Witness]
    b: Sequence[Witness]


@dataclass(frozen=True, slots=True)
class Pair(Report):
    """A scenario and a seed that both sides have played."""

    scenario: str
    seed: int
    a: Mapping[str, float]
    b: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class FailedRun(Report):
    """A run that couldn't be played, and why."""

    scenario: str
    seed: int
    side: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Report):
    """What differs between two sides.

    Attributes:
        a: the first side, as it was named.
        b: the second side.
        differences: by measure; `widest` is a number in `pairs`.
        pods: that fare otherwise, in the first pair of each scenario in which any does.
        pairs: of runs.
        failed: runs that couldn't be played; their twins don't count either.
        notes: what to know when reading it.
    """

    api_version: str = API_VERSION
    kind: str = "Comparison"
    a: str
    b: str
    differences: Sequence[Difference]
    pods: Sequence[PodChange]
    pairs: Sequence[Pair]
    failed: Annotated[Sequence[FailedRun], IF_ANY]
    notes: Annotated[Sequence[str], IF_ANY]


def compare(
    a: Side,
    b: Side,
    scenarios: Sequence[WholeScenario],
    seeds: Sequence[int],
    executor: Executor,
    done: Done,
) -> Comparison:
    """Play all scenarios with all seeds on both sides; raises SideError."""
    if a.recording is not None and b.recording is not None:
        both = recorded_result(a.recording), recorded_result(b.recording)
        scenarios_of(a, b, scenarios)
        return _comparison(a, b, [("recording", 0, *both)])
    played = scenarios_of(a, b, scenarios)
    twins = [(one.name, side.of(one)) for one in played for side in (a, b)]
    runs = [ScenarioRun(whole, seed) for _, whole in twins for seed in seeds]
    results: dict[int, RunResult] = dict(executor(runs, done))
    found: list[_Twins] = []
    for number, one in enumerate(played):
        begin = 2 * number * len(seeds)
        for at, seed in enumerate(seeds):
            first, second = results[begin + at], results[begin + len(seeds) + at]
            found.append((one.name, seed, first, second))
    return _comparison(a, b, found)


_Twins = tuple[str, int, RunResult, RunResult]


def _comparison(a: Side, b: Side, twins: Sequence[_Twins]) -> Comparison:
    failed = [
        FailedRun(name, seed, side.name, result.error)
        for name, seed, *both in twins
        for side, result in zip((a, b), both, strict=True)
        if result.error
    ]
    found = [one for one in twins if not one[2].error and not one[3].error]
    found, notes = _without_repetitions(found)
    # Pods with another fate on the second side, in the first pair of each scenario that has any.
    changes: dict[str, list[PodChange]] = {}
    for name, seed, one, two in found:
        if name in changes:
            continue
        before, after = _by_pod(one), _by_pod(two)
        differing = [
            PodChange(name, seed, pod, before.get(pod, ()), after.get(pod, ()))
            for pod in dict.fromkeys([*before, *after])
            if _told(before.get(pod, ())) != _told(after.get(pod, ()))
        ]
        if differing:
            changes[name] = differing
    return Comparison(
        a=a.name,
        b=b.name,
        differences=differences([(first.measures, second.measures) for *_, first, second in found]),
        pods=[change for some in changes.values() for change in some],
        pairs=[Pair(name, seed, one.measures, two.measures) for name, seed, one, two in found],
        failed=failed,
        notes=notes,
    )


def _without_repetitions(found: Sequence[_Twins]) -> tuple[list[_Twins], list[str]]:
    """One pair of a scenario in which chance has no part: more of the same prove nothing."""
    kept: list[_Twins] = []
    notes: list[str] = []
    for name in dict.fromkeys(one[0] for one in found):
        pairs = [one for one in found if one[0] == name]
        first = pairs[0]
        alike = all(_measures(one) == _measures(first) for one in pairs)
        if alike and len(pairs) > 1:
            notes.append(f"{name}: all {len(pairs)} seeds play alike, so they count as one pair")
        kept += pairs[:1] if alike else pairs
    return kept, notes


def _measures(twins: _Twins) -> tuple[Mapping[str, float], Mapping[str, float]]:
    return twins[2].measures, twins[3].measures


def _told(witnesses: Sequence[Witness]) -> list[tuple[str, float]]:
    """What happened to a pod and how long it waited; on which node doesn't matter."""
    return [(one.what, one.seconds or one.at) for one in witnesses]


def _by_pod(result: RunResult) -> dict[str, Sequence[Witness]]:
    found: dict[str, list[Witness]] = {}
    for witness in result.witnesses:
        found.setdefault(witness.pod, []).append(witness)
    return {pod: tuple(witnesses) for pod, witnesses in found.items()}


def is_worse(difference: Difference) -> bool:
    """Whether the second side does worse: for certain, or on average where nothing is certain."""
    if difference.measure.startswith(_NEITHER):
        return False
    sign = -1 if difference.measure.startswith(_HIGHER_IS_BETTER) else 1
    if difference.interval is None:
        return sign * difference.difference > 0
    return sign * difference.difference > 0 and difference.is_certain
