"""`podium bench`: the workloads of kube-scheduler's performance suite, measured."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from podium.ui.command_line.output.output import AdviceOutput, print_warnings, working

if TYPE_CHECKING:
    from podium.simulation.benchmarks.measured_workloads import Workload
    from podium.simulation.benchmarks.results import Result


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
        AdviceOutput, typer.Option("--output", "-o", help="How to print the results.")
    ] = AdviceOutput.TABLE,
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
    from podium.simulation.benchmarks.catalogue import WORKLOADS, select

    if list_workloads:
        _print_names(select(workloads) if workloads else WORKLOADS)
    elif server is not None:
        _print_server(server, workloads or [], scheduler_name, nodes, pods, output)
    elif live:
        _print_live(output)
    else:
        _print_measured(select(workloads or ()), output)


def _print_measured(workloads: Sequence["Workload"], output: AdviceOutput) -> None:
    from podium.simulation.benchmarks.runner import measure_apart
    from podium.ui.command_line.output.bench_presentation import results_presentation
    from podium.ui.writers.terminal import print_advice

    found = []
    with working("measuring") as told:
        for number, workload in enumerate(workloads, 1):
            told.show(f"measuring {workload.name} ({number} of {len(workloads)})")
            result = measure_apart(workload)
            if result.is_disturbed:
                print_warnings([_disturbed(result)])
            found.append(result)
    print_advice(found, results_presentation(found), output)


def _print_live(output: AdviceOutput) -> None:
    from podium.simulation.benchmarks.live.measurements import Sizes, measure
    from podium.ui.command_line.output.bench_presentation import live_presentation
    from podium.ui.command_line.processes.coroutines import run_to_end
    from podium.ui.writers.terminal import print_advice

    with working("measuring") as told:
        found = run_to_end(measure(Sizes(), lambda what: told.show(f"measuring {what}")))
    print_advice(found, live_presentation(found), output)


def _print_server(
    server: str,
    names: list[str],
    scheduler_name: str,
    nodes: int,
    pods: int,
    output: AdviceOutput,
) -> None:
    from podium.ui.command_line.options.bench_server import measure_server
    from podium.ui.command_line.output.bench_presentation import server_presentation
    from podium.ui.writers.terminal import print_advice

    with working("measuring") as told:
        found = measure_server(server, names, scheduler_name, nodes, pods, told.show)
    print_advice(found, server_presentation(found), output)


def _disturbed(result: "Result") -> str:
    share = f"{result.processor_share:.0%}"
    return (
        f"{result.workload} had a processor for only {share} of its time; "
        "measure again on a quiet machine"
    )


def _print_names(workloads: Iterable["Workload"]) -> None:
    for workload in workloads:
        print(workload.name)
