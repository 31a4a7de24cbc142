"""`podium compare` and `podium sweep`: many runs, by seeds."""

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from podium.ui.commands.question import FAILED_EXIT_CODE, A_co, Asker, Question
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import (
    Reach,
    Texts,
    local_option,
    option,
    option_like,
    place,
    question,
    texts,
)
from podium.ui.inputs.request_options import Rules

if TYPE_CHECKING:
    from podium.simulation.experiments.executors import Executor
    from podium.ui.answers.simulation_answers import ComparisonAnswer, SweepAnswer


@question
class Experiment(Question[A_co]):
    """How the runs of an experiment are played."""

    workers: int | None = option(
        "How many processes play the runs; one a core unless given.", min=1
    )
    dask: str | None = option(
        "Play the runs on a Dask cluster, such as tcp://host:8786.", metavar="ADDRESS"
    )
    max_pods: int = option_like(Rules, "max_pods")

    def exit_code(self, answer: Any) -> int:
        """1 if a run has failed, or as of all questions."""
        return FAILED_EXIT_CODE if answer.failed else super().exit_code(answer)

    def executor(self) -> "Executor":
        """What plays the runs; raises InputError."""
        if self.dask is not None:
            # It is there only with an extra.
            from podium.simulation.experiments.executors import DaskExecutor
            from podium.ui.inputs.extras import check_extra

            check_extra("--dask", "experiments", "distributed")
            return DaskExecutor(self.dask)
        from podium.api.process.concurrency import core_count
        from podium.simulation.experiments.executors import LocalExecutor

        return LocalExecutor(self.workers or core_count())


_SIDE = (
    "A KubeSchedulerConfiguration, SchedulerOptions, a state (file or directory), "
    "a scenario, a recording, or `default`."
)


@question
class CompareQuestion(Experiment["ComparisonAnswer"]):
    """Say what differs between two configurations, policies, states, scenarios or recordings.

    Both play the same scenarios with the same seeds, and are compared run by run: who waits, who
    is preempted, utilisation, fragmentation, each with a 95 % interval of the difference.
    """

    formats = ("png",)
    needs = MappingProxyType({"html": "matplotlib", "png": "matplotlib"})

    a: str | Path = place(_SIDE, kw_only=False)
    b: str | Path = place(_SIDE, kw_only=False)
    scenarios: Texts = place(
        "What both sides play; may be repeated.",
        flags=("--scenario", "-s"),
        metavar="FILE",
        reach=Reach.LIBRARY,
        is_argument=False,
        default=(),
        kw_only=False,
    )
    seeds: str | int = option("How many seeds, or which: 20, or 5..9.", default="10")
    fail_on: str | None = option(
        "Exit with 2 if B does worse by one of these, such as preempted.",
        metavar="MEASURE[,MEASURE]",
        reach=Reach.COMMAND,
    )

    def is_found_wanting(self, answer: Any) -> bool:
        """Whether the second side does worse by a measure that is named."""
        from podium.simulation.experiments.comparison.comparison import is_worse

        judged = self._judged()
        return any(one.measure in judged and is_worse(one) for one in answer.differences)

    def _judged(self) -> list[str]:
        return self.fail_on.split(",") if self.fail_on else []

    def answer(self, ask: Asker) -> "ComparisonAnswer":
        """Play both sides; raises PodiumError."""
        from podium.simulation.experiments.comparison.comparison import compare
        from podium.simulation.experiments.comparison.comparison_presentation import side_by_side
        from podium.simulation.experiments.comparison.sides import read_side
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
    """`10` for the seeds 0 to 9, `5..9` for those from 5 to 9; raises InputError."""
    first, dots, last = text.partition("..")
    if dots and first.isdigit() and last.isdigit() and int(first) <= int(last):
        return range(int(first), int(last) + 1)
    if not dots and text.isdigit() and int(text) > 0:
        return range(int(text))
    raise InputError(f"--seeds {text}: must be a number such as 10, or a range such as 5..9")


@question
class SweepQuestion(Experiment["SweepAnswer"]):
    """Try settings on scenarios and seeds: all combinations, or a search for the best.

    Settings are places in a scenario, in the objects that it names and in its scheduler's
    configuration. With --out, a sweep that was stopped goes on where it was, and the directory
    gets the runs as Parquet, the report, and plots.
    """

    file: str | Path = place("Scenarios, settings and seeds.", metavar="SWEEP.yaml", kw_only=False)
    out: str | Path | None = local_option(
        "Keep results here as they come, and go on with those that are there.", metavar="DIR"
    )
    reach: float | None = option(
        "Exit with 2 if the objective of no trial is as good as this.",
        metavar="NUMBER",
        reach=Reach.COMMAND,
    )

    def is_found_wanting(self, answer: Any) -> bool:
        """Whether the objective of no trial is as good as it should be."""
        return self.reach is not None and not answer.reaches(self.reach)

    def answer(self, ask: Asker) -> "SweepAnswer":
        """Play all trials; raises PodiumError."""
        from podium.simulation.experiments.sweep.sweep import play_sweep, read_scenarios
        from podium.simulation.experiments.sweep.sweep_file import read_sweep
        from podium.simulation.experiments.sweep.sweep_report import sweep_report
        from podium.ui.answers.simulation_answers import SweepAnswer
        from podium.ui.inputs.extras import check_extra

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
            report = sweep_report(asked, [one.name for one in scenarios], trials)
            if out is not None:
                from podium.ui.writers.sweep_files import write_sweep

                write_sweep(out, report, trials)
        except KeyboardInterrupt:
            kept = f"what is known is in {out}; the same command goes on with it" if out else ""
            raise KeyboardInterrupt(kept or "nothing is kept without --out") from None
        return SweepAnswer.of(report)
