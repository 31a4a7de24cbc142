"""Workloads that are measured as `podium bench` does."""

from dataclasses import dataclass
from typing import Any

from podium.api.documents.report import plain
from podium.api.presentation import Presentation
from podium.simulation.benchmarks.live.measurements import Measurement
from podium.simulation.benchmarks.results import Result
from podium.simulation.benchmarks.server_result import ServerResult
from podium.ui.library.answer import Answer


@dataclass(frozen=True, slots=True, repr=False)
class BenchAnswer(Answer):
    """What was measured; see `podium bench`.

    Attributes:
        results: in the order of measuring.
        shown: what `podium bench -o html` shows.
    """

    results: tuple[Result, ...] | tuple[ServerResult, ...] | tuple[Measurement, ...]
    shown: Presentation
    rows = "results"

    def to_dict(self) -> dict[str, Any]:
        """The results as plain values."""
        return {"results": [plain(one) for one in self.results]}

    def presentation(self) -> Presentation:
        """What `podium bench -o html` shows."""
        return self.shown


def benchmark(
    *workloads: str,
    live: bool = False,
    server: str | None = None,
    scheduler_name: str = "default-scheduler",
    nodes: int = 500,
    pods: int = 1000,
) -> BenchAnswer:
    """Measure workloads, each in a process of its own, as `podium bench` does.

    A script has to ask for it below `if __name__ == "__main__":`, as these processes read it, too.

    Args:
        workloads: names, beginnings of names, or globs; the large ones of all cases if none.
        live: measure a running cluster instead.
        server: the URL of an API server whose scheduler to measure instead, or `current`.
        scheduler_name: which scheduler its pods ask for.
        nodes: how many there are of its own.
        pods: how many of its pods are measured.

    Raises:
        PodiumError: there is no such workload, or it can't be measured.
    """
    from podium.ui.command_line.output import bench_presentation as shown

    if server is not None:
        from podium.ui.command_line.options.bench_server import measure_server

        told = measure_server(server, [*workloads], scheduler_name, nodes, pods, _ignore)
        return BenchAnswer(tuple(told), shown.server_presentation(told))
    if live:
        from podium.simulation.benchmarks.live.measurements import Sizes, measure
        from podium.ui.command_line.processes.coroutines import run_to_end

        measured = run_to_end(measure(Sizes(), _ignore))
        return BenchAnswer(tuple(measured), shown.live_presentation(measured))
    from podium.simulation.benchmarks.catalogue import select
    from podium.simulation.benchmarks.runner import measure_apart

    found = tuple(map(measure_apart, select(workloads)))
    return BenchAnswer(found, shown.results_presentation(found))


def _ignore(_: str) -> None:
    """Nobody looks on."""
