"""DefaultTolerationSeconds: how long pods stay on a node that isn't ready or can't be reached."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from podium.api.objects import Object, spec_of
from podium.api.pod_specs import tolerations_of
from podium.api.taints import NO_EXECUTE
from podium.apiserver.admission.plugin import WRITE, Plugin
from podium.apiserver.attributes import Attributes

Toleration = Mapping[str, Any]

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"

DEFAULT_SECONDS = 300


class DefaultTolerationSeconds(Plugin):
    """Adds the two tolerations to pods that don't speak of these taints themselves."""

    handles: ClassVar = {"Pod": WRITE}

    def admit(self, request: Attributes, obj: Object) -> Object:
        not_ready_s = self.options.not_ready_toleration_s
        unreachable_s = self.options.unreachable_toleration_s
        return add_default_tolerations(obj, not_ready_s=not_ready_s, unreachable_s=unreachable_s)


def add_default_tolerations(
    pod: Object, *, not_ready_s: int = DEFAULT_SECONDS, unreachable_s: int = DEFAULT_SECONDS
) -> Object:
    """The pod with the tolerations that it lacks; the same pod if it lacks none."""
    spec = spec_of(pod)
    old: Sequence[Toleration] = tolerations_of(spec)
    new = [
        {"key": key, "operator": "Exists", "effect": NO_EXECUTE, "tolerationSeconds": seconds}
        for key, seconds in ((NOT_READY, not_ready_s), (UNREACHABLE, unreachable_s))
        # One that is about the taint with NoExecute, whatever else it demands, counts.
        if not any(
            (toleration.get("key") or key) == key
            and (toleration.get("effect") or NO_EXECUTE) == NO_EXECUTE
            for toleration in old
        )
    ]
    return {**pod, "spec": {**spec, "tolerations": [*old, *new]}} if new else pod
