"""Time series ("lines") of a run: pods by class, utilisation, fragmentation, waiting times.

A `UsageLog` collects the changes of nodes and pods of a simulated cluster (`UsageRecorder`) or of a
recording; `run_series` computes the lines when the run is over.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from podium.api.nodes import allocatable_of
from podium.api.objects import Object, labels, name, uid
from podium.api.pods import is_finished, node_name_of
from podium.api.policy.disruption_target import EVICTED, LOST, PREEMPTED
from podium.api.resources import Amounts, is_extended_resource, pod_requests, resource_amount
from podium.api.values.quantity import NANOS_PER_UNIT, nanos
from podium.api.well_known import ZONE_LABEL
from podium.cluster.drivers.driver_events import DriverEvent
from podium.cluster.virtual import Cluster
from podium.simulation.timeline.pod_history import PodHistory

CLASS, NODE, ZONE, CLUSTER = "class", "node", "zone", "cluster"
"""The subjects of lines."""

NO_CLASS = "none"
"""Name of the class of pods without a PriorityClass."""

Line = tuple[str, str, str]
"""The measure of a line, what it is of (one of the above), and the name of that."""

KINDS = ("Node", "Pod")
"""The kinds of objects that a `UsageLog` takes in."""

PENDING, BOUND = "pending", "bound"
UTILISATION, FRAGMENTATION = "utilisation", "fragmentation"

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

Shape = tuple[tuple[str, int], ...]
"""The requests of a pod: nanos by the name of a resource, sorted."""


class StepSeries:
    """A step function of time: each value holds from its time until the next one."""

    __slots__ = ("times_s", "values")

    def __init__(self) -> None:
        self.times_s: list[float] = []
        self.values: list[float] = []

    def set(self, at_s: float, value: float) -> None:
        """Set the value from a time on; the last of several calls for one time counts."""
        if self.times_s and self.times_s[-1] == at_s:
            self.values[-1] = value
        elif not self.values or self.values[-1] != value:
            self.times_s.append(at_s)
            self.values.append(value)

    def points(self) -> Iterator[tuple[float, float]]:
        return zip(self.times_s, self.values, strict=True)

    def mean(self, until_s: float) -> float:
        """Average the values over time, from the first time on; the last value if they coincide."""
        if not self.values:
            return 0.0
        passed_s = until_s - self.times_s[0]
        if passed_s <= 0:
            return self.values[-1]
        pieces = zip(self.times_s, [*self.times_s[1:], until_s], self.values, strict=True)
        integral = sum(value * max(0, min(end, until_s) - begin) for begin, end, value in pieces)
        return integral / passed_s


Lines = dict[Line, StepSeries]


class NodeChange(msgspec.Struct, frozen=True):
    """Allocatable resources and requests of a node from a time on; empty once it is deleted."""

    at_s: float
    node: str
    zone: str
    allocatable: Amounts
    requested: Amounts


class _Pod(msgspec.Struct):
    priority_class: str
    shape: Shape
    node: str


class _Node(msgspec.Struct):
    zone: str = ""
    allocatable: Amounts = {}
    pods: set[str] = set()


class UsageLog:
    """Changes of nodes and pods, moment by moment, from the start of a run or a recording."""

    def __init__(self) -> None:
        self.nodes: list[NodeChange] = []
        self.shapes: Counter[Shape] = Counter()
        """The number of pods by their requests."""
        self.lines: Lines = defaultdict(StepSeries)
        """The numbers of pending and bound pods by PriorityClass."""
        self._pods: dict[str, _Pod] = {}
        self._nodes: dict[str, _Node] = {}
        # By class: the numbers of pods without and with a node.
        self._counts: dict[str, list[int]] = {}
        self._dirty_nodes: set[str] = set()
        self._dirty_classes: set[str] = set()

    def take(self, kind: str, obj: Object, *, gone: bool = False) -> None:
        """Record the creation, change or deletion of a node or pod."""
        if kind == "Node":
            node = self._nodes.setdefault(name(obj), _Node())
            zone = labels(obj).get(ZONE_LABEL, "")
            amounts = {} if gone else allocatable_of(obj)
            allocatable = {resource: nanos(amount) for resource, amount in amounts.items()}
            if (zone, allocatable) != (node.zone, node.allocatable):
                node.zone, node.allocatable = zone, allocatable
                self._dirty_nodes.add(name(obj))
            return
        pod = self._pods.get(uid(obj))
        if gone or is_finished(obj):
            if pod is not None:
                self._count(self._pods.pop(uid(obj)), uid(obj), -1)
        elif pod is None:
            shape = tuple(sorted({**pod_requests(obj), "pods": NANOS_PER_UNIT}.items()))
            self.shapes[shape] += 1
            class_name = obj["spec"].get("priorityClassName") or ""
            pod = self._pods[uid(obj)] = _Pod(class_name, shape, node_name_of(obj))
            self._count(pod, uid(obj), 1)
        elif pod.node != node_name_of(obj):
            self._count(pod, uid(obj), -1)
            pod.node = node_name_of(obj)
            self._count(pod, uid(obj), 1)

    def _count(self, pod: _Pod, pod_uid: str, step: int) -> None:
        self._counts.setdefault(pod.priority_class, [0, 0])[bool(pod.node)] += step
        self._dirty_classes.add(pod.priority_class)
        if pod.node:
            node = self._nodes.setdefault(pod.node, _Node())
            (node.pods.add if step > 0 else node.pods.discard)(pod_uid)
            self._dirty_nodes.add(pod.node)

    def write(self, at_s: float) -> None:
        """Write the changes recorded since the last call, as of a time."""
        for node_name in sorted(self._dirty_nodes):
            node = self._nodes[node_name]
            requested: Counter[str] = Counter()
            for pod_uid in node.pods:
                requested.update(dict(self._pods[pod_uid].shape))
            change = NodeChange(at_s, node_name, node.zone, node.allocatable, dict(requested))
            self.nodes.append(change)
        for class_name in sorted(self._dirty_classes):
            for measure, count in zip((PENDING, BOUND), self._counts[class_name], strict=True):
                self.lines[measure, CLASS, class_name].set(at_s, count)
        self._dirty_nodes.clear()
        self._dirty_classes.clear()


class UsageRecorder:
    """Follows the nodes and pods of a cluster in a `UsageLog`."""

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
        self._driver.hooks.append(self.look)

    def look(self, _: DriverEvent | None = None) -> None:
        """Record the writes since the last call."""
        if self._store.revision == self._seen:
            return
        self._seen = self._store.revision
        for watch in self._watches:
            for event in watch.take():
                self.log.take(event.kind, event.obj, gone=event.type == "DELETED")
        self._write()

    def _write(self) -> None:
        self.log.write(round(self._driver.now_s - self._start_s, 6))


class Wait(msgspec.Struct, frozen=True):
    """The time that a pod waited for a node."""

    pod: str
    priority_class: str
    created_s: float
    seconds: float
    placed: bool


class RunSeries(msgspec.Struct):
    """The lines and waits of a run."""

    lines: Lines = msgspec.field(default_factory=lambda: defaultdict(StepSeries))
    """Time series by measure; utilisation and fragmentation are by resource, such as
    `utilisation.cpu`."""
    waits: list[Wait] = msgspec.field(default_factory=list)
    until_s: float = 0.0
    """End of the run, in seconds since its start."""

    def rows(self) -> Iterable[tuple[float, str, str, str, float]]:
        for (measure, of, owner), line in sorted(self.lines.items()):
            for at_s, value in line.points():
                yield at_s, measure, of, owner, value
        for wait in self.waits:
            measure = "waited" if wait.placed else "neverPlaced"
            yield wait.created_s, measure, CLASS, wait.priority_class, wait.seconds


def run_series(log: UsageLog, histories: Sequence[PodHistory], until_s: float) -> RunSeries:
    """Compute the time series of a run that is over."""
    series = RunSeries(log.lines, until_s=until_s)
    # Lines that count up: how many pods of each class were preempted, evicted and lost so far.
    for class_name in {pod.priority_class for pod in histories}:
        for group in (PREEMPTED, EVICTED, LOST):
            series.lines[group, CLASS, class_name].set(0.0, 0)
    for pod in sorted(histories, key=lambda pod: pod.ended_s or 0.0):
        if pod.cause is not None and pod.ended_s is not None:
            line = series.lines[pod.cause.group, CLASS, pod.priority_class]
            line.set(pod.ended_s, line.values[-1] + 1)
    _add_node_lines(series.lines, log)
    for pod in histories:
        if pod.bound_s is not None or not pod.node:
            ends_s = (pod.bound_s, pod.ended_s, until_s)
            ended_s = next(at_s for at_s in ends_s if at_s is not None)
            wait_s = round(max(0.0, ended_s - pod.created_s), 6)
            placed = pod.bound_s is not None
            series.waits.append(Wait(pod.pod, pod.priority_class, pod.created_s, wait_s, placed))
    return series


def _add_node_lines(lines: Lines, log: UsageLog) -> None:
    shapes = [dict(shape) for shape in log.shapes]
    requested = {resource for shape in shapes for resource, amount in shape.items() if amount}
    offered = {resource for change in log.nodes for resource in change.allocatable}
    measured = ["cpu", "memory", *sorted(filter(is_extended_resource, offered))]
    # The measured resources are the first columns of all arrays.
    resources = [*measured, *sorted(requested - {*measured})]

    def row(amounts: Amounts) -> list[int]:
        return [resource_amount(resource, amounts.get(resource, 0)) for resource in resources]

    def add(measure: str, of: str, name: str, at_s: float, parts: Ints | Floats) -> None:
        for resource, whole, part in zip(measured, *parts.tolist(), strict=False):
            line = f"{measure}.{resource}", of, name
            if whole > 0 or line in lines:
                lines[line].set(at_s, round(part / whole if whole > 0 else 0.0, 9))

    pods = np.array([row(shape) for shape in shapes], np.int64).reshape(-1, len(resources))
    weights = np.array([*log.shapes.values()], np.float64)
    weights /= max(1.0, float(weights.sum()))
    # What is allocatable, and what is requested of that.
    cluster: Ints = np.zeros((2, len(resources)), np.int64)
    zones: dict[str, Ints] = defaultdict(lambda: np.zeros_like(cluster))
    # How much of the free resources a pod of the run can't use on average.
    unusable: Floats = np.zeros(len(measured))
    nodes: dict[str, tuple[str, Ints, Floats]] = {}
    changed_zones: set[str] = set()
    for index, change in enumerate(log.nodes):
        at_s = change.at_s
        # A node that is deleted has no resources, and nothing is requested of it.
        amounts = (change.allocatable, change.requested if change.allocatable else {})
        usage = np.array([row(amount) for amount in amounts], np.int64)
        free = usage[0] - usage[1]
        fits = ((pods <= free) | (pods == 0)).all(axis=1)
        useless: Floats = np.maximum(free[: len(measured)], 0) * float(weights[~fits].sum())
        if change.node in nodes:
            zone, before, useless_before = nodes[change.node]
            zones[zone] = zones[zone] - before
            cluster = cluster - before
            unusable = unusable - useless_before
            changed_zones.add(zone)
        nodes[change.node] = change.zone, usage, useless
        zones[change.zone] = zones[change.zone] + usage
        cluster = cluster + usage
        unusable = unusable + useless
        changed_zones.add(change.zone)
        add(UTILISATION, NODE, change.node, at_s, usage)
        if index + 1 < len(log.nodes) and log.nodes[index + 1].at_s == at_s:
            continue
        for zone in sorted(changed_zones - {""}):
            add(UTILISATION, ZONE, zone, at_s, zones[zone])
        changed_zones.clear()
        add(UTILISATION, CLUSTER, "", at_s, cluster)
        free = (cluster[0] - cluster[1])[: len(measured)]
        add(FRAGMENTATION, CLUSTER, "", at_s, np.stack([free, unusable]))
