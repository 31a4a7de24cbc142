"""ExtendedResourceToleration: who asks for a special device may go to the nodes that have it.

The rules are those of the admission plugin of that name in v1.36. It is off unless asked for; it
is meant for nodes that are tainted with the name of their resource.
"""

from collections.abc import Iterator
from typing import ClassVar

from podium.api.objects import Object, spec_of
from podium.api.pod_specs import all_containers_of, requests_of, tolerations_of
from podium.api.resources import is_extended_resource
from podium.api.taints import NO_SCHEDULE
from podium.apiserver.admission.plugin import WRITE, Plugin
from podium.apiserver.attributes import Attributes


class ExtendedResourceToleration(Plugin):
    """Lets pods tolerate taints that are named like the extended resources they request."""

    name = "ExtendedResourceToleration"
    handles: ClassVar = {"Pod": WRITE}
    on_by_default = False

    def admit(self, request: Attributes, obj: Object) -> Object:
        spec = spec_of(obj)
        old = tolerations_of(spec)
        wanted = [
            {"key": resource, "operator": "Exists", "effect": NO_SCHEDULE}
            for resource in sorted(set(_extended_resources(spec)))
        ]
        missing = [toleration for toleration in wanted if toleration not in old]
        if not missing:
            return obj
        return {**obj, "spec": {**spec, "tolerations": [*old, *missing]}}


def _extended_resources(spec: Object) -> Iterator[str]:
    for container in all_containers_of(spec):
        requests = requests_of(container)
        yield from filter(is_extended_resource, requests)
