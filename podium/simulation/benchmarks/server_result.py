"""The measurements of a scheduler against an API server."""

from dataclasses import dataclass

from podium.api.documents.report import Report


@dataclass(frozen=True, slots=True)
class ServerResult(Report):
    """How fast the scheduler of a server has bound the pods of one workload.

    Attributes:
        workload: what was measured.
        nodes: how many there were.
        pods: how many were bound.
        preemptions: how many of them had to preempt.
        elapsed_s: from the first creation to the last binding.
        longest_gap_s: the longest time in which nothing was bound.
    """

    workload: str
    nodes: int
    pods: int
    preemptions: int
    elapsed_s: float
    longest_gap_s: float

    @property
    def pods_per_second(self) -> float:
        return self.pods / self.elapsed_s


ServerResults = list[ServerResult]
"""What `podium bench --server` prints."""
