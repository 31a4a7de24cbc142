"""`podium bench`: the workloads of kube-scheduler's performance suite, measured."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from podium.ui.commands.question import Asker, Question
from podium.ui.inputs.option import Reach, Texts, option, place, question, texts

if TYPE_CHECKING:
    from podium.ui.answers.benchmark_answer import BenchAnswer


@question
class BenchQuestion(Question["BenchAnswer"]):
    """Measure scheduling workloads: pods a second, decision latency, peak memory.

    Each workload runs in process, in a process of its own, with every node looked at and scored.
    """

    workloads: Texts = place(
        "Names, beginnings of names, or globs; the large ones of all cases if none.",
        metavar="[WORKLOAD]...",
        shows_default=False,
        default=(),
        kw_only=False,
    )
    list_workloads: bool = option(
        "Print the names of the workloads, and measure nothing.",
        flags=("--list",),
        default=False,
        reach=Reach.COMMAND,
    )
    live: bool = option("Measure a running cluster instead, from another process.", default=False)
    server: str | None = option(
        "Measure the scheduler of an API server, by the kubeconfig's current context.",
        metavar="URL|current",
    )
    scheduler_name: str = option(
        "With --server: which scheduler pods ask for.", default="default-scheduler"
    )
    nodes: int = option("With --server: nodes of its own.", min=1, default=500)
    pods: int = option("With --server: pods to measure.", min=1, default=1000)

    def aside(self) -> str | None:
        """The names of the workloads."""
        if not self.list_workloads:
            return None
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.simulation.benchmarks.catalogue import WORKLOADS, select

        chosen = select(named) if (named := texts(self.workloads)) else WORKLOADS
        return "".join(f"{workload.name}\n" for workload in chosen)

    def answer(self, ask: Asker) -> "BenchAnswer":
        """Measure; raises PodiumError. Whichever is asked for, the others aren't imported."""
        from podium.api.process.concurrency import run_to_end
        from podium.simulation.benchmarks import results as shown
        from podium.ui.answers.benchmark_answer import BenchAnswer

        workloads: Sequence[str] = texts(self.workloads)
        ask.progress.show("measuring")
        if self.server is not None:
            from podium.ui.inputs.extras import check_extra

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
            f"{one.workload} had a processor for only {one.processor_share:.0%} of its time; "
            "measure again on a quiet machine"
            for one in results
            if one.is_disturbed
        ]
        return BenchAnswer(tuple(results), shown.results_presentation(results), warnings)
