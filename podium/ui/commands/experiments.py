"""`podium compare` and `podium sweep`: experiments of many runs."""

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from podium.ui.commands.question import FAILED_EXIT_CODE, A_co, Asker, Question
from podium.ui.inputs.input_error import InputError, check_extra
from podium.ui.inputs.option import (
    Reach,
    Texts,
    local_option,
    option,
    option_like,
    place,
    texts,
)
from podium.ui.inputs.request_options import Rules

if TYPE_CHECKING:
    from podium.simulation.experiments.executors import Executor
    from podium.ui.answers.simulation_answers import ComparisonAnswer, SweepAnswer


class Experiment(Question[A_co]):
    """Options that experiments share: how their runs are simulated."""

    workers: int | None = option(min=1).help("""
        Number of processes to simulate with. [default: one per CPU core]""")
    dask: str | None = option("ADDRESS").help("""
        Dask cluster to simulate on, such as tcp://host:8786. Needs podium[experiments].""")
    max_pods: int = option_like(Rules, "max_pods")

    def exit_code(self, answer: Any) -> int:
        """Return 1 if a run has failed, otherwise the exit code of `Question.exit_code`."""
        return FAILED_EXIT_CODE if answer.failed else super().exit_code(answer)

    def executor(self) -> "Executor":
        """Make the executor of the runs; raises InputError."""
        if self.dask is not None:
            # It is there only with an extra.
            from podium.simulation.experiments.executors import DaskExecutor

            check_extra("--dask", "experiments", "distributed")
            return DaskExecutor(self.dask)
        from podium.api.process.concurrency import core_count
        from podium.simulation.experiments.executors import LocalExecutor

        return LocalExecutor(self.workers or core_count())


_SIDE = (
    "{} side: a KubeSchedulerConfiguration, SchedulerOptions, a state (file or directory), "
    "a scenario, a recording, or `default` for what the scenarios say themselves."
)


class CompareQuestion(Experiment["ComparisonAnswer"]):
    """Compare two scheduler configurations, states, scenarios or recordings by simulation.

    Both sides simulate the same scenarios with the same seeds. Each measure, such as pending pods,
    preemptions, utilisation and fragmentation, is compared run by run, with a 95 % confidence
    interval of the difference.
    """

    formats = ("png",)
    needs = MappingProxyType({"html": "matplotlib", "png": "matplotlib"})

    a: str | Path = place(_SIDE.format("First"), metavar="A", kw_only=False)
    b: str | Path = place(_SIDE.format("Second"), metavar="B", kw_only=False)
    scenarios: Texts = place(
        "Scenario that both sides simulate. May be repeated.",
        flags=("--scenario", "-s"),
        metavar="FILE",
        reach=Reach.LIBRARY,
        is_argument=False,
        default=(),
        kw_only=False,
    )
    seeds: str | int = option("N|FIRST..LAST", default="10").help("""
        Number of seeds, or a range of them such as 5..9.""")
    fail_on: str | None = option("MEASURE[,MEASURE]", reach=Reach.COMMAND).help("""
        Exit with code 2 if B is worse than A by one of these measures, such as preempted. [default:
        none]""")

    def is_found_wanting(self, answer: Any) -> bool:
        from podium.simulation.experiments.comparison.comparison import is_worse

        judged = self._judged()
        return any(one.measure in judged and is_worse(one) for one in answer.differences)

    def _judged(self) -> list[str]:
        return self.fail_on.split(",") if self.fail_on else []

    def answer(self, ask: Asker) -> "ComparisonAnswer":
        from podium.simulation.experiments.comparison.comparison import compare, read_side
        from podium.simulation.experiments.comparison.comparison_presentation import side_by_side
        from podium.simulation.experiments.measures import MEANINGS, check_measure
        from podium.simulation.experiments.whole_scenario import read_whole_scenario
        from podium.ui.answers.simulation_answers import ComparisonAnswer

        seeds = _seeds(str(self.seeds))
        for name in self._judged():
            if name.partition(".")[0] not in MEANINGS:
                raise InputError(f"--fail-on {name}: measures are {', '.join(MEANINGS)}")
        first, second = (read_side(str(side), self.max_pods) for side in (self.a, self.b))
        played = [read_whole_scenario(path, self.max_pods) for path in texts(self.scenarios)]
        runs = 2 * len(seeds) * max(1, len(played))
        with ask.progress.counted("comparing", runs) as done:
            found = compare(first, second, played, seeds, self.executor(), done)
            for name in self._judged():
                check_measure(f"--fail-on {name}", name, [one.measure for one in found.differences])
            picture = side_by_side(first, second, played, found) if ask.draws else None
        return ComparisonAnswer.of(found, picture=picture)


def _seeds(text: str) -> range:
    first, dots, last = text.partition("..")
    if dots and first.isdigit() and last.isdigit() and int(first) <= int(last):
        return range(int(first), int(last) + 1)
    if not dots and text.isdigit() and int(text) > 0:
        return range(int(text))
    raise InputError(f"--seeds {text}: must be a number such as 10, or a range such as 5..9")


class SweepQuestion(Experiment["SweepAnswer"]):
    """Simulate scenarios with many settings: all combinations, or a search for the best one.

    A setting is a field of a scenario, of one of its objects, or of its scheduler configuration.
    With --out, a sweep that was stopped continues where it was, and the directory gets the runs as
    Parquet, the report, and plots.
    """

    file: str | Path = place(
        "File with the scenarios, settings and seeds of the sweep.",
        metavar="SWEEP.yaml",
        kw_only=False,
    )
    out: str | Path | None = local_option("DIR").help("""
        Directory to keep results in, and to continue from. Needs podium[experiments]. [default:
        keep nothing]""")
    reach: float | None = option("NUMBER", reach=Reach.COMMAND).help("""
        Exit with code 2 if the objective of no trial is at least NUMBER, or at most NUMBER if it is
        minimised. [default: no check]""")

    def is_found_wanting(self, answer: Any) -> bool:
        return self.reach is not None and not answer.reaches(self.reach)

    def answer(self, ask: Asker) -> "SweepAnswer":
        from podium.simulation.experiments.sweep.sweep import play_sweep, read_scenarios
        from podium.simulation.experiments.sweep.sweep_file import read_sweep
        from podium.simulation.experiments.sweep.sweep_report import sweep_report
        from podium.ui.answers.simulation_answers import SweepAnswer

        out = None if self.out is None else Path(self.out)
        try:
            asked = read_sweep(str(self.file))
            if self.reach is not None and asked.spec.objective is None:
                raise InputError("--reach: the sweep has no objective")
            if asked.spec.search is not None:
                check_extra("a search", "experiments", "optuna")
            if out is not None:
                check_extra("--out", "experiments", "pyarrow", "matplotlib")
            scenarios = read_scenarios(asked, self.max_pods)
            runs = asked.trials * len(asked.seeds) * len(scenarios)
            with ask.progress.counted("sweeping", runs) as done:
                trials = play_sweep(asked, scenarios, self.executor(), out, done)
            report = sweep_report(asked, [scenario.name for scenario in scenarios], trials)
            if out is not None:
                from podium.ui.writers.sweep_files import write_sweep

                write_sweep(out, report, trials)
        except KeyboardInterrupt:
            kept = f"what is known is in {out}; the same command goes on with it" if out else ""
            raise KeyboardInterrupt(kept or "nothing is kept without --out") from None
        return SweepAnswer.of(report)
