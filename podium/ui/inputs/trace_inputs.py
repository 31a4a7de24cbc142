"""Traces of other formats, read as scenarios."""

from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from podium.ui.inputs.input_error import InputError

if TYPE_CHECKING:
    from podium.simulation.traces.openb import Trace


class TraceFormat(StrEnum):
    """The formats that can be imported."""

    OPENB = "openb"


def imported(nodes: str, pods: str, capacity: str, limit: int | None) -> "tuple[Trace, str]":
    """An openb trace, and the text of its scenario; raises PodiumError."""
    # Help needs the formats alone.
    from podium.simulation.traces.csv_rows import read_rows
    from podium.simulation.traces.openb import NODE_COLUMNS, POD_COLUMNS, read_trace, scenario_lines

    percent = capacity.removesuffix("%")
    if not capacity.endswith("%") or not percent.isdecimal() or not 0 < int(percent) <= 100:
        rule = "must be a percentage above 0% and up to 100%, such as 60%"
        raise InputError(f"--capacity {capacity}: {rule}")
    part = Fraction(int(percent), 100)
    node_rows, pod_rows = read_rows(nodes, NODE_COLUMNS), read_rows(pods, POD_COLUMNS)
    trace = read_trace(node_rows, pod_rows, capacity=part, limit=limit)
    name = Path(pods).name.split(".")[0].replace("_", "-").lower()
    return trace, "\n".join(scenario_lines(trace, name)) + "\n"
