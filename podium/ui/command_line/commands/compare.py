"""`podium compare`: two sides over the same scenarios and seeds."""

from enum import StrEnum
from typing import Annotated

import typer

from podium.api.pod_limit import MAX_PODS
from podium.ui.command_line.options.common_options import MaxPodsOption, WideOutput
from podium.ui.command_line.options.experiment_options import (
    FAILED_ON_EXIT_CODE,
    FAILED_RUNS_EXIT_CODE,
    DaskOption,
    RunWorkersOption,
    counted,
)
from podium.ui.inputs.input_error import InputError
from podium.ui.writers.console import working


class CompareOutput(StrEnum):
    """How a comparison is printed."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    MARKDOWN = "markdown"
    HTML = "html"
    PNG = "png"


SideArgument = Annotated[
    str,
    typer.Argument(
        help="A KubeSchedulerConfiguration, SchedulerOptions, a state (file or directory), "
        "a scenario, a recording, or `default`."
    ),
]

FailOnOption = Annotated[
    str | None,
    typer.Option(
        metavar="MEASURE[,MEASURE]",
        help="Exit with 2 if B does worse by one of these, such as preempted.",
    ),
]


def compare(
    a: SideArgument,
    b: SideArgument,
    scenarios: Annotated[
        list[str] | None,
        typer.Option("--scenario", "-s", help="What both sides play; may be repeated."),
    ] = None,
    seeds: Annotated[str, typer.Option(help="How many seeds, or which: 20, or 5..9.")] = "10",
    fail_on: FailOnOption = None,
    workers: RunWorkersOption = None,
    dask: DaskOption = None,
    max_pods: MaxPodsOption = MAX_PODS,
    output: Annotated[
        CompareOutput,
        typer.Option(
            "--output", "-o", help="How to print what differs; html and png draw two runs."
        ),
    ] = CompareOutput.TABLE,
) -> None:
    """Say what differs between two configurations, policies, states, scenarios or recordings.

    Both play the same scenarios with the same seeds, and are compared run by run: who waits, who
    is preempted, utilisation, fragmentation, each with a 95 % interval of the difference.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.api.presentation import Picture
    from podium.simulation.experiments.comparison.comparison import compare as play_both
    from podium.simulation.experiments.comparison.comparison import is_worse
    from podium.simulation.experiments.comparison.comparison_presentation import (
        comparison_presentation,
    )
    from podium.simulation.experiments.comparison.sides import read_side
    from podium.simulation.experiments.measures import MEANINGS, check_measure
    from podium.simulation.experiments.whole_scenario import read_whole_scenario
    from podium.ui.command_line.output.binary_output import check_plots, write_binary
    from podium.ui.inputs.scenario_inputs import executor_of, parse_seeds
    from podium.ui.writers.terminal import print_advice

    chosen = parse_seeds(seeds)
    check_plots(output)
    judged = fail_on.split(",") if fail_on else []
    for name in judged:
        if name.partition(".")[0] not in MEANINGS:
            raise InputError(f"--fail-on {name}: measures are {', '.join(MEANINGS)}")
    with working("reading"):
        first, second = read_side(a, max_pods), read_side(b, max_pods)
        played = [read_whole_scenario(path, max_pods) for path in scenarios or ()]
    runs = 2 * len(chosen) * max(1, len(played))
    with counted("comparing", runs) as done:
        executor = executor_of(dask, workers)
        found = play_both(first, second, played, chosen, executor, done)
        for name in judged:
            check_measure(f"--fail-on {name}", name, [one.measure for one in found.differences])
        picture = Picture("", b"")
        if output in (CompareOutput.HTML, CompareOutput.PNG):
            from podium.simulation.experiments.comparison.comparison_presentation import (
                side_by_side,
            )

            picture = side_by_side(first, second, played, found)
    if output is CompareOutput.PNG:
        write_binary(picture.png)
    else:
        print_advice(found, comparison_presentation(found, picture), WideOutput(output))
    if found.failed:
        raise typer.Exit(FAILED_RUNS_EXIT_CODE)
    if any(one.measure in judged and is_worse(one) for one in found.differences):
        raise typer.Exit(FAILED_ON_EXIT_CODE)
