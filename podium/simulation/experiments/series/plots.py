"""Plots of runs by Matplotlib; equal time series result in equal files."""

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from podium.simulation.experiments.series.series import (
    CLASS,
    CLUSTER,
    NO_CLASS,
    NODE,
    ZONE,
    RunSeries,
    StepSeries,
    Wait,
)
from podium.simulation.runner.simulation_report import AT_ONCE_S

# Okabe and Ito's colours, which the colour-blind can tell apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")
_DASHES = ("-", "--", ":")
_COUNTS = ("pending", "bound", "preempted", "evicted")
_NODES_MAX = 20
_LEGEND_MAX = 12
_TICKS_MAX = 8
_SIZE_INCHES = (7.6, 2.6)
# Beside each panel: its legend on the right, the numbers of its axis on the left.
_LEGEND_INCHES, _AXIS_INCHES = 1.5, 0.6
_UNITS = ((3 * 3600, 3600, "hours"), (300, 60, "minutes"), (0, 1, "seconds"))


def figure(rows: int, columns: int) -> tuple[Any, Any]:
    """Make a figure without a display, and its panels as rows of columns."""
    # An optional package.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = _SIZE_INCHES
    drawn = Figure(figsize=(width * columns, height * rows))
    FigureCanvasAgg(drawn)
    # Margins by the inch, as finding out what the texts need takes longer than all the rest.
    margins = {
        "left": _AXIS_INCHES / width / columns,
        "right": 1 - _LEGEND_INCHES / width / columns,
        "wspace": (_LEGEND_INCHES + _AXIS_INCHES) / (width - _LEGEND_INCHES - _AXIS_INCHES),
    }
    margins |= {"bottom": 0.5 / height / rows, "top": 1 - 0.3 / height / rows}
    drawn.subplots_adjust(**margins, hspace=0.5)
    return drawn, drawn.subplots(rows, columns, squeeze=False)


def png(drawn: Any) -> bytes:
    """Render a figure as a PNG without a date, so that equal figures result in equal files."""
    out = io.BytesIO()
    drawn.savefig(
        out, format="png", dpi=90, metadata={"Software": None}, pil_kwargs={"compress_level": 6}
    )
    return out.getvalue()


