"""Presentations of benchmarks: tables of their results."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from podium.api.presentation import Presentation, Section, Table

if TYPE_CHECKING:
    from podium.simulation.benchmarks.live.measurements import Measurement
    from podium.simulation.benchmarks.results import Result
    from podium.simulation.benchmarks.server_result import ServerResult

_HEADERS = ("Workload", "Nodes", "Pods", "Preemptions", "Pods/s")


def results_presentation(results: "Sequence[Result]") -> Presentation:
    """Workloads that were measured in process."""
    rows = [
        (
            *_counts(one),
            f"{one.latency_ms.p50:.3f}",
            f"{one.latency_ms.p99:.3f}",
            f"{one.peak_memory_mib:,.0f}",
        )
        for one in results
    ]
    return _shown("Results", (*_HEADERS, "p50 ms", "p99 ms", "Peak MiB"), rows)


def server_presentation(results: "Sequence[ServerResult]") -> Presentation:
    """Workloads that the scheduler of an API server was measured with."""
    rows = [
        (*_counts(one), f"{one.elapsed_s:,.2f}", f"{one.longest_gap_s:,.2f}") for one in results
    ]
    return _shown("Server", (*_HEADERS, "Seconds", "Longest gap s"), rows)


def live_presentation(measurements: "Sequence[Measurement]") -> Presentation:
    """Present the measurements of a running cluster."""
    rows = [
        (
            one.name,
            f"{one.value:,.3f}" if one.unit == "s" else f"{one.value:,.0f}",
            one.unit,
            one.goal,
            "" if one.processor_share is None else f"{one.processor_share:.0%}",
        )
        for one in measurements
    ]
    return _shown("Live", ("Measured", "Value", "Unit", "Goal", "Processor"), rows)


def _counts(result: "Result | ServerResult") -> tuple[str, ...]:
    return (
        result.workload,
        f"{result.nodes}",
        f"{result.pods}",
        f"{result.preemptions}",
        f"{result.pods_per_second:,.0f}",
    )


def _shown(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Presentation:
    return Presentation("Podium bench", "", [Section(title, [Table(headers, rows)])])
