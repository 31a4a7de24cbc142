"""`podium bench`: the workloads of kube-scheduler's performance suite."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from podium.ui.commands.question import Asker, Question
from podium.ui.inputs.input_error import check_extra
from podium.ui.inputs.option import Reach, Texts, option, place, texts

if TYPE_CHECKING:
    from podium.ui.answers.benchmark_answer import BenchAnswer


class BenchQuestion(Question["BenchAnswer"]):
    """Measure the scheduler: pods per second, latency of decisions, peak memory.

    Each workload runs in a process of its own, and each decision filters and scores every node.
    """

    workloads: Texts = place(
        "Name of a workload, its beginning, or a glob. [default: the large workload of each case]",
        metavar="WORKLOAD",
        default=(),
        kw_only=False,
    )
    list_workloads: bool = option(default=False, flags=("--list",), reach=Reach.COMMAND).help("""
        List the workloads, and exit.""")
    live: bool = option(default=False).help("""
        Measure an embedded cluster over HTTP, from another process, instead of the scheduler
        alone.""")
    server: str | None = option("URL|current").help("""
        API server whose scheduler is measured instead; current means that of the current kubeconfig
        context.""")
    scheduler_name: str = option("NAME", default="default-scheduler").help("""
        With --server: spec.schedulerName of the pods.""")
    nodes: int = option(default=500, min=1).help("With --server: number of nodes to create.")
    pods: int = option(default=1000, min=1).help("""
        With --server: number of pods to create and measure.""")

    def aside(self) -> str | None:
        if not self.list_workloads:
            return None
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.simulation.benchmarks.catalogue import WORKLOADS, select

        chosen = select(named) if (named := texts(self.workloads)) else WORKLOADS
        return "".join(f"{workload.name}\n" for workload in chosen)

    def answer(self, ask: Asker) -> "BenchAnswer":
        from podium.api.process.concurrency import run_to_end
        from podium.simulation.benchmarks import results as shown
        from podium.ui.answers.benchmark_answer import BenchAnswer

        workloads: Sequence[str] = texts(self.workloads)
        ask.progress.show("measuring")
        if self.server is not None:
            check_extra("measuring a server")
            from podium.simulation.benchmarks.server_bench import measure_server

            served = run_to_end(
                measure_server(
                    self.server,
                    workloads,
                    self.scheduler_name,
                    self.nodes,
                    self.pods,
                    ask.progress.show,
                )
            )
            return BenchAnswer(tuple(served), shown.server_presentation(served))
        if self.live:
            from podium.simulation.benchmarks.live.measurements import Sizes, measure

            measured = run_to_end(
                measure(Sizes(), lambda what: ask.progress.show(f"measuring {what}"))
            )
            return BenchAnswer(tuple(measured), shown.live_presentation(measured))
        from podium.simulation.benchmarks.catalogue import select
        from podium.simulation.benchmarks.runner import measure_apart

        chosen, results = select(workloads), []
        for number, workload in enumerate(chosen, 1):
            ask.progress.show(f"measuring {workload.name} ({number} of {len(chosen)})")
            results.append(measure_apart(workload))
        warnings = [
            f"{result.workload} had a processor for only {result.processor_share:.0%} of its time; "
            "measure again on a quiet machine"
            for result in results
            if result.is_disturbed
        ]
        return BenchAnswer(tuple(results), shown.results_presentation(results), warnings)
