"""`podium simulate`: a scenario in virtual time, and the story of what happens in it."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.api.pod_limit import MAX_PODS
from podium.api.process.python_garbage_collection import collect_rarely
from podium.api.values.durations import duration_seconds
from podium.ui.command_line.options.common_options import (
    AssumeHealthyOption,
    InputError,
    MaxPodsOption,
    PluginOption,
    ServeOption,
)
from podium.ui.command_line.output.output import (
    INTERRUPTED_EXIT_CODE,
    AdviceOutput,
    console,
    print_report,
    print_warnings,
    working,
)

if TYPE_CHECKING:
    from podium.simulation.scenario import Scenario
    from podium.ui.command_line.processes.simulation_recording import SimulationRecording

FAILED_EXIT_CODE = 2
_ONE_OF = "what is to be played? Name a scenario, or a --recording"
_ALONE = "{}: a recording can't be combined with that"
_CONFIG = "--config is for a --recording; a scenario says itself how it is scheduled"


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
    from podium.api.documents.report import plain
    from podium.simulation.runner.simulation_report import simulation_report
    from podium.ui.command_line.output.simulate_text import print_story, progress
    from podium.ui.command_line.output.simulation_plots import (
        played,
        print_plots,
        simulation_presentation,
    )

    path = checked_scenario(scenario, recording, config, until, seed, assume_healthy=assume_healthy)
    if recording is not None:
        if serve:
            raise InputError(_ALONE.format("--serve"))
        _replay(recording, config, plugin or (), output)
        return
    with working("reading"):
        loaded = read_scenario_file(
            path, until, seed, max_pods, plugin or (), assume_healthy=assume_healthy
        )
    collect_rarely()
    with progress() as told:
        shown = _recording(loaded) if serve else None
        prepare = None if shown is None else shown.begin
        simulation, series = played(loaded, told, output, prepare)
    if output is SimulateOutput.TIMELINE:
        print_warnings(simulation.notes)
        print_story(console(), simulation)
    elif output is SimulateOutput.MARKDOWN:
        from podium.ui.writers.terminal import print_document

        print_document(simulation_presentation(simulation), output)
    elif series is not None:
        print_plots(simulation, series, output)
    else:
        print_report(plain(simulation_report(simulation)), output)
    if shown is not None:
        shown.serve(simulation)
    if simulation.interrupted:
        raise typer.Exit(INTERRUPTED_EXIT_CODE)
    if simulation.failures:
        raise typer.Exit(FAILED_EXIT_CODE)


def _recording(scenario: "Scenario") -> "SimulationRecording":
    from podium.ui.command_line.processes.simulation_recording import SimulationRecording

    return SimulationRecording(scenario)


def checked_scenario(
    scenario: str | None,
    recording: Path | None,
    config: str | None,
    until: str | None,
    seed: int | None,
    *,
    assume_healthy: bool = False,
) -> str:
    """The scenario to play, empty for a recording; raises InputError if it is neither."""
    given = {
        "a scenario": scenario,
        "--until": until,
        "--seed": seed,
        "--assume-healthy": assume_healthy or None,
    }
    if recording is not None:
        if words := [word for word, value in given.items() if value is not None]:
            raise InputError(_ALONE.format(" and ".join(words)))
    elif scenario is None or config is not None:
        raise InputError(_ONE_OF if scenario is None else _CONFIG)
    return scenario or ""


def _replay(
    recording: Path, config: str | None, plugins: Sequence[str], output: SimulateOutput
) -> None:
    from podium.ui.command_line.output.replay_output import print_replay

    told = {*AdviceOutput, SimulateOutput.TIMELINE}
    if output not in told:
        raise InputError(_ALONE.format(f"-o {output}"))
    collect_rarely()
    shown = AdviceOutput.TABLE if output is SimulateOutput.TIMELINE else AdviceOutput(output)
    print_replay(recording, config, plugins, shown)


def read_scenario_file(
    path: str,
    until: str | None,
    seed: int | None,
    max_pods: int,
    plugins: Sequence[str],
    *,
    assume_healthy: bool = False,
) -> "Scenario":
    """The scenario in a file, with what the command line says of it; raises PodiumError."""
    from msgspec import structs

    from podium.cluster.manifests.input_files import read_text
    from podium.simulation.scenario import ScenarioError, read_scenario
    from podium.ui.inputs.plugin_files import load_plugin

    names = [load_plugin(one) for one in plugins]
    text = read_text(path, sys.stdin.buffer)
    scenario = read_scenario("stdin" if path == "-" else path, text, seed, max_pods, names)
    if assume_healthy:
        scenario = replace(scenario, options=structs.replace(scenario.options, heals=True))
    if until is None:
        return scenario
    until_s = duration_seconds(until)
    if until_s is None or until_s < 0:
        raise ScenarioError(f"--until: {until}: must be a duration such as 10m or 1h30m")
    return replace(scenario, until_s=until_s)
