"""`podium bench`: the workloads of kube-scheduler's performance suite, measured."""

from typing import Annotated

import typer

from podium.ui.command_line.options.common_options import AdviceOutput
from podium.ui.writers.console import print_warnings, working


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
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.api.process.concurrency import run_to_end
    from podium.simulation.benchmarks import results as shown
    from podium.simulation.benchmarks.catalogue import WORKLOADS, select
    from podium.ui.writers.terminal import print_advice

    if list_workloads:
        for workload in select(workloads) if workloads else WORKLOADS:
            print(workload.name)
        return
    if server is not None:
        from podium.ui.library.benchmark_answer import measured_server

        with working("measuring") as progress:
            served = measured_server(
                server, workloads or (), scheduler_name, nodes, pods, progress.show
            )
        print_advice(served, shown.server_presentation(served), output)
    elif live:
        from podium.simulation.benchmarks.live.measurements import Sizes, measure

        with working("measuring") as progress:
            measuring = measure(Sizes(), lambda what: progress.show(f"measuring {what}"))
            measured = run_to_end(measuring)
        print_advice(measured, shown.live_presentation(measured), output)
    else:
        from podium.simulation.benchmarks.runner import measure_apart

        chosen, results = select(workloads or ()), []
        with working("measuring") as progress:
            for number, workload in enumerate(chosen, 1):
                progress.show(f"measuring {workload.name} ({number} of {len(chosen)})")
                result = measure_apart(workload)
                if result.is_disturbed:
                    share = f"{result.processor_share:.0%}"
                    print_warnings(
                        [
                            f"{result.workload} had a processor for only {share} of its time; "
                            "measure again on a quiet machine"
                        ]
                    )
                results.append(result)
        print_advice(results, shown.results_presentation(results), output)
