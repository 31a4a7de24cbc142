"""Workloads that are measured as `podium bench` does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from podium.api.documents.report import plain
from podium.api.presentation import Presentation
from podium.api.process.concurrency import run_to_end
from podium.simulation.benchmarks.results import Measurement, Result, ServerResult
from podium.ui.inputs.extras import check_extra
from podium.ui.library.answer import Answer


@dataclass(frozen=True, slots=True, repr=False)
class BenchAnswer(Answer):
    """What was measured; see `podium bench`."""

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
        nodes: how many there are of its own.
        pods: how many of its pods are measured.

    Raises:
        PodiumError: there is no such workload, or it can't be measured.
    """
    # Whichever is asked for, the others and their packages aren't imported.
    from podium.simulation.benchmarks import results as shown

    if server is not None:
        served = measured_server(server, workloads, scheduler_name, nodes, pods, lambda _: None)
        return BenchAnswer(tuple(served), shown.server_presentation(served))
    if live:
        from podium.simulation.benchmarks.live.measurements import Sizes, measure

        measured = run_to_end(measure(Sizes(), lambda _: None))
        return BenchAnswer(tuple(measured), shown.live_presentation(measured))
    from podium.simulation.benchmarks.catalogue import select
    from podium.simulation.benchmarks.runner import measure_apart

    found = tuple(map(measure_apart, select(workloads)))
    return BenchAnswer(found, shown.results_presentation(found))


def measured_server(
    server: str,
    workloads: Sequence[str],
    scheduler_name: str,
    nodes: int,
    pods: int,
    tell: Callable[[str], None],
) -> list[ServerResult]:
    """Measure workloads on an API server; see `measure_server`, which needs an extra."""
    check_extra("measuring a server")
    from podium.simulation.benchmarks.server_bench import measure_server

    return run_to_end(measure_server(server, workloads, scheduler_name, nodes, pods, tell))
