"""Follows a cluster through a run: what of each node is requested, and who has a node."""

from collections import Counter
from dataclasses import dataclass, field

from podium.api.nodes import allocatable_of
from podium.api.objects import Object, labels, name, uid
from podium.api.pods import is_finished, node_name_of
from podium.api.resources import Amounts, pod_requests
from podium.api.values.quantity import NANOS_PER_UNIT, nanos
from podium.api.well_known import ZONE_LABEL
from podium.cluster.drivers.driver_events import DriverEvent
from podium.cluster.virtual import Cluster

KINDS = ("Node", "Pod")
"""Whose changes are followed."""

Shape = tuple[tuple[str, int], ...]
"""What a pod requests: nanos by the name of a resource, sorted."""


@dataclass(frozen=True, slots=True)
class NodeChange:
    """What a node has and what is requested of it, from a moment on; nothing once it is gone."""

    at_s: float
    node: str
    zone: str
    allocatable: Amounts
    requested: Amounts


@dataclass(frozen=True, slots=True)
class ClassChange:
    """How many pods of a class have no node, and how many have one, from a moment on."""

    at_s: float
    priority_class: str
    pending: int
    bound: int


@dataclass(slots=True)
class _Pod:
    priority_class: str
    shape: Shape
    node: str


@dataclass(slots=True)
class _Node:
    zone: str = ""
    allocatable: Amounts = field(default_factory=dict)
    pods: set[str] = field(default_factory=set)


class UsageLog:
    """What changes, moment by moment, from the start of a run or a recording."""

    def __init__(self) -> None:
        self.nodes: list[NodeChange] = []
        self.classes: list[ClassChange] = []
        self.shapes: Counter[Shape] = Counter()
        self._pods: dict[str, _Pod] = {}
        self._nodes: dict[str, _Node] = {}
        self._counts: dict[str, list[int]] = {}
        self._dirty_nodes: set[str] = set()
        self._dirty_classes: set[str] = set()

    def take(self, kind: str, obj: Object, *, gone: bool = False) -> None:
        if kind == "Node":
            node = self._nodes.setdefault(name(obj), _Node())
            zone = labels(obj).get(ZONE_LABEL, "")
            found = {} if gone else allocatable_of(obj)
            allocatable = {resource: nanos(amount) for resource, amount in found.items()}
            if (zone, allocatable) != (node.zone, node.allocatable):
                node.zone, node.allocatable = zone, allocatable
                self._dirty_nodes.add(name(obj))
        else:
            self._take_pod(obj, gone=gone)

    def _take_pod(self, obj: Object, *, gone: bool) -> None:
        one = uid(obj)
        known = self._pods.get(one)
        if gone or is_finished(obj):
            if known is not None:
                self._count(self._pods.pop(one), one, -1)
            return
        if known is None:
            shape = tuple(sorted({**pod_requests(obj), "pods": NANOS_PER_UNIT}.items()))
            self.shapes[shape] += 1
            called = obj["spec"].get("priorityClassName") or ""
            known = self._pods[one] = _Pod(called, shape, node_name_of(obj))
            self._count(known, one, 1)
        elif known.node != node_name_of(obj):
            self._count(known, one, -1)
            known.node = node_name_of(obj)
            self._count(known, one, 1)

    def _count(self, pod: _Pod, one: str, step: int) -> None:
        counts = self._counts.setdefault(pod.priority_class, [0, 0])
        counts[bool(pod.node)] += step
        self._dirty_classes.add(pod.priority_class)
        if pod.node:
            node = self._nodes.setdefault(pod.node, _Node())
            (node.pods.add if step > 0 else node.pods.discard)(one)
            self._dirty_nodes.add(pod.node)

    def write(self, at_s: float) -> None:
        for called in sorted(self._dirty_nodes):
            node = self._nodes[called]
            requested: Counter[str] = Counter()
            for one in node.pods:
                requested.update(dict(self._pods[one].shape))
            change = NodeChange(at_s, called, node.zone, node.allocatable, dict(requested))
            self.nodes.append(change)
        for called in sorted(self._dirty_classes):
            self.classes.append(ClassChange(at_s, called, *self._counts[called]))
        self._dirty_nodes.clear()
        self._dirty_classes.clear()


class UsageRecorder:
    """Records which pods hold requests on which nodes, and which nodes there are."""

    def __init__(self, cluster: Cluster) -> None:
        self.log = UsageLog()
        self._driver = cluster.driver
        self._start_s = cluster.options.start_s
        self._store = cluster.store
        self._seen = self._store.revision
        self._watches = [self._store.watch(kind, from_revision=self._seen) for kind in KINDS]
        for kind in KINDS:
            for obj in self._store.list(kind).items:
                self.log.take(kind, obj)
        self._write()
        self._driver.hooks.append(self._happened)

    def look(self) -> None:
        if self._store.revision == self._seen:
            return
        self._seen = self._store.revision
        for watch in self._watches:
            for event in watch.take():
                self.log.take(event.kind, event.obj, gone=event.type == "DELETED")
        self._write()

    def _happened(self, _: DriverEvent) -> None:
        self.look()

    def _write(self) -> None:
        self.log.write(round(self._driver.now_s - self._start_s, 6))
