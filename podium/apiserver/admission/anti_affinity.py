"""LimitPodHardAntiAffinityTopology: required anti-affinity between nodes only, not between zones.

It is off unless asked for, as in v1.36: one pod could otherwise keep all others out of a zone.
"""

from typing import ClassVar

from podium.api.objects import Object, spec_of
from podium.api.pod_specs import affinity_of
from podium.apiserver.admission.plugin import WRITE, Plugin
from podium.apiserver.attributes import Attributes
from podium.apiserver.refusals import forbidden

_HOSTNAME = "kubernetes.io/hostname"


class LimitPodHardAntiAffinityTopology(Plugin):
    """Refuses pods that require to be kept apart by anything else than the hostname."""

    name = "LimitPodHardAntiAffinityTopology"
    handles: ClassVar = {"Pod": WRITE}
    on_by_default = False

    def validate(self, request: Attributes, obj: Object) -> None:
        affinity = affinity_of(spec_of(obj))
        apart = affinity.get("podAntiAffinity") or {}
        for term in apart.get("requiredDuringSchedulingIgnoredDuringExecution") or ():
            key = term.get("topologyKey")
            if key != _HOSTNAME:
                why = (
                    f"affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey {key} "
                    f"but only key {_HOSTNAME} is allowed"
                )
                raise forbidden(request.kind, request.called(obj), why)
