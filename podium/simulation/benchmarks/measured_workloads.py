"""Workloads: nodes, pods that are there before, and pods whose scheduling is measured.

Those of kube-scheduler's performance suite are in `workloads.yaml`, with the templates of their
nodes and pods. The objects are those that an API server would hand to a scheduler.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import count
from typing import Any

import msgspec
import yaml

from podium.api.objects import Object
from podium.api.well_known import HOSTNAME_LABEL, ZONE_LABEL
from podium.apiserver.admission.tolerations import add_default_tolerations
from podium.apiserver.kinds.registration.registrations import apply_defaults

Vary = Callable[[Mapping[str, Any], int], None]
"""Makes a pod differ from the others of its template, in place, by its number among them."""


_TEXT = (files("podium.simulation.benchmarks") / "workloads.yaml").read_bytes()
_SUITE = yaml.load(_TEXT, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
NODES: Mapping[str, Object] = _SUITE["nodes"]
PODS: Mapping[str, Object] = _SUITE["pods"]


class Size(msgspec.Struct, frozen=True, array_like=True):
    """The size of one workload of a case.

    Attributes:
        init_pods: number of pods of each of the case's groups of earlier pods, placed ones too.
        by_default: whether the workload is measured when none is named.
    """

    nodes: int
    init_pods: int
    measured_pods: int
    by_default: bool = False


class WorkloadPods(msgspec.Struct, frozen=True):
    """Pods of one template."""

    template: Object
    namespace: str
    vary: Vary | None = None


class Case(msgspec.Struct, frozen=True):
    """A shape of workload.

    Attributes:
        placed: pods that are on the nodes from the start, dealt out in turn; None if none are.
        zones: dealt out to the nodes in turn; without any, nodes have no zone.
        churn: pods that come in between, at a steady rate; None if none do.
    """

    name: str
    measured: WorkloadPods
    sizes: Mapping[str, Size]
    init: tuple[WorkloadPods, ...] = ()
    placed: WorkloadPods | None = None
    node: Object = msgspec.field(default_factory=lambda: NODES["default"])
    zones: tuple[str, ...] = ()
    extra_nodes: tuple[Object, ...] = ()
    churn: WorkloadPods | None = None


REFERENCE_CASES = msgspec.convert(_SUITE["cases"], tuple[Case, ...])


class Workload(msgspec.Struct, frozen=True):
    """A case at one of its sizes."""

    case: Case
    size_name: str

    @property
    def name(self) -> str:
        """Such as `SchedulingBasic/5000Nodes_10000Pods`."""
        return f"{self.case.name}/{self.size_name}"

    @property
    def size(self) -> Size:
        return self.case.sizes[self.size_name]

    @property
    def node_count(self) -> int:
        return self.size.nodes + len(self.case.extra_nodes)


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
