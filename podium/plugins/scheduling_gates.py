"""SchedulingGates: a pod with scheduling gates isn't tried until the last gate is gone."""

from podium.core.handle import Handle
from podium.core.pods import PodInfo
from podium.core.status import SUCCESS, Status, unresolvable


class SchedulingGates:
    """Keeps gated pods out of the active queue (PreEnqueue)."""

    name = "SchedulingGates"

    def __init__(self, handle: Handle) -> None:
        pass

    def pre_enqueue(self, pod: PodInfo) -> Status:
        gates = (pod.obj.get("spec") or {}).get("schedulingGates")
        if not gates:
            return SUCCESS
        names = " ".join(gate.get("name") or "" for gate in gates)
        return unresolvable(f"waiting for scheduling gates: [{names}]")
