"""Where the dashboard's views come from."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.scheduler.queue import QueueName, SchedulingQueue
from podium.ui.dashboard.scene import Change
from podium.ui.dashboard.views import Entry

KINDS = ("PriorityClass", "Node", "PodDisruptionBudget", "Pod")


class LostTrackError(PodiumError):
    """A source can't tell what has changed; it is to be started anew."""


class ClusterSource(Protocol):
    """A cluster that can be followed; all is called from one thread.

    Attributes:
        start_s: what times are counted from, in seconds since the epoch.
    """

    start_s: float

    def start(self) -> Sequence[Change]:
        """All objects of `KINDS`; from now on what changes is noted."""
        ...

    def stop(self) -> None:
        """Note nothing any more, and cost nothing."""
        ...

    def changes(self) -> Iterable[Change]:
        """What has changed since the last time.

        Raises:
            ExpiredError, LostTrackError: it isn't known any more; to be started anew.
        """
        ...

    def entries(self) -> list[Entry]:
        """What has happened since the last time; first what is known of the time before."""
        ...

    def places(self) -> Mapping[str, str]:
        """Where pods wait that aren't bound, by uid."""
        ...

    def passed_s(self) -> float:
        """The time, in seconds since the clock's start."""
        ...

    def find(self, kind: str, namespace: str, name: str) -> Object | None:
        """A pod or node as it is now."""
        ...


# What has been popped is tried at this moment.
_SHOWN = {QueueName.IN_FLIGHT: QueueName.ACTIVE.value}


def places_in(queues: Iterable[SchedulingQueue]) -> dict[str, str]:
    """Where the pods of queues wait, by uid."""
    return {
        queued.uid: _SHOWN.get(queued.place, queued.place.value)
        for queue in queues
        for queued in queue
    }
