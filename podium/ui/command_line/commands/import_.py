"""`podium import`: traces of other formats as scenarios."""

import sys
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.api.errors import PodiumError
from podium.ui.command_line.options.common_options import InputError
from podium.ui.command_line.output.output import fail, print_warnings, working

if TYPE_CHECKING:
    from podium.simulation.traces.openb import Trace

_PERCENT_RULE = "must be a percentage above 0% and up to 100%, such as 60%"


class TraceFormat(StrEnum):
    """The formats that can be imported."""

    OPENB = "openb"


def import_(
    trace_format: Annotated[TraceFormat, typer.Argument(metavar="FORMAT", help="openb.")],
    nodes: Annotated[str, typer.Argument(metavar="NODES.csv", help="The nodes; may be gzipped.")],
    pods: Annotated[str, typer.Argument(metavar="PODS.csv", help="The tasks; may be gzipped.")],
    output: Annotated[
        str, typer.Option("--output-file", "-o", metavar="FILE", help="Where to write; `-`: here.")
    ] = "-",
    capacity: Annotated[
        str, typer.Option(metavar="PERCENT", help="Which part of the nodes to keep.")
    ] = "100%",
    limit: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Keep the N earliest tasks only.")
    ] = None,
) -> None:
    """Turn a cluster's trace into a scenario for `podium simulate`."""
    try:
        with working("importing"):
            trace, text = imported(nodes, pods, capacity, limit)
        if output == "-":
            sys.stdout.write(text)
        else:
            Path(output).write_text(text, encoding="utf-8")
    except (PodiumError, OSError) as error:
        fail(str(error))
    print_warnings(trace.notes)


def imported(nodes: str, pods: str, capacity: str, limit: int | None) -> "tuple[Trace, str]":
    """An openb trace, and the scenario that it comes to; raises PodiumError."""
    from podium.simulation.traces.csv_rows import read_rows
    from podium.simulation.traces.openb import NODE_COLUMNS, POD_COLUMNS, read_trace
    from podium.simulation.traces.scenario_text import scenario_lines

    trace = read_trace(
        read_rows(nodes, NODE_COLUMNS),
        read_rows(pods, POD_COLUMNS),
        capacity=_part(capacity),
        limit=limit,
    )
    return trace, "\n".join(scenario_lines(trace, _name(pods))) + "\n"


def _part(text: str) -> Fraction:
    number = text.removesuffix("%")
    if not text.endswith("%") or not number.isdecimal() or not 0 < int(number) <= 100:
        raise InputError(f"--capacity {text}: {_PERCENT_RULE}")
    return Fraction(int(number), 100)


def _name(path: str) -> str:
    return Path(path).name.split(".")[0].replace("_", "-").lower()
