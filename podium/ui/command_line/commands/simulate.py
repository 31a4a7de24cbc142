"""`podium simulate`: a scenario in virtual time, and the story of what happens in it."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from podium.api.pod_limit import MAX_PODS
from podium.api.process.python_garbage_collection import collect_rarely
from podium.ui.command_line.exits import INTERRUPTED_EXIT_CODE
from podium.ui.command_line.options.common_options import (
    AdviceOutput,
    AssumeHealthyOption,
    MaxPodsOption,
    PluginOption,
    ServeOption,
)
from podium.ui.inputs.input_error import InputError
from podium.ui.writers.console import console, print_report, print_warnings, working

FAILED_EXIT_CODE = 2


class SimulateOutput(StrEnum):
    """How a simulation is printed."""

    TIMELINE = "timeline"
    HTML = "html"
    MARKDOWN = "markdown"
    PNG = "png"
    CSV = "csv"
    PARQUET = "parquet"
    JSON = "json"
    YAML = "yaml"


ScenarioArgument = Annotated[
    str | None,
    typer.Argument(metavar="SCENARIO.yaml", help="The scenario; `-` for standard input."),
]
RecordingOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Play what `podium record` has recorded instead, and tell what goes differently.",
    ),
]
ConfigOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="The KubeSchedulerConfiguration (v1) of the replay of a recording; the recorded one "
        "unless given.",
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        metavar="DURATION",
        help="When to end, such as 10m; as the scenario says, or with its last step.",
    ),
]
SeedOption = Annotated[
    int | None, typer.Option(help="Of everything that is left to chance; the scenario's own.")
]


def simulate(
    scenario: ScenarioArgument = None,
    recording: RecordingOption = None,
    config: ConfigOption = None,
    until: UntilOption = None,
    seed: SeedOption = None,
    plugin: PluginOption = None,
    max_pods: MaxPodsOption = MAX_PODS,
    assume_healthy: AssumeHealthyOption = False,
    output: Annotated[
        SimulateOutput, typer.Option("--output", "-o", help="How to print what happens.")
    ] = SimulateOutput.TIMELINE,
    serve: ServeOption = False,
) -> None:
    """Play a scenario in virtual time: manifests, timed steps, assertions.

    The same seed gives the same story. The exit code is 2 if an assertion fails. A recording is
    played as it was, or by another configuration.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.inputs.scenario_inputs import (
        RECORDING_ALONE,
        checked_scenario,
        read_scenario_file,
    )

    path = checked_scenario(scenario, recording, config, until, seed, assume_healthy=assume_healthy)
    if recording is not None:
        if serve:
            raise InputError(RECORDING_ALONE.format("--serve"))
        if output not in (*AdviceOutput, SimulateOutput.TIMELINE):
            raise InputError(RECORDING_ALONE.format(f"-o {output}"))
        collect_rarely()
        _replay(recording, config, plugin or (), output)
        return
    from podium.simulation.experiments.simulation_presentation import simulation_presentation
    from podium.simulation.runner.simulation_report import simulation_report
    from podium.ui.command_line.output.simulate_text import print_story, progress
    from podium.ui.command_line.output.simulation_plots import played, print_plots

    with working("reading"):
        loaded = read_scenario_file(
            path, until, seed, max_pods, plugin or (), assume_healthy=assume_healthy
        )
    collect_rarely()
    with progress() as tell:
        recorded = None
        if serve:
            from podium.ui.command_line.processes.recorded_runs import SimulationRecording

            recorded = SimulationRecording(loaded)
        simulation, series = played(loaded, tell, output, recorded.begin if recorded else None)
    if output is SimulateOutput.TIMELINE:
        print_warnings(simulation.notes)
        print_story(console(), simulation)
    elif output is SimulateOutput.MARKDOWN:
        from podium.ui.writers.terminal import print_document

        print_document(simulation_presentation(simulation), output)
    elif series is not None:
        print_plots(simulation, series, output)
    else:
        print_report(simulation_report(simulation), output)
    if recorded is not None:
        recorded.serve(simulation)
    if simulation.interrupted:
        raise typer.Exit(INTERRUPTED_EXIT_CODE)
    if simulation.failures:
        raise typer.Exit(FAILED_EXIT_CODE)


def _replay(
    recording: Path, config: str | None, plugins: Sequence[str], output: SimulateOutput
) -> None:
    from podium.simulation.recordings.comparison import compare
    from podium.simulation.recordings.replay import replay
    from podium.simulation.recordings.replay_presentation import replay_presentation
    from podium.simulation.timeline.timeline_sentences import clock
    from podium.ui.inputs.scenario_inputs import read_replay
    from podium.ui.writers.terminal import print_advice

    with working("replaying") as progress:
        recorded, loaded = read_replay(recording, config, plugins)
        total = f"{len(recorded.changes):,}"

        def tell(at_s: float, number: int) -> None:
            progress.tell(lambda: f"replaying: {clock(at_s)}, change {number:,} of {total}")

        configuration, options = (loaded.configuration, loaded.options) if loaded else (None, None)
        report = compare(replay(recorded, configuration, options, tell))
    print_warnings(loaded.notes if loaded else ())
    shown = "table" if output is SimulateOutput.TIMELINE else output
    print_advice(report, replay_presentation(report), shown)
