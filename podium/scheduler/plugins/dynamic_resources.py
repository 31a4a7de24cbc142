"""DynamicResources: refuses pods that need devices, because Podium doesn't model devices.

Upstream allocates devices to resource claims, and to extended resources of DeviceClasses. Placing
such a pod without that would be a guess, so it is refused on all nodes with that reason.
"""

from collections.abc import Sequence

from podium.api.resources import resources_of_devices
from podium.scheduler.config.args import DynamicResourcesArgs
from podium.scheduler.framework.cluster_events import EventHint
from podium.scheduler.framework.cycle.post_filter import NodeToStatus
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import PASSES, PostFilterResult, PreFilterResult
from podium.scheduler.framework.status import Code, Status, unresolvable, unschedulable
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo

_NO_CLAIMS = "no new claims to deallocate"
_NO_STATE = "not found"
CLAIMS_REASON = "podium doesn't model dynamic resource claims yet"
DEVICES_REASON = "podium doesn't model devices behind extended resources yet"


class DynamicResources:
    """Refuses pods that need devices (PreFilter); its PostFilter never helps."""

    name = "DynamicResources"

    def __init__(self, handle: Handle, args: DynamicResourcesArgs | None = None) -> None:
        self._listers = handle.listers

    def events_to_register(self) -> Sequence[EventHint]:
        """Register for nothing, as no event makes Podium model devices."""
        return ()

    def by_shape(self, cls: PodClass) -> bool:
        # DeviceClasses may be added and removed, so the result isn't kept by shape.
        return not cls.requested_devices

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        claims = pod.cls.spec.get("resourceClaims")
        if claims:
            names = ", ".join(str(claim.get("name")) for claim in claims)
            reason = f"{CLAIMS_REASON}; the pod has spec.resourceClaims: {names}"
            return PreFilterResult(unresolvable(reason))
        requested = pod.cls.requested_devices
        if not requested:
            return PASSES
        found = resources_of_devices(requested, self._listers.list("DeviceClass"))
        if not found:
            return PASSES
        behind = ", ".join(f"{resource} (DeviceClass {name})" for resource, name in found)
        return PreFilterResult(unresolvable(f"{DEVICES_REASON}; the pod requests {behind}"))

    def by_class(self, pod: PodInfo) -> bool:
        return True

    def post_filter(self, pod: PodInfo, filtered: NodeToStatus) -> PostFilterResult:
        """Refuse, since there are never claims with devices to deallocate.

        In v1.36, PostFilter reads the state of its PreFilter. If another plugin refused the pod
        first, there is no state, so that PostFilter fails and DefaultPreemption isn't called.
        """
        if not filtered.was_asked(self.name):
            return PostFilterResult(Status(Code.ERROR, (_NO_STATE,), self.name))
        return PostFilterResult(unschedulable(_NO_CLAIMS, plugin=self.name))
