"""DynamicResources: refuses pods with resource claims, because Podium doesn't model claims yet.

Upstream allocates devices to claims. Placing such a pod without that would be a guess, so that it
is refused for all nodes, with a reason that says so. Pods without claims concern neither.
"""

from podium.config.args import DynamicResourcesArgs
from podium.core.framework import PreFilterResult
from podium.core.handle import Handle
from podium.core.pods import PodInfo
from podium.core.status import unresolvable

_REASON = "podium doesn't model dynamic resource claims yet"


class DynamicResources:
    """Names the limitation (PreFilter)."""

    name = "DynamicResources"

    def __init__(self, handle: Handle, args: DynamicResourcesArgs | None = None) -> None:
        pass

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        claims = pod.cls.spec.get("resourceClaims")
        if not claims:
            return PreFilterResult()
        names = ", ".join(str(claim.get("name")) for claim in claims)
        return PreFilterResult(unresolvable(f"{_REASON}; the pod has spec.resourceClaims: {names}"))
