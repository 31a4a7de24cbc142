"""The results of measurements."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field, PlainSerializer

from podium.api.documents.report import HIDDEN, Report

_NS_PER_MS = 1e6
_UNDISTURBED_SHARE_MIN = 0.9


def _rounded(digits: int) -> PlainSerializer:
    rounding: Callable[[float], float] = lambda value: round(value, digits)  # noqa: E731
    return PlainSerializer(rounding, return_type=float)


@dataclass(frozen=True, slots=True)
class Latency(Report):
    """Milliseconds that deciding one pod took: the median, and the 99th percentile."""

    p50: Annotated[float, _rounded(4)]
    p99: Annotated[float, _rounded(4)]


@dataclass(frozen=True, slots=True)
class Result(Report):
    """The measurement of one workload.

    Attributes:
        workload: its name.
        nodes: how many nodes there were.
        pods: how many pods were measured; all of them were bound.
        pods_per_second: pods divided by the time from the first one's arrival to the last binding.
        latency_ms: how long deciding took; of a pod that preempts, both cycles.
        peak_memory_mib: the largest resident set of the process, from its start, in MiB.
        preemptions: how many of the pods preempted others first.
        processor_share: how much of that time the process had a processor, 0 to 1; where it had
            to wait for one, the other numbers say little.
    """

    workload: str
    nodes: int
    pods: int
    pods_per_second: Annotated[float, _rounded(1)]
    latency_ms: Latency
    peak_memory_mib: Annotated[float, _rounded(1), Field(serialization_alias="peakMemoryMiB")]
    preemptions: Annotated[int, HIDDEN]
    processor_share: Annotated[float, HIDDEN]

    @property
    def is_disturbed(self) -> bool:
        """Whether something else on the machine took the processor away for long."""
        return self.processor_share < _UNDISTURBED_SHARE_MIN


Results = list[Result]
"""What `podium bench` prints."""


def latency_of(latencies_ns: Sequence[int]) -> Latency:
    """The median and the 99th percentile of times in nanoseconds."""
    p50, p99 = np.percentile(np.array(latencies_ns), (50, 99)) / _NS_PER_MS
    return Latency(float(p50), float(p99))
