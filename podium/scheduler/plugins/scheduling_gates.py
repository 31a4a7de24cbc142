"""SchedulingGates: a pod with scheduling gates isn't scheduled until all gates are removed."""

from collections.abc import Sequence

from podium.api.objects import spec_of
from podium.scheduler.framework.cluster_events import Action, EventHint, EventResource, after_change
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.status import SUCCESS, Status, unresolvable
from podium.scheduler.snapshot.pod_info import PodInfo


class SchedulingGates:
    """Keeps pods with scheduling gates out of the active queue (PreEnqueue)."""

    name = "SchedulingGates"

    def __init__(self, handle: Handle) -> None:
        pass

    def events_to_register(self) -> Sequence[EventHint]:
        gone = Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        return (after_change(EventResource.UNSCHEDULED_POD, gone),)

    def pre_enqueue(self, pod: PodInfo) -> Status:
        gates = spec_of(pod.obj).get("schedulingGates")
        if not gates:
            return SUCCESS
        names = " ".join(gate.get("name") or "" for gate in gates)
        return unresolvable(f"waiting for scheduling gates: [{names}]")
