"""Answers of simulations: scenarios, recordings, comparisons and sweeps."""

from collections.abc import Sequence
from typing import Any

from podium.api.presentation import Picture, Presentation
from podium.simulation.experiments.comparison.comparison import Comparison
from podium.simulation.experiments.series.series import RunSeries
from podium.simulation.experiments.sweep.sweep_report import SweepReport
from podium.simulation.experiments.tables import LINE_COLUMNS
from podium.simulation.recordings.comparison import ReplayReport
from podium.simulation.runner.scenario_runner import Simulation
from podium.simulation.runner.simulation_report import SimulationReport
from podium.ui.answers.answer import Answer, frame
from podium.ui.writers.formats import FORMATS, TERMINAL
from podium.whatif.plan.fail_on import Finding


class SimulationAnswer(Answer, SimulationReport, kw_only=True, repr=False):
    """The timeline and the end of a simulated scenario; see `podium simulate`."""

    simulation: Simulation
    """The simulation, with its cluster at the end."""
    series: RunSeries | None
    """Measures over time; None if they weren't recorded."""
    failed_on: Sequence[Finding] = ()
    """Findings that meet the conditions to fail on."""
    rows = "events"
    warns = TERMINAL

    @property
    def warnings(self) -> Sequence[str]:
        """Notes about parts of the scenario that can't be simulated exactly."""
        return self.simulation.notes

    def presentation(self) -> Presentation:
        """Return the presentation, without pictures if matplotlib isn't installed."""
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.simulation.experiments.simulation_presentation import simulation_presentation

        return simulation_presentation(self.simulation, self.series)

    def printed(self, *, wide: bool) -> Presentation:
        """Return a presentation of the timeline and a summary."""
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.simulation.experiments.simulation_presentation import printed_story

        return printed_story(self.simulation)

    def written(self, output: str) -> str | bytes | None:
        """Write the measures over time as `csv`, `parquet` or `png`."""
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.simulation.experiments.series.plots import run_png
        from podium.simulation.experiments.tables import lines_csv, lines_parquet

        if self.series is None or output not in ("csv", "parquet", "png"):
            return None
        if output == "png":
            return run_png({"": self.series})
        return lines_csv(self.series) if output == "csv" else lines_parquet(self.series)

    def to_pandas(self, rows: str = "") -> Any:
        """Convert a list to a `pandas.DataFrame`; `lines` has the measures that `-o csv` prints."""
        if rows != "lines" or self.series is None:
            return Answer.to_pandas(self, rows)
        return frame([dict(zip(LINE_COLUMNS, row, strict=True)) for row in self.series.rows()])


class ComparisonAnswer(Answer, Comparison, kw_only=True, repr=False):
    """Differences between the measures of two simulated sides; see `podium compare`."""

    picture: Picture | None = None
    rows = "differences"

    def presentation(self) -> Presentation:
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.simulation.experiments.comparison.comparison_presentation import (
            comparison_presentation,
        )

        return comparison_presentation(self, self.picture or Picture("", b""))

    def written(self, output: str) -> bytes | None:
        """Write the picture as `png`."""
        return self.picture.png if self.picture is not None and output == "png" else None


class SweepAnswer(Answer, SweepReport, repr=False):
    """The trials of a sweep; see `podium sweep`."""

    rows = "trials"
    presented_by = "podium.simulation.experiments.sweep.sweep_presentation.sweep_presentation"


class ReplayAnswer(Answer, ReplayReport, kw_only=True, repr=False):
    """Differences between a recording and its replay; see `podium simulate --recording`."""

    warnings: Sequence[str] = ()
    """Parts of the configuration that Podium ignores."""
    rows = "placements"
    warns = FORMATS
    presented_by = "podium.simulation.recordings.comparison.replay_presentation"
