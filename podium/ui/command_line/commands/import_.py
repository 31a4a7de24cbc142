"""`podium import`: traces of other formats as scenarios."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from podium.api.errors import PodiumError
from podium.ui.command_line.exits import fail
from podium.ui.inputs.trace_inputs import TraceFormat, imported
from podium.ui.writers.console import print_warnings, working


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
