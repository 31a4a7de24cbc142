"""From templates to objects, as an API server would hand them to a scheduler."""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import msgspec

from podium.api.objects import Object
from podium.api.well_known import HOSTNAME_LABEL, ZONE_LABEL
from podium.apiserver.admission.tolerations import add_default_tolerations
from podium.apiserver.kinds.registration.registrations import apply_defaults
from podium.simulation.benchmarks.measured_workloads import WorkloadPods

_CREATED = "2026-01-01T00:00:00Z"


class ObjectFactory:
    """Makes objects of templates: named, with a uid, defaulted, and each decoded from JSON.

    No two objects share any part, as if each had come in a watch event of its own.
    """

    def __init__(self) -> None:
        self._serials = count(1)

    def nodes(self, template: Object, number: int, zones: Sequence[str] = ()) -> list[Object]:
        """Nodes, each with its hostname's label; the zones are dealt out in turn."""
        nodes = self._stamped(apply_defaults(template), number)
        for index, node in enumerate(nodes):
            metadata = node["metadata"]
            metadata["labels"] = {HOSTNAME_LABEL: metadata["name"]}
            if zones:
                metadata["labels"][ZONE_LABEL] = zones[index % len(zones)]
        return nodes

    def group(self, group: WorkloadPods, number: int) -> list[Object]:
        """Pods of a group, each different if the group says how."""
        pods = self.pods(group.template, number, group.namespace)
        if group.vary is not None:
            for index, pod in enumerate(pods):
                group.vary(pod, index)
        return pods

    def pods(self, template: Object, number: int, namespace: str) -> list[Object]:
        """Pods, admitted and waiting for a node."""
        placed = {**template, "metadata": {**template["metadata"], "namespace": namespace}}
        return self._stamped(add_default_tolerations(apply_defaults(placed)), number)

    def namespaces(self, names: Iterable[str]) -> list[Object]:
        """Namespaces; names that come twice count once."""
        return [
            self._stamped(
                apply_defaults(
                    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
                ),
                1,
            )[0]
            for name in dict.fromkeys(names)
        ]

    def _stamped(self, template: Any, number: int) -> list[Object]:
        text = msgspec.json.encode(template)
        found = [msgspec.json.decode(text) for _ in range(number)]
        for obj in found:
            serial, metadata = next(self._serials), obj["metadata"]
            metadata.setdefault("name", f"{metadata.get('generateName')}{serial}")
            metadata["uid"] = f"{serial:08x}-0000-4000-8000-000000000000"
            metadata["creationTimestamp"] = _CREATED
        return found
