"""`podium bench`: the workloads of kube-scheduler's performance suite, measured."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from podium.api.errors import PodiumError
from podium.cli.output import (
    BriefOutput,
    console,
    fail,
    print_report,
    print_section,
    print_warnings,
)

if TYPE_CHECKING:
    from podium.bench.live.measurements import Measurement
    from podium.bench.results import Result
    from podium.bench.workloads import Workload
    from podium.real.server_bench import ServerResult

_LIVE_HEADINGS = ("MEASURED", "VALUE", "UNIT", "GOAL", "PROCESSOR")
_HEADINGS = ("WORKLOAD", "NODES", "PODS", "PREEMPTIONS", "PODS/S", "P50 MS", "P99 MS", "PEAK MIB")


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
        BriefOutput, typer.Option("--output", "-o", help="How to print the results.")
    ] = BriefOutput.TABLE,
    list_workloads: Annotated[
        bool, typer.Option("--list", help="Print the names of the workloads, and measure nothing.")
    ] = False,
    live: Annotated[
        bool,
        typer.Option("--live", help="Measure a running cluster instead, from another process."),
    ] = False,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL|current",
            help="Measure the scheduler of an API server, by the kubeconfig's current context.",
        ),
    ] = None,
    scheduler_name: Annotated[
        str, typer.Option(help="With --server: which scheduler pods ask for.")
    ] = "default-scheduler",
    nodes: Annotated[int, typer.Option(min=1, help="With --server: nodes of its own.")] = 500,
    pods: Annotated[int, typer.Option(min=1, help="With --server: pods to measure.")] = 1000,
) -> None:
    """Measure scheduling workloads: pods a second, decision latency, peak memory.

    Each workload runs in process, in a process of its own, with every node looked at and scored.
    """
    from podium.bench.catalogue import WORKLOADS, select

    try:
        if server is not None:
            _print_server(server, workloads or [], scheduler_name, nodes, pods, output)
            return
        if live:
            _print_live(output)
            return
        selected = WORKLOADS if list_workloads and not workloads else select(workloads or ())
        if list_workloads:
            _print_names(selected)
        elif output is BriefOutput.TABLE:
            print_section(console(), "RESULTS", _HEADINGS, map(_cells, _measured(selected)))
        else:
            from podium.documents.report import plain

            print_report([plain(result) for result in _measured(selected)], output)
    except PodiumError as error:
        fail(error)


def _print_live(output: BriefOutput) -> None:
    import asyncio

    from podium.bench.live.measurements import Sizes, measure
    from podium.documents.report import plain

    with Console(stderr=True).status("") as status:
        found = asyncio.run(measure(Sizes(), lambda what: status.update(f"measuring {what}")))
    if output is BriefOutput.TABLE:
        print_section(console(), "LIVE", _LIVE_HEADINGS, map(_live_cells, found))
    else:
        print_report([plain(measured) for measured in found], output)


def _print_server(
    server: str,
    names: list[str],
    scheduler_name: str,
    nodes: int,
    pods: int,
    output: BriefOutput,
) -> None:
    from podium.cli.bench_server import HEADINGS, measure_server
    from podium.documents.report import plain

    found = measure_server(server, names, scheduler_name, nodes, pods)
    if output is BriefOutput.TABLE:
        print_section(console(), "SERVER", HEADINGS, map(_server_cells, found))
    else:
        print_report([plain(result) for result in found], output)


def _server_cells(result: "ServerResult") -> tuple[str, ...]:
    return (
        result.workload,
        f"{result.nodes}",
        f"{result.pods}",
        f"{result.preemptions}",
        f"{result.pods_per_second:,.0f}",
        f"{result.elapsed_s:,.2f}",
        f"{result.longest_gap_s:,.2f}",
    )


def _live_cells(measured: "Measurement") -> tuple[str, ...]:
    share = measured.processor_share
    value = f"{measured.value:,.3f}" if measured.unit == "s" else f"{measured.value:,.0f}"
    busy = "" if share is None else f"{share:.0%}"
    return measured.name, value, measured.unit, measured.goal, busy


def _measured(workloads: Sequence["Workload"]) -> Iterable["Result"]:
    from podium.bench.runner import measure_apart

    with Console(stderr=True).status("") as status:
        for number, workload in enumerate(workloads, 1):
            status.update(f"{workload.name} ({number} of {len(workloads)})")
            result = measure_apart(workload)
            if result.is_disturbed:
                print_warnings([_disturbed(result)])
            yield result


def _disturbed(result: "Result") -> str:
    share = f"{result.processor_share:.0%}"
    return (
        f"{result.workload} had a processor for only {share} of its time; "
        "measure again on a quiet machine"
    )


def _print_names(workloads: Iterable["Workload"]) -> None:
    for workload in workloads:
        print(workload.name)


def _cells(result: "Result") -> tuple[str, ...]:
    return (
        result.workload,
        f"{result.nodes}",
        f"{result.pods}",
        f"{result.preemptions}",
        f"{result.pods_per_second:,.0f}",
        f"{result.latency_ms.p50:.3f}",
        f"{result.latency_ms.p99:.3f}",
        f"{result.peak_memory_mib:,.0f}",
    )
