"""Workloads: nodes, pods that are there before, and pods whose scheduling is measured.

Those of kube-scheduler's performance suite are in `workloads.yaml`, with the templates of their
nodes and pods.
"""

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

import msgspec
import yaml

from podium.api.objects import Object

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
