"""TaintNodesByCondition: a new node isn't ready until somebody has seen that it is.

The taint goes when the node lifecycle controller has looked at the node's conditions.
"""

from typing import ClassVar

from podium.api.objects import Object, spec_of
from podium.api.taints import NO_SCHEDULE
from podium.apiserver.admission.plugin import CREATE, Plugin
from podium.apiserver.admission.tolerations import NOT_READY
from podium.apiserver.attributes import Attributes


class TaintNodesByCondition(Plugin):
    """Taints new nodes as not ready."""

    handles: ClassVar = {"Node": CREATE}

    def admit(self, request: Attributes, obj: Object) -> Object:
        spec = spec_of(obj)
        taints = spec.get("taints") or ()
        if any(t.get("key") == NOT_READY and t.get("effect") == NO_SCHEDULE for t in taints):
            return obj
        taint = {"key": NOT_READY, "effect": NO_SCHEDULE}
        return {**obj, "spec": {**spec, "taints": [*taints, taint]}}
