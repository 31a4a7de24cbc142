"""`podium bench`: the workloads of kube-scheduler's performance suite, measured."""

import json
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from podium.api.errors import PodiumError
from podium.bench.catalogue import select
from podium.bench.results import Result
from podium.bench.runner import measure_apart
from podium.bench.workloads import Workload

_WIDTH_OFF_TERMINAL = 160


class BenchOutput(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"


def bench(
    workloads: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORKLOAD]...",
            help="Names, beginnings of names, or globs; the large ones of all cases if none.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        BenchOutput, typer.Option("--output", "-o", help="How to print the results.")
    ] = BenchOutput.TABLE,
    list_workloads: Annotated[
        bool, typer.Option("--list", help="Print the names of the workloads, and measure nothing.")
    ] = False,
) -> None:
    """Measure scheduling workloads: pods a second, decision latency, peak memory.

    Each workload runs in process, in a process of its own, with every node looked at and scored.
    """
    try:
        selected = select(["*"] if list_workloads and not workloads else workloads or [])
        if list_workloads:
            _print_names(selected)
        elif output is BenchOutput.JSON:
            print(json.dumps([result.as_json() for result in _measured(selected)], indent=2))
        else:
            _print_table(_measured(selected))
    except PodiumError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from error


def _measured(workloads: Sequence[Workload]) -> Iterable[Result]:
    with Console(stderr=True).status("") as status:
        for number, workload in enumerate(workloads, 1):
            status.update(f"{workload.name} ({number} of {len(workloads)})")
            yield measure_apart(workload)


def _print_names(workloads: Iterable[Workload]) -> None:
    for workload in workloads:
        print(workload.name)


def _print_table(results: Iterable[Result]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("WORKLOAD")
    for heading in ("NODES", "PODS", "PREEMPTIONS", "PODS/S", "P50 MS", "P99 MS", "PEAK MIB"):
        table.add_column(heading, justify="right")
    for result in results:
        table.add_row(
            result.workload,
            str(result.nodes),
            str(result.pods),
            str(result.preemptions),
            f"{result.pods_per_second:,.0f}",
            f"{result.latency_ms_p50:.3f}",
            f"{result.latency_ms_p99:.3f}",
            f"{result.peak_memory_mib:,.0f}",
        )
    Console(width=None if sys.stdout.isatty() else _WIDTH_OFF_TERMINAL).print(table)
