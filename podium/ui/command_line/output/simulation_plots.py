"""A simulation over time: as one HTML file, as a picture, or as a table for other programs."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from podium.ui.command_line.output.binary_output import check_plots, write_binary
from podium.ui.command_line.output.output import working

if TYPE_CHECKING:
    from podium.api.presentation import Presentation
    from podium.simulation.experiments.series.series import RunSeries
    from podium.simulation.runner.scenario_runner import Prepare, Progress, Simulation
    from podium.simulation.scenario import Scenario

_PLOTS = ("html", "png", "csv", "parquet")


def played(
    scenario: "Scenario", told: "Progress", output: str, prepare: "Prepare | None" = None
) -> "tuple[Simulation, RunSeries | None]":
    """What comes of a scenario, and its lines over time where these are to be printed.

    Raises:
        InputError: it can't be printed in this form.
    """
    from podium.simulation.runner.scenario_runner import simulate

    if output not in _PLOTS:
        return simulate(scenario, told, prepare=prepare), None
    check_plots(output)
    from podium.simulation.experiments.run import observed

    return observed(scenario, told, prepare)


def print_plots(simulation: "Simulation", series: "RunSeries", output: str) -> None:
    """Print a simulation as `html`, `png`, `csv` or `parquet`."""
    with working("drawing"):
        found = _drawn(simulation, series, output)
    if isinstance(found, str):
        print(found, end="")
    else:
        write_binary(found)


def _drawn(simulation: "Simulation", series: "RunSeries", output: str) -> str | bytes:
    if output == "html":
        from podium.ui.writers.html import to_html

        return to_html(simulation_presentation(simulation, series))
    if output == "csv":
        from podium.simulation.experiments.series.tables import lines_csv

        return lines_csv(series)
    if output == "parquet":
        from podium.simulation.experiments.series.tables import lines_parquet

        return lines_parquet(series)
    from podium.simulation.experiments.series.plots import run_png

    return run_png({"": series})


def simulation_presentation(
    simulation: "Simulation", series: "RunSeries | None" = None
) -> "Presentation":
    """How a simulation ended, what failed, and its lines over time as far as they can be drawn."""
    from podium.api.presentation import Bullets, Picture, Presentation, Section, Table
    from podium.simulation.experiments.series.plots import run_png
    from podium.simulation.runner.simulation_report import class_summaries
    from podium.ui.command_line.output.simulate_text import class_table, failures, sleepers, summary

    drawn = run_png({"": series}) if series and find_spec("matplotlib") else b""
    headings, rows = class_table(class_summaries(simulation))
    return Presentation(
        title=simulation.scenario.name,
        headline=summary(simulation),
        sections=[
            Section("What failed", [Bullets(failures(simulation))]),
            Section("Pods that no event wakes", [Bullets(sleepers(simulation))]),
            Section(
                "Pods by priority class", [Table([one.capitalize() for one in headings], rows)]
            ),
            Section("Over time", [Picture("Pods, nodes and waits over time", drawn)]),
            Section("Notes", [Bullets(simulation.notes)]),
        ],
    )
