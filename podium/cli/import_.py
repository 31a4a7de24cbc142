"""`podium import`: traces of other formats as scenarios."""

import sys
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from podium.cli.output import fail, print_warnings, working

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
    from podium.importing.csv_rows import ImportFileError, read_rows
    from podium.importing.openb import NODE_COLUMNS, POD_COLUMNS, read_trace
    from podium.importing.scenario_text import scenario_lines

    try:
        with working("importing"):
            trace = read_trace(
                read_rows(nodes, NODE_COLUMNS),
                read_rows(pods, POD_COLUMNS),
                capacity=_part(capacity),
                limit=limit,
            )
            text = "\n".join(scenario_lines(trace, _name(pods))) + "\n"
        if output == "-":
            sys.stdout.write(text)
        else:
            Path(output).write_text(text, encoding="utf-8")
    except (ImportFileError, OSError) as error:
        fail(str(error))
    print_warnings(trace.notes)


def _part(text: str) -> Fraction:
    number = text.removesuffix("%")
    if not text.endswith("%") or not number.isdecimal() or not 0 < int(number) <= 100:
        raise typer.BadParameter(f"{text!r} {_PERCENT_RULE}", param_hint="--capacity")
    return Fraction(int(number), 100)


def _name(path: str) -> str:
    return Path(path).name.split(".")[0].replace("_", "-").lower()
