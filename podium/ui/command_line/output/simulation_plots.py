"""A simulation over time: as one HTML file, as a picture, or as a table for other programs."""

from typing import TYPE_CHECKING

from podium.ui.command_line.output.binary_output import check_plots, write_binary
from podium.ui.writers.console import working

if TYPE_CHECKING:
    from podium.simulation.experiments.series.series import RunSeries
    from podium.simulation.runner.scenario_runner import Prepare, Progress, Simulation
    from podium.simulation.scenario import Scenario

_PLOTS = ("html", "png", "csv", "parquet")


def played(
    scenario: "Scenario", told: "Progress", output: str, prepare: "Prepare | None" = None
) -> "tuple[Simulation, RunSeries | None]":
    """What comes of a scenario, and its lines over time where these are to be printed."""
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.simulation.runner.scenario_runner import simulate

    if output not in _PLOTS:
        return simulate(scenario, told, prepare=prepare), None
    check_plots(output)
    from podium.simulation.experiments.run import observed

    return observed(scenario, told, prepare)


def print_plots(simulation: "Simulation", series: "RunSeries", output: str) -> None:
    """Print a simulation as `html`, `png`, `csv` or `parquet`."""
    from podium.simulation.experiments.tables import lines_csv, lines_parquet

    drawn: str | bytes
    with working("drawing"):
        match output:
            case "html":
                from podium.simulation.experiments import simulation_presentation as shown
                from podium.ui.writers.html import to_html

                drawn = to_html(shown.simulation_presentation(simulation, series))
            case "csv":
                drawn = lines_csv(series)
            case "parquet":
                drawn = lines_parquet(series)
            case _:
                from podium.simulation.experiments.series.plots import run_png

                drawn = run_png({"": series})
    if isinstance(drawn, str):
        print(drawn, end="")
    else:
        write_binary(drawn)
