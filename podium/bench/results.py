"""The results of measurements."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from typing_extensions import TypedDict

_NS_PER_MS = 1e6
_UNDISTURBED_SHARE_MIN = 0.9


class Latency(TypedDict):
    """Milliseconds that deciding one pod took: the median, and the 99th percentile."""

    p50: float
    p99: float


class BenchReport(TypedDict):
    """The measurement of one workload."""

    workload: str
    nodes: int
    pods: int
    podsPerSecond: float
    latencyMs: Latency
    peakMemoryMiB: float


@dataclass(frozen=True, slots=True)
class Result:
    """The measurement of one workload.

    Attributes:
        workload: its name.
        nodes: how many nodes there were.
        pods: how many pods were measured; all of them were bound.
        preemptions: how many of them preempted others first.
        pods_per_second: pods divided by the time from the first one's arrival to the last binding.
        latency_ms_p50: the median time that deciding one pod took, in milliseconds; of a pod that
            preempts, both cycles.
        latency_ms_p99: the 99th percentile of the same.
        peak_memory_mib: the largest resident set of the process, from its start, in MiB.
        processor_share: how much of that time the process had a processor, 0 to 1; where it had
            to wait for one, the other numbers say little.
    """

    workload: str
    nodes: int
    pods: int
    preemptions: int
    pods_per_second: float
    latency_ms_p50: float
    latency_ms_p99: float
    peak_memory_mib: float
    processor_share: float

    @property
    def is_disturbed(self) -> bool:
        """Whether something else on the machine took the processor away for long."""
        return self.processor_share < _UNDISTURBED_SHARE_MIN

    def as_json(self) -> BenchReport:
        """The public form of the result."""
        return {
            "workload": self.workload,
            "nodes": self.nodes,
            "pods": self.pods,
            "podsPerSecond": round(self.pods_per_second, 1),
            "latencyMs": {
                "p50": round(self.latency_ms_p50, 4),
                "p99": round(self.latency_ms_p99, 4),
            },
            "peakMemoryMiB": round(self.peak_memory_mib, 1),
        }


def percentiles_ms(latencies_ns: Sequence[int]) -> tuple[float, float]:
    """The median and the 99th percentile, in milliseconds, of times in nanoseconds."""
    p50, p99 = np.percentile(np.array(latencies_ns), (50, 99)) / _NS_PER_MS
    return float(p50), float(p99)
