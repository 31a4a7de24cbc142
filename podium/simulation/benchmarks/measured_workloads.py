"""Workloads of benchmarks: nodes, initial pods, and pods whose scheduling is measured.

`workloads.yaml` has those of kube-scheduler's performance suite, and the templates of nodes and
pods.
"""

from collections.abc import Callable, Iterable, Mapping
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
    """The size of one workload of a case."""

    nodes: int
    init_pods: int
    """Number of pods in each group of initial pods, and of placed pods."""
    measured_pods: int
    by_default: bool = False
    """Whether the workload belongs to the default set."""


class WorkloadPods(msgspec.Struct, frozen=True):
    """Pods of one template; `vary` changes each pod by its number, from `first` on."""

    template: Object
    namespace: str
    vary: Vary | None = None
    first: int = 0


class Case(msgspec.Struct, frozen=True):
    """The templates of a workload, which may be run in several sizes."""

    name: str
    measured: WorkloadPods
    sizes: Mapping[str, Size]
    init: tuple[WorkloadPods, ...] = ()
    placed: WorkloadPods | None = None
    """Pods that are on nodes from the start, on one node after the other."""
    node: Object = msgspec.field(default_factory=lambda: NODES["default"])
    zones: tuple[str, ...] = ()
    """Zones that the nodes are in by turns; if empty, nodes have no zone label."""
    extra_nodes: tuple[Object, ...] = ()
    churn: WorkloadPods | None = None
    """Pods that arrive between the measured ones at a steady rate."""
    objects: tuple[Object, ...] = ()
    """Other objects of the cluster."""
    of_node: Callable[[str], Iterable[Object]] | None = None
    """Returns other objects that come with a node, by its name."""
    of_pod: Callable[[Object], Iterable[Object]] | None = None
    """Returns other objects that come with a pod."""


REFERENCE_CASES = msgspec.convert(_SUITE["cases"], tuple[Case, ...])


class Workload(msgspec.Struct, frozen=True):
    """A case in one of its sizes."""

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