def run_png(runs: Mapping[str, RunSeries]) -> bytes:
    """Plot the time series of runs: a column of panels for each run, or two for a single run.

    Panels of one measure have equal scales; measures that are always 0 have no panel.
    """
    # An optional package.
    from matplotlib.ticker import MaxNLocator

    panels = [(f"Pods {name}, by priority class", name, CLASS) for name in _COUNTS]
    lines = [line for series in runs.values() for line in series.lines]
    for measure in sorted({name for name, *_ in lines if name.startswith("utilisation.")}):
        resource = measure.partition(".")[2]
        panels.append((f"Utilisation of {resource}, by node", measure, NODE))
        if any(line[:2] == (measure, ZONE) for line in lines):
            panels.append((f"Utilisation of {resource}, by zone", measure, ZONE))
        panels.append((f"Fragmentation of {resource}", f"fragmentation.{resource}", CLUSTER))
    panels.append(("Pods that waited at least so long, by priority class", "waits", CLASS))
    shown = {
        line[:2]
        for run in runs.values()
        for line, values in run.lines.items()
        if any(values.values)
    }
    if any(_long_waits(run) for run in runs.values()):
        shown.add(("waits", CLASS))
    panels = [panel for panel in panels if panel[1:] in shown] or panels[:1]
    until_s = max(run.until_s for run in runs.values()) or 1
    longest_s = (
        max((w.seconds for run in runs.values() for w in _long_waits(run)), default=1) * 1.02
    )
    alone = len(runs) == 1
    drawn, axes = figure(-(-len(panels) // 2), 2) if alone else figure(len(panels), len(runs))
    for column, (run_name, series) in enumerate(runs.items()):
        for row, (title, measure, of) in enumerate(panels):
            axis = axes[row // 2][row % 2] if alone else axes[row][column]
            axis.set_title(f"{title} – {run_name}" if len(runs) > 1 else title, fontsize=10)
            axis.tick_params(labelsize=8)
            if measure == "waits":
                _draw_waits(axis, series)
                _scale(axis, longest_s, "{} without a node")
            else:
                _draw_lines(axis, series, measure, of)
                _scale(axis, until_s, "{}")
            if of == CLASS:
                axis.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
                axis.set_ylim(0, max(1.0, axis.get_ylim()[1]))
    for group in axes.flat[: len(panels)].reshape(-1, 1) if alone else axes:
        top = max(axis.get_ylim()[1] for axis in group)
        for axis in group:
            axis.set_ylim(0, top)
    for axis in axes.flat[len(panels) :] if alone else ():
        axis.remove()
    return png(drawn)


def _scale(axis: Any, end_s: float, label: str) -> None:
    # An optional package.
    from matplotlib.ticker import MultipleLocator

    _, divisor, unit = next(row for row in _UNITS if end_s >= row[0])
    least = end_s / divisor / _TICKS_MAX
    power = 10.0 ** math.floor(math.log10(least))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
    axis.xaxis.set_major_locator(MultipleLocator(step * divisor))
    axis.set_xlim(0, end_s)
    axis.xaxis.set_major_formatter(lambda seconds, _: f"{seconds / divisor:g}")
    axis.set_xlabel(label.format(unit), fontsize=8)


def _legend(axis: Any) -> None:
    axis.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1.02), frameon=False)


def _draw_lines(axis: Any, series: RunSeries, measure: str, of: str) -> None:
    lines = {
        name: line
        for (line_measure, line_of, name), line in sorted(series.lines.items())
        if (line_measure, line_of) == (measure, of)
    }
    if of == NODE and len(lines) > _NODES_MAX:
        _draw_spread(axis, [*lines.values()], series.until_s)
        return
    for number, (name, line) in enumerate(lines.items()):
        axis.step(
            [*line.times_s, series.until_s],
            [*line.values, line.values[-1]],
            where="post",
            label=name or (NO_CLASS if of == CLASS else "cluster"),
            color=COLOURS[number % len(COLOURS)],
            linestyle=_DASHES[number // len(COLOURS) % len(_DASHES)],
        )
    if lines and len(lines) <= _LEGEND_MAX:
        _legend(axis)


def _draw_spread(axis: Any, lines: Sequence[StepSeries], until_s: float) -> None:
    # Many nodes as bands: the median, the middle half, and all.
    times = np.linspace(0.0, until_s, 200)
    samples = []
    for line in lines:
        at = np.searchsorted(line.times_s, times, side="right") - 1
        samples.append(np.where(at >= 0, np.array(line.values)[np.maximum(at, 0)], 0.0))
    low, lower, middle, upper, high = np.percentile(samples, (0, 25, 50, 75, 100), axis=0)
    axis.fill_between(times, low, high, color=COLOURS[5], alpha=0.3, label="all nodes")
    axis.fill_between(times, lower, upper, color=COLOURS[0], alpha=0.4, label="middle half")
    axis.plot(times, middle, color=COLOURS[7], label="median")
    _legend(axis)


def _draw_waits(axis: Any, series: RunSeries) -> None:
    waits = _long_waits(series)
    class_names = sorted({wait.priority_class for wait in waits})
    for number, name in enumerate(class_names):
        seconds = sorted(wait.seconds for wait in waits if wait.priority_class == name)
        axis.step(
            [0.0, *seconds],
            [len(seconds), *range(len(seconds), 0, -1)],
            where="pre",
            color=COLOURS[number % len(COLOURS)],
            label=name or NO_CLASS,
        )
    if class_names and len(class_names) <= _LEGEND_MAX:
        _legend(axis)


def _long_waits(series: RunSeries) -> list[Wait]:
    return [wait for wait in series.waits if wait.seconds > AT_ONCE_S]
