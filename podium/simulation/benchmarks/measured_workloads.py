"""Workloads: nodes, earlier pods, and pods whose scheduling is measured.

`workloads.yaml` has those of kube-scheduler's performance suite, and the templates of nodes and
pods.
"""

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

import msgspec
import yaml

from podium.api.objects import Object

Vary = Callable[[Mapping[str, Any], int], None]
"""Changes a pod in place by its number, so that it differs from others of its template."""

_TEXT = (files("podium.simulation.benchmarks") / "workloads.yaml").read_bytes()
_SUITE = yaml.load(_TEXT, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
NODES: Mapping[str, Object] = _SUITE["nodes"]
PODS: Mapping[str, Object] = _SUITE["pods"]


class Size(msgspec.Struct, frozen=True, array_like=True):
    """The size of one workload of a case.

    Attributes:
        init_pods: number of pods in each group of earlier pods, and of placed pods.
        by_default: whether the workload belongs to the default set.
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
        placed: pods that run from the start, on one node after the other; None for none.
        zones: zones of the nodes, in turn; without any, nodes have no zone.
        churn: pods that arrive between the measured ones at a steady rate; None for none.
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
        """The name of the workload, such as `SchedulingBasic/5000Nodes_10000Pods`."""
        return f"{self.case.name}/{self.size_name}"

    @property
    def size(self) -> Size:
        return self.case.sizes[self.size_name]

    @property
    def node_count(self) -> int:
        return self.size.nodes + len(self.case.extra_nodes)
