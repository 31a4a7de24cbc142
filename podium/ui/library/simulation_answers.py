"""What isn't about one cluster: scenarios, comparisons, sweeps, and manifests that are judged."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from podium.api.documents.report import plain
from podium.api.pod_limit import MAX_PODS
from podium.api.presentation import Picture, Presentation
from podium.simulation.experiments.comparison.comparison import Comparison
from podium.simulation.experiments.series.series import RunSeries
from podium.simulation.experiments.sweep.sweep_report import SweepReport
from podium.simulation.experiments.tables import LINE_COLUMNS
from podium.simulation.recordings.comparison import ReplayReport
from podium.simulation.runner.scenario_runner import Simulation
from podium.simulation.runner.simulation_report import SimulationReport
from podium.ui.inputs.scenario_inputs import executor_of, parse_seeds
from podium.ui.library.answer import Answer, frame
from podium.ui.library.cluster_answers import LintAnswer
from podium.ui.library.words import Source, Texts, files_of, several

_LINES = "lines"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SimulationAnswer(Answer, SimulationReport):
    """What came of a scenario; see `podium simulate`.

    Attributes:
        simulation: with the cluster as it is in the end.
    """

    simulation: Simulation
    series: RunSeries
    rows = "events"

    def presentation(self) -> Presentation:
        """What `podium simulate -o html` shows, without pictures where matplotlib is missing."""
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.simulation.experiments.simulation_presentation import simulation_presentation

        return simulation_presentation(self.simulation, self.series)

    def to_dict(self) -> dict[str, Any]:
        """It as plain values, as `-o json` prints them."""
        return plain(self, SimulationReport)

    def to_pandas(self, rows: str = "") -> Any:
        """As for all answers; `lines` is what `podium simulate -o csv` prints."""
        if rows != _LINES:
            return super(SimulationAnswer, self).to_pandas(rows)
        return frame([dict(zip(LINE_COLUMNS, row, strict=True)) for row in self.series.rows()])


class ComparisonAnswer(Answer, Comparison):
    """What differs between two sides; see `podium compare`."""

    __slots__ = ()
    rows = "differences"

    def presentation(self) -> Presentation:
        """What `podium compare -o markdown` shows."""
        from podium.simulation.experiments.comparison.comparison_presentation import (
            comparison_presentation,
        )

        return comparison_presentation(self, Picture("", b""))


class SweepAnswer(Answer, SweepReport):
    """What came of a sweep; see `podium sweep`."""

    __slots__ = ()
    rows = "trials"
    presented_by = "podium.simulation.experiments.sweep.sweep_presentation.sweep_presentation"


class ReplayAnswer(Answer, ReplayReport):
    """What goes differently when a recording is played again; see `podium simulate --recording`."""

    __slots__ = ()
    rows = "placements"
    presented_by = "podium.simulation.recordings.replay_presentation.replay_presentation"


@overload
def simulate(
    *, recording: str | Path, config: str | Path | None = None, plugin: Texts = ()
) -> ReplayAnswer: ...
@overload
def simulate(
    scenario: str | Path,
    *,
    until: str | None = None,
    seed: int | None = None,
    plugin: Texts = (),
    max_pods: int = MAX_PODS,
    assume_healthy: bool = False,
) -> SimulationAnswer: ...
def simulate(
    scenario: str | Path | None = None,
    *,
    recording: str | Path | None = None,
    config: str | Path | None = None,
    until: str | None = None,
    seed: int | None = None,
    plugin: Texts = (),
    max_pods: int = MAX_PODS,
    assume_healthy: bool = False,
) -> SimulationAnswer | ReplayAnswer:
    """Play a scenario, or a recording again, as `podium simulate` does.

    Args:
        config: by which it is played; as it was recorded if None.
        until: when to end, such as `10m`; as the scenario says if None.
        seed: of all that is left to chance; the scenario's own if None.
        plugin: `FILE:CLASS` of plugins to enable.
        max_pods: how many new pods workloads may ask for.
        assume_healthy: whether pods and nodes that aren't healthy at the start become so.
    """
    from podium.simulation.experiments.run import observed
    from podium.simulation.runner.simulation_report import simulation_report
    from podium.ui.inputs.scenario_inputs import checked_scenario, read_replay, read_scenario_file

    plugins = [*map(str, several(plugin))]
    where, by = (None if one is None else str(one) for one in (scenario, config))
    directory = None if recording is None else Path(recording)
    path = checked_scenario(where, directory, by, until, seed, assume_healthy=assume_healthy)
    if directory is not None:
        from podium.simulation.recordings.comparison import compare as compare_replay
        from podium.simulation.recordings.replay import replay

        recorded, loaded = read_replay(directory, by, plugins)
        configuration, options = (loaded.configuration, loaded.options) if loaded else (None, None)
        return ReplayAnswer.of(compare_replay(replay(recorded, configuration, options)))
    read = read_scenario_file(path, until, seed, max_pods, plugins, assume_healthy=assume_healthy)
    simulation, series = observed(read)
    return SimulationAnswer.of(simulation_report(simulation), simulation=simulation, series=series)


def compare(
    a: str | Path,
    b: str | Path,
    scenarios: Texts = (),
    *,
    seeds: int | str = 10,
    workers: int | None = None,
    dask: str | None = None,
    max_pods: int = MAX_PODS,
) -> ComparisonAnswer:
    """What differs between two sides over the same scenarios and seeds, as `podium compare` does.

    Args:
        a: a side: a configuration, a state, a scenario, a recording, or `default`.
        seeds: how many, or which, such as `5..9`.
        workers: how many processes play the runs; one a core if None.
        dask: the address of a Dask cluster that plays them instead.
        max_pods: how many new pods workloads may ask for.
    """
    from podium.simulation.experiments.comparison.comparison import compare as play_both
    from podium.simulation.experiments.comparison.sides import read_side
    from podium.simulation.experiments.whole_scenario import read_whole_scenario

    first, second = (read_side(str(side), max_pods) for side in (a, b))
    played = [read_whole_scenario(str(path), max_pods) for path in several(scenarios)]
    executor = executor_of(dask, workers)
    found = play_both(first, second, played, parse_seeds(str(seeds)), executor, lambda _: None)
    return ComparisonAnswer.of(found)


def sweep(
    file: str | Path,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    dask: str | None = None,
    max_pods: int = MAX_PODS,
) -> SweepAnswer:
    """A grid of settings, or a search for the best, as `podium sweep` does.

    Args:
        out: a directory for the results; None for none.
        workers: how many processes play the runs; one a core if None.
        dask: the address of a Dask cluster that plays them instead.
        max_pods: how many new pods workloads may ask for.
    """
    from podium.simulation.experiments.sweep.sweep import play_sweep, read_scenarios
    from podium.simulation.experiments.sweep.sweep_file import read_sweep
    from podium.simulation.experiments.sweep.sweep_report import sweep_report

    asked = read_sweep(str(file))
    scenarios = read_scenarios(asked, max_pods)
    kept = None if out is None else Path(out)
    trials = play_sweep(asked, scenarios, executor_of(dask, workers), kept, lambda _: None)
    report = sweep_report(asked, [one.name for one in scenarios], trials)
    if kept is not None:
        from podium.ui.writers.sweep_files import write_sweep

        write_sweep(kept, report, trials)
    return SweepAnswer.of(report)


def lint(
    *manifests: Source,
    kubeconfig: str | Path | None = None,
    context: str | None = None,
    namespace: str | None = None,
    kubelet_config: str | Path | None = None,
    config: str | Path | None = None,
) -> LintAnswer:
    """What is wrong with manifests, or with a running cluster, as `podium lint` tells it.

    Args:
        manifests: files, directories, or objects; a running cluster without any.
        kubeconfig: of a running cluster; the one that kubectl goes to if None.
        namespace: where objects are that don't say; as the command has it if None.
        kubelet_config: a KubeletConfiguration to judge, too.
        config: which rules count; `.podium-lint.yaml` of this directory if None and there.
    """
    from podium.ui.inputs.lint_inputs import lint_of
    from podium.ui.inputs.namespaces import usual_namespace

    paths = (None if one is None else str(one) for one in (kubeconfig, kubelet_config, config))
    cluster, kubelet, rules = paths
    files = files_of(manifests)
    place = namespace or usual_namespace(files, cluster, context)
    return LintAnswer.of(lint_of(files, cluster, context, place, kubelet, rules))
