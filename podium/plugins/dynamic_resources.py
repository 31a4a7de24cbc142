"""DynamicResources: refuses pods with resource claims, because Podium doesn't model claims yet.

Upstream allocates devices to claims. Placing such a pod without that would be a guess, so that it
is refused for all nodes, with a reason that says so. Pods without claims concern neither.
"""

from collections.abc import Sequence

from podium.config.args import DynamicResourcesArgs
from podium.core.cluster_events import EventHint
from podium.core.framework import PASSES, PostFilterResult, PreFilterResult
from podium.core.handle import Handle
from podium.core.pod_classes import PodClass
from podium.core.pod_info import PodInfo
from podium.core.post_filter import NodeToStatus
from podium.core.status import Code, Status, unresolvable, unschedulable

_NO_CLAIMS = "no new claims to deallocate"
_NO_STATE = "not found"
_REASON = "podium doesn't model dynamic resource claims yet"


class DynamicResources:
    """Names the limitation (PreFilter), and says so again when no node fits (PostFilter)."""

    name = "DynamicResources"

    def __init__(self, handle: Handle, args: DynamicResourcesArgs | None = None) -> None:
        pass

    def events_to_register(self) -> Sequence[EventHint]:
        """None: nothing that happens makes Podium model claims."""
        return ()

    def by_shape(self, cls: PodClass) -> bool:
        return True

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        claims = pod.cls.spec.get("resourceClaims")
        if not claims:
            return PASSES
        names = ", ".join(str(claim.get("name")) for claim in claims)
        return PreFilterResult(unresolvable(f"{_REASON}; the pod has spec.resourceClaims: {names}"))

    def by_class(self, pod: PodInfo) -> bool:
        return True

    def post_filter(self, pod: PodInfo, filtered: NodeToStatus) -> PostFilterResult:
        """There are never claims whose devices could be given back.

        v1.36 looks for what its PreFilter has left, and fails with two words if another plugin has
        refused the pod before; DefaultPreemption isn't asked then.
        """
        if not filtered.was_asked(self.name):
            return PostFilterResult(Status(Code.ERROR, (_NO_STATE,), self.name))
        return PostFilterResult(unschedulable(_NO_CLAIMS, plugin=self.name))
