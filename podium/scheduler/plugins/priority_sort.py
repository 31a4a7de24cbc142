"""PrioritySort: schedules pods of higher priority first, and equal ones in order of arrival."""

from podium.scheduler.framework.handle import Handle
from podium.scheduler.snapshot.pod_info import PodInfo


class PrioritySort:
    """Orders the active queue (QueueSort)."""

    name = "PrioritySort"

    def __init__(self, handle: Handle) -> None:
        pass

    def sort_key(self, pod: PodInfo, queued_at: float) -> tuple[float, ...]:
        return (-pod.priority, queued_at)
