"""The files of a sweep, each written completely or not at all."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from podium.api.documents.report import plain
from podium.api.errors import PodiumError
from podium.api.presentation import Picture
from podium.simulation.experiments.sweep.sweep_presentation import sweep_png, sweep_presentation
from podium.simulation.experiments.sweep.sweep_report import SweepReport, Trial
from podium.simulation.experiments.tables import runs_parquet
from podium.ui.writers.html import to_html
from podium.ui.writers.markdown import to_markdown


def write_sweep(directory: Path, report: SweepReport, trials: Sequence[Trial]) -> None:
    """Write `runs.parquet`, `plot.png`, and the report as JSON, Markdown and HTML."""
    shown = sweep_presentation(report)
    try:
        _write(directory / "runs.parquet", runs_parquet(trials))
        json = msgspec.json.format(msgspec.json.encode(plain(report)), indent=2) + b"\n"
        _write(directory / "report.json", json)
        _write(directory / "report.md", to_markdown(shown).encode())
        drawn = sweep_png(report)
        _write(directory / "plot.png", drawn)
        html = to_html(sweep_presentation(report, Picture("A dot a run, and means", drawn)))
        _write(directory / "report.html", html.encode())
    except OSError as error:
        raise PodiumError(f"{directory}: {error.strerror or error}") from None


def _write(path: Path, data: bytes) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(data)
    other.replace(path)
