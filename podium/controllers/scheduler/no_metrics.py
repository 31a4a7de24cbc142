"""What a scheduler tells of what it does, where nobody counts."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from podium.control.events import Change
from podium.core.queue import SchedulingQueue

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

Stopwatch = Callable[[], float]

SCHEDULED, UNSCHEDULABLE, ERROR = "scheduled", "unschedulable", "error"


def stopped() -> float:
    """A stopwatch for virtual time, in which deciding takes no time."""
    return 0.0


class NoMetrics:
    """Is told what a scheduler does, and counts nothing.

    Attributes:
        registry: what to expose; None if nothing is counted.
        stopwatch: seconds that pass while something is computed.
    """

    registry: "CollectorRegistry | None" = None

    def __init__(self, stopwatch: Stopwatch = stopped) -> None:
        self.stopwatch = stopwatch

    def watch_queue(self, queue: SchedulingQueue) -> None:
        """Have the queue looked at whenever somebody asks for the metrics."""

    def attempted(self, result: str, profile: str, duration_s: float) -> None:
        """An attempt to schedule a pod came to its end."""

    def decided(self, duration_s: float) -> None:
        """The scheduling algorithm has decided about a pod."""

    def ran(self, point: str, status: str, profile: str, duration_s: float) -> None:
        """All plugins of an extension point have run."""

    def took_in(self, change: Change, duration_s: float) -> None:
        """A change of the cluster has been taken in."""

    def bound(self, attempts: int, since_first_attempt_s: float) -> None:
        """A pod was bound after so many attempts."""

    def preemption_tried(self) -> None:
        """A pod that fitted nowhere asked for preemption."""

    def preemption_started(self, victims: int) -> None:
        """Victims are about to be removed."""

    def preemption_ended(self, duration_s: float, *, failed: bool) -> None:
        """A preemption has been carried out, or has failed."""

    def livelocked(self, profile: str) -> None:
        """Others have taken the room made for a pod again and again."""
