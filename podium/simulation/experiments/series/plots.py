"""Plots by Matplotlib; equal numbers give equal bytes."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

from podium.simulation.experiments.series.series import (
    CLASS,
    CLUSTER,
    NO_CLASS,
    NODE,
    ZONE,
    RunSeries,
    StepSeries,
)
from podium.simulation.runner.simulation_report import AT_ONCE_S

# Okabe and Ito's colours, which the colour-blind can tell apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")
_COUNTS = ("pending", "bound", "preempted", "evicted")
_NODES_MAX = 20
_LEGEND_MAX = 12
_SIZE_INCHES = (6.4, 2.6)


def figure(rows: int, columns: int) -> tuple[Any, Any]:
    """A figure and its panels, row by row, drawn without a display."""
    # An optional package.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = _SIZE_INCHES
    drawn = Figure(figsize=(width * columns, height * rows))
    FigureCanvasAgg(drawn)
    # Margins by the inch, as finding out what the texts need takes longer than all the rest.
    margins = {"left": 0.7 / width / columns, "right": 1 - 0.15 / width / columns}
    margins |= {"bottom": 0.5 / height / rows, "top": 1 - 0.3 / height / rows}
    drawn.subplots_adjust(**margins, wspace=0.18, hspace=0.5)
    return drawn, drawn.subplots(rows, columns, squeeze=False)


def png(drawn: Any) -> bytes:
    """Render a figure as a PNG without a date, so that equal figures are equal files."""
    out = io.BytesIO()
    drawn.savefig(
        out, format="png", dpi=90, metadata={"Software": None}, pil_kwargs={"compress_level": 6}
    )
    return out.getvalue()


def run_png(runs: Mapping[str, RunSeries]) -> bytes:
    """The lines of runs as one picture: a column a run and with the same scales, or one in two."""
    from matplotlib.ticker import MaxNLocator

    panels = _panels(runs)
    alone = len(runs) == 1
    drawn, axes = figure(-(-len(panels) // 2), 2) if alone else figure(len(panels), len(runs))
    for column, (called, series) in enumerate(runs.items()):
        for row, (title, measure, of) in enumerate(panels):
            axis = axes[row // 2][row % 2] if alone else axes[row][column]
            axis.set_title(f"{title} – {called}" if len(runs) > 1 else title, fontsize=10)
            if measure == "waits":
                _draw_waits(axis, series)
            else:
                found = {
                    name: line
                    for (what, by, name), line in sorted(series.lines.items())
                    if (what, by) == (measure, of)
                }
                if of == NODE and len(found) > _NODES_MAX:
                    _draw_spread(axis, [*found.values()], series.until_s)
                else:
                    for number, (name, line) in enumerate(found.items()):
                        times, values = (
                            [*line.times_s, series.until_s],
                            [*line.values, line.values[-1]],
                        )
                        label = name or (NO_CLASS if of == CLASS else "cluster")
                        colour = COLOURS[number % len(COLOURS)]
                        dash = ("-", "--", ":")[number // len(COLOURS) % 3]
                        axis.step(
                            times, values, where="post", label=label, color=colour, linestyle=dash
                        )
                    if found and len(found) <= _LEGEND_MAX:
                        axis.legend(fontsize=7, loc="upper left")
                axis.set_xlim(0, series.until_s or 1)
                axis.set_xlabel("seconds", fontsize=8)
                axis.tick_params(labelsize=8)
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


def _panels(runs: Mapping[str, RunSeries]) -> list[tuple[str, str, str]]:
    panels = [(f"Pods {name}, by priority class", name, CLASS) for name in _COUNTS]
    lines = [line for series in runs.values() for line in series.lines]
    resources = sorted(
        {name.partition(".")[2] for name, *_ in lines if name.startswith("utilisation.")}
    )
    for resource in resources:
        measure = f"utilisation.{resource}"
        panels.append((f"Utilisation of {resource}, by node", measure, NODE))
        if any(line[:2] == (measure, ZONE) for line in lines):
            panels.append((f"Utilisation of {resource}, by zone", measure, ZONE))
        panels.append((f"Fragmentation of {resource}", f"fragmentation.{resource}", CLUSTER))
    return [*panels, ("Pods that waited at least so long, by priority class", "waits", CLASS)]


def _draw_spread(axis: Any, lines: Sequence[StepSeries], until_s: float) -> None:
    """Many nodes as bands: the median, the middle half, and all."""
    import numpy as np

    times = np.linspace(0.0, until_s, 200)
    values = np.array([_sampled(line, times) for line in lines])
    low, lower, middle, upper, high = np.percentile(values, (0, 25, 50, 75, 100), axis=0)
    axis.fill_between(times, low, high, color=COLOURS[5], alpha=0.3, label="all nodes")
    axis.fill_between(times, lower, upper, color=COLOURS[0], alpha=0.4, label="middle half")
    axis.plot(times, middle, color=COLOURS[7], label="median")
    axis.legend(fontsize=7, loc="upper left")


def _sampled(line: StepSeries, times: Any) -> Any:
    import numpy as np

    at = np.searchsorted(line.times_s, times, side="right") - 1
    return np.where(at >= 0, np.array(line.values)[np.maximum(at, 0)], 0.0)


def _draw_waits(axis: Any, series: RunSeries) -> None:
    found = [wait for wait in series.waits if wait.seconds > AT_ONCE_S]
    names = sorted({wait.priority_class for wait in found})
    longest = max((wait.seconds for wait in found), default=0.0)
    for number, name in enumerate(names):
        waits = [wait for wait in found if wait.priority_class == name]
        seconds = sorted(wait.seconds for wait in waits)
        left = [len(seconds) - index for index in range(len(seconds))]
        colour = COLOURS[number % len(COLOURS)]
        axis.step(
            [0.0, *seconds],
            [len(seconds), *left],
            where="pre",
            color=colour,
            label=name or NO_CLASS,
        )
    if names and len(names) <= _LEGEND_MAX:
        axis.legend(fontsize=7, loc="upper right")
    axis.set_xlim(0, longest * 1.02 or 1)
    axis.set_xlabel("seconds without a node", fontsize=8)
    axis.tick_params(labelsize=8)
