"""`podium sweep`: a grid of settings, or a search for the best."""

from pathlib import Path
from typing import Annotated

import typer

from podium.api.pod_limit import MAX_PODS
from podium.ui.command_line.exits import INTERRUPTED_EXIT_CODE
from podium.ui.command_line.options.common_options import MaxPodsOption, WideOutput
from podium.ui.command_line.options.experiment_options import (
    FAILED_ON_EXIT_CODE,
    FAILED_RUNS_EXIT_CODE,
    DaskOption,
    RunWorkersOption,
    counted,
)
from podium.ui.inputs.extras import check_extra
from podium.ui.inputs.input_error import InputError
from podium.ui.writers.console import console, working

OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Keep results here as they come, and go on with those that are there."
    ),
]
ReachOption = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER", help="Exit with 2 if the objective of no trial is as good as this."
    ),
]


def sweep(
    file: Annotated[
        str, typer.Argument(metavar="SWEEP.yaml", help="Scenarios, settings and seeds.")
    ],
    out: OutOption = None,
    reach: ReachOption = None,
    workers: RunWorkersOption = None,
    dask: DaskOption = None,
    max_pods: MaxPodsOption = MAX_PODS,
    output: Annotated[
        WideOutput, typer.Option("--output", "-o", help="How to print what came of it.")
    ] = WideOutput.TABLE,
) -> None:
    """Try settings on scenarios and seeds: all combinations, or a search for the best.

    Settings are places in a scenario, in the objects that it names and in its scheduler's
    configuration. With --out, a sweep that was stopped goes on where it was, and the directory
    gets the runs as Parquet, the report, and plots.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.simulation.experiments.sweep.sweep import play_sweep, read_scenarios
    from podium.simulation.experiments.sweep.sweep_file import read_sweep
    from podium.simulation.experiments.sweep.sweep_presentation import sweep_presentation
    from podium.simulation.experiments.sweep.sweep_report import sweep_report
    from podium.ui.inputs.scenario_inputs import executor_of
    from podium.ui.writers.terminal import print_advice

    try:
        asked = read_sweep(file)
        if reach is not None and asked.spec.objective is None:
            raise InputError("--reach: the sweep has no objective")
        if asked.spec.search is not None:
            check_extra("a search", "experiments", "optuna")
        if out is not None:
            check_extra("--out", "experiments", "pyarrow", "matplotlib")
        with working("reading"):
            scenarios = read_scenarios(asked, max_pods)
        runs = asked.trials * len(asked.seeds) * len(scenarios)
        with counted("sweeping", runs) as done:
            trials = play_sweep(asked, scenarios, executor_of(dask, workers), out, done)
        report = sweep_report(asked, [one.name for one in scenarios], trials)
        if out is not None:
            from podium.ui.writers.sweep_files import write_sweep

            write_sweep(out, report, trials)
    except KeyboardInterrupt:
        kept = f"what is known is in {out}; the same command goes on with it" if out else ""
        console(stderr=True).print(f"interrupted: {kept or 'nothing is kept without --out'}")
        raise typer.Exit(INTERRUPTED_EXIT_CODE) from None
    print_advice(report, sweep_presentation(report), output)
    if report.failed:
        raise typer.Exit(FAILED_RUNS_EXIT_CODE)
    if reach is not None and not report.reaches(reach):
        raise typer.Exit(FAILED_ON_EXIT_CODE)
