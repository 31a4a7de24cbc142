"""Results of measurements, and their presentations."""

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
from pydantic import PlainSerializer

from podium.api.documents.report import HIDDEN, IF_KNOWN, Report
from podium.api.presentation import Presentation, Section, Table

_NS_PER_MS = 1e6
_HEADERS = ("Workload", "Nodes", "Pods", "Preemptions", "Pods/s")
_UNDISTURBED_SHARE_MIN = 0.9


def _rounded(digits: int) -> PlainSerializer:
    rounding: Callable[[float], float] = lambda value: round(value, digits)  # noqa: E731
    return PlainSerializer(rounding, return_type=float)


class Latency(Report):
    """The time to decide about a pod, in milliseconds: median and 99th percentile."""

    p50: Annotated[float, _rounded(4)]
    p99: Annotated[float, _rounded(4)]


class Result(Report):
    """The measurement of one workload."""

    workload: str
    """Name of the workload."""
    nodes: int
    """Number of nodes."""
    pods: int
    """Number of measured pods; all of them were bound."""
    pods_per_second: Annotated[float, _rounded(1)]
    """Pods per second from the first arrival to the last binding."""
    latency_ms: Latency
    """Time to decide about a pod; for a preemptor, of both scheduling cycles."""
    peak_memory_mib: Annotated[float, _rounded(1)]
    """Largest resident set of the process since its start, in MiB."""
    preemptions: Annotated[int, HIDDEN]
    """Number of pods that preempted others first."""
    processor_share: Annotated[float, HIDDEN]
    """Share of the time in which the process ran on a CPU, 0 to 1; if it often waited for a CPU,
    the other numbers mean little."""

    @property
    def is_disturbed(self) -> bool:
        """Return whether the process waited for a CPU for long."""
        return self.processor_share < _UNDISTURBED_SHARE_MIN


Results = list[Result]
"""The output of `podium bench`."""


def latency_of(latencies_ns: Sequence[int]) -> Latency:
    """Compute the median and the 99th percentile of times in nanoseconds."""
    p50, p99 = np.percentile(np.array(latencies_ns), (50, 99)) / _NS_PER_MS
    return Latency(float(p50), float(p99))


class ServerResult(Report):
    """The measurement of one workload on an API server."""

    workload: str
    """Name of the workload."""
    nodes: int
    """Number of nodes."""
    pods: int
    """Number of pods that were bound."""
    preemptions: int
    """Number of pods that had to preempt."""
    elapsed_s: float
    """Seconds from the first creation to the last binding."""
    longest_gap_s: float
    """Longest time without a binding, in seconds."""

    @property
    def pods_per_second(self) -> float:
        return self.pods / self.elapsed_s


ServerResults = list[ServerResult]
"""The output of `podium bench --server`."""


class Measurement(Report):
    """A number that was measured on a running cluster."""

    name: str
    """Name of the measurement."""
    value: Annotated[float, _rounded(3)]
    """Measured value."""
    unit: str
    """Unit of the value."""
    goal: str
    """Value that should be reached, in words."""
    processor_share: Annotated[
        float | None,
        IF_KNOWN,
        PlainSerializer(lambda share: share and round(share, 2), return_type=float | None),
    ] = None
    """Share of the time in which the cluster ran on a CPU, 0 to 1; otherwise it waited for a CPU or
    for its clients."""


Measurements = list[Measurement]
"""The output of `podium bench --live`."""


def results_presentation(results: Sequence[Result]) -> Presentation:
    """Present workloads that were measured in process."""
    rows = [
        (
            *_counts(result),
            f"{result.latency_ms.p50:.3f}",
            f"{result.latency_ms.p99:.3f}",
            f"{result.peak_memory_mib:,.0f}",
        )
        for result in results
    ]
    return _shown("Results", (*_HEADERS, "p50 ms", "p99 ms", "Peak MiB"), rows)


def server_presentation(results: Sequence[ServerResult]) -> Presentation:
    """Present workloads that were measured on an API server."""
    rows = [
        (*_counts(one), f"{one.elapsed_s:,.2f}", f"{one.longest_gap_s:,.2f}") for one in results
    ]
    return _shown("Server", (*_HEADERS, "Seconds", "Longest gap s"), rows)


def live_presentation(measurements: Sequence[Measurement]) -> Presentation:
    """Present the measurements of a running cluster."""
    rows = [
        (
            measurement.name,
            f"{measurement.value:,.3f}" if measurement.unit == "s" else f"{measurement.value:,.0f}",
            measurement.unit,
            measurement.goal,
            "" if measurement.processor_share is None else f"{measurement.processor_share:.0%}",
        )
        for measurement in measurements
    ]
    return _shown("Live", ("Measured", "Value", "Unit", "Goal", "Processor"), rows)


def _counts(result: Result | ServerResult) -> tuple[str, ...]:
    return (
        result.workload,
        f"{result.nodes}",
        f"{result.pods}",
        f"{result.preemptions}",
        f"{result.pods_per_second:,.0f}",
    )


def _shown(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Presentation:
    return Presentation("Podium bench", "", [Section(title, [Table(headers, rows)])])
