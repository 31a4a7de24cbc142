"""DefaultBinder: binds every pod that no earlier bind plugin has taken."""

from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.status import SUCCESS, Status
from podium.scheduler.snapshot.pod_info import PodInfo


class DefaultBinder:
    """Accepts every binding (Bind); the scheduler machine sends the API call."""

    name = "DefaultBinder"

    def __init__(self, handle: Handle) -> None:
        pass

    def bind(self, pod: PodInfo, node_name: str) -> Status:
        return SUCCESS
