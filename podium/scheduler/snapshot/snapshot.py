"""The cluster as columns with a row for each node, updated by changes.

When a node is removed, the last row takes its place. Every change of a pod is logged. A change of a
node raises `node_epoch`; results of an older epoch are discarded.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.api.errors import InvalidValueError
from podium.api.nodes import allocatable_of
from podium.api.objects import Object, labels, name
from podium.api.process.recent_values import Recent
from podium.api.values.quantity import INT64_MAX, milli_value, value
from podium.scheduler.snapshot.host_ports import HostPort
from podium.scheduler.snapshot.log import Log
from podium.scheduler.snapshot.node_columns import NodeColumns
from podium.scheduler.snapshot.pod_classes import PerClass, PodClass, PodClasses
from podium.scheduler.snapshot.pod_columns import PodColumns
from podium.scheduler.snapshot.pod_info import NOT_STARTED, UNPLACED, PodInfo, start_order_of
from podium.scheduler.snapshot.resource_columns import ResourceColumns

Change = tuple[int, PodClass, int]
"""A row, the class of a pod, and 1 if the pod was added or -1 if it was removed."""

V = TypeVar("V")

_ROW = itemgetter(0)

# A value may have an array or two with an element for each node.
_PER_NODES_MAX = 256


def rows_of(changes: Sequence[Change]) -> NDArray[np.int64]:
    """Return the rows of changes as an array, int64[n]."""
    return np.fromiter(map(_ROW, changes), np.int64, len(changes))


class Snapshot:
    """Nodes and the pods on them."""

    def __init__(self, classes: PodClasses | None = None) -> None:
        self.classes = classes or PodClasses()
        self.names: list[str] = []
        self.nodes: list[Object] = []
        self.row_of: dict[str, int] = {}
        """Rows by node name; removing a node changes another node's row."""
        self.resources = ResourceColumns()
        self.columns = NodeColumns(self.nodes, self.row_of)
        self.pods_on: list[list[PodInfo]] = []
        """The pods of each row, in the order of kube-scheduler's NodeInfo."""
        self.freed_ports: dict[int, frozenset[HostPort]] = {}
        """By row, ports that count as free although pods hold them. As upstream keeps used ports in
        a set, a port that two pods hold becomes free when one of them leaves."""
        self.node_epoch = 0
        self.log: Log[Change] = Log()
        self.restarts: Log[int] = Log()
        """Rows of pods whose start time or annotations changed, for preemption alone."""
        self.tie_key: Callable[[str], str] | None = None
        """Sort key for names of nodes with equal scores; set it before adding nodes."""
        self._homeless: dict[str, list[PodInfo]] = {}
        self._now_ns = INT64_MAX
        # Pods with start times in the future, and a lower bound of these times.
        self._ahead: set[PodInfo] = set()
        self._ahead_from_ns = INT64_MAX
        self._held = PerClass(self.classes, lambda cls: self.resources.counted(cls.held))
        self.pods = PodColumns()

    @property
    def node_count(self) -> int:
        return len(self.names)

    def labels_of(self, row: int) -> Mapping[str, str]:
        return labels(self.nodes[row])

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Position of each row's node name in sorted order, int64[nodes]: breaks ties."""
        ranks = np.zeros(self.node_count, np.int64)
        for rank, node_name in enumerate(sorted(self.row_of, key=self.tie_key)):
            ranks[self.row_of[node_name]] = rank
        return ranks

    @cached_property
    def ties(self) -> NDArray[np.int64]:
        """What breaks ties of equal scores, int64[nodes]: greater for smaller node names."""
        return self.node_count - self.ranks

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """All rows, int[nodes]; the same array until a node changes."""
        return np.arange(self.node_count)

    def set_nodes(self, nodes: Iterable[Object]) -> None:
        for node in nodes:
            self.set_node(node)

    def set_node(self, node: Object) -> bool:
        """Add or replace a node; return whether this matters; unchanged after InvalidValueError."""
        node_name = name(node)
        row = self.row_of.get(node_name)
        if row is not None and _relevant(self.nodes[row]) == _relevant(node):
            self.nodes[row] = node
            return False
        amounts = allocatable_amounts(node)
        if row is None:
            row = self.row_of[node_name] = self.node_count
            self.names.append(node_name)
            self.nodes.append(node)
            self.pods_on.append([])
            self.resources.append_row()
        self.nodes[row] = node
        self.resources.set_allocatable(row, amounts)
        self._node_changed()
        for pod in self._homeless.pop(node_name, ()):
            self._place(pod, row)
        return True

    def remove_node(self, node_name: str) -> None:
        """Remove a node; its pods are kept, and placed again if the node is added again."""
        row = self.row_of[node_name]
        for pod in list(self.pods_on[row]):
            self.remove_pod(pod)
            self._order_start(pod)
            self._homeless.setdefault(node_name, []).append(pod)
        # The last row takes its place.
        del self.row_of[node_name]
        last = self.node_count - 1
        if row != last:
            self.row_of[self.names[last]] = row
            self.pods.move(self.pods_on[last], row)
            if last in self.freed_ports:
                self.freed_ports[row] = self.freed_ports.pop(last)
        self.names[row] = self.names[last]
        self.nodes[row] = self.nodes[last]
        self.pods_on[row] = self.pods_on[last]
        del self.names[last], self.nodes[last], self.pods_on[last]
        self.resources.remove_row(row)
        self._node_changed()

    def add_pod(self, pod: PodInfo, node_name: str) -> None:
        if pod.start_ns is not None:
            self._order_start(pod)
        row = self.row_of.get(node_name)
        if row is None:
            self._homeless.setdefault(node_name, []).append(pod)
        else:
            self._place(pod, row)

    def remove_pod(self, pod: PodInfo) -> None:
        self._ahead.discard(pod)
        row = pod.row
        if row == UNPLACED:
            for node_name, homeless in list(self._homeless.items()):
                if pod in homeless:
                    homeless.remove(pod)
                    if not homeless:
                        del self._homeless[node_name]
            return
        pods = self.pods_on[row]
        position = pods.index(pod)
        last = pods.pop()
        if last is not pod:
            pods[position] = last
            self.pods.positions[last.slot] = position
        self.pods.release(pod)
        self._account(pod.cls, row, -1)
        self.log.append((row, pod.cls, -1))

    def reorder(self, row: int, pods: Sequence[PodInfo]) -> None:
        self.pods_on[row][:] = pods
        for position, pod in enumerate(pods):
            self.pods.positions[pod.slot] = position

    def retake_ports(self, pod: PodInfo) -> None:
        """Mark an updated pod's host ports as used, since upstream adds the pod again."""
        if pod.cls.host_ports & self.freed_ports.get(pod.row, frozenset()):
            self._follow_ports(pod.cls.host_ports, pod.row, 1)
            self.log.append((pod.row, pod.cls, -1))
            self.log.append((pod.row, pod.cls, 1))

    def restart_pod(self, pod: PodInfo, start_ns: int | None) -> None:
        pod.start_ns = start_ns
        self._order_start(pod)
        if pod.row != UNPLACED:
            self.pods.restart(pod)
            self.restarts.append(pod.row)

    def pass_time(self, now_ns: int) -> None:
        """Set the time, in nanoseconds since the epoch; until then, no start lies in the future."""
        is_first, self._now_ns = self._now_ns == INT64_MAX, now_ns
        if is_first:
            started = [pod for pods in self.pods_on for pod in pods if pod.start_ns is not None]
            started += [pod for pods in self._homeless.values() for pod in pods]
        elif now_ns < self._ahead_from_ns:
            return
        else:
            started = [pod for pod in self._ahead if pod.start_ns and pod.start_ns <= now_ns]
        for pod in started:
            if start_order_of(pod.start_ns, now_ns) != pod.start_order:
                self.restart_pod(pod, pod.start_ns)
        starts = (pod.start_ns for pod in self._ahead if pod.start_ns is not None)
        self._ahead_from_ns = min(starts, default=INT64_MAX)

    def forget_classes(self) -> None:
        """Forget unused classes of pods, which invalidates everything that is kept by class."""
        self.log.restart()
        self.classes.forget()
        self.pods.renumber()
        self._node_changed()

    def held_columns(self, cls: PodClass) -> tuple[tuple[int, int], ...]:
        return self._held.of(cls)

    def sum_by_row(
        self, weights: NDArray[np.int64], numbers: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Sum the weights of the pods of each row, int64[nodes]; `weights` is int64[classes].

        For weights of peer groups, `numbers` is `pods.peer_groups`. Sums have to be below 2**53.
        """
        of_pods = weights[self.pods.classes if numbers is None else numbers]
        counted = (of_pods != 0) & (self.pods.rows >= 0)
        sums = np.bincount(
            self.pods.rows[counted], weights=of_pods[counted], minlength=self.node_count
        )
        return sums.astype(np.int64)

    def _order_start(self, pod: PodInfo) -> None:
        pod.start_order = start_order_of(pod.start_ns, self._now_ns)
        if pod.start_order > NOT_STARTED and pod.start_ns is not None:
            self._ahead.add(pod)
            self._ahead_from_ns = min(self._ahead_from_ns, pod.start_ns)
        else:
            self._ahead.discard(pod)

    def _place(self, pod: PodInfo, row: int) -> None:
        pods = self.pods_on[row]
        self.pods.take(pod, row, len(pods), self.held_columns(pod.cls))
        pods.append(pod)
        self._account(pod.cls, row, 1)
        self.log.append((row, pod.cls, 1))

    def _account(self, cls: PodClass, row: int, sign: int) -> None:
        self.resources.add(row, self.held_columns(cls), cls.held_nonzero, sign)
        if cls.host_ports:
            self._follow_ports(cls.host_ports, row, sign)

    def _follow_ports(self, ports: frozenset[HostPort], row: int, sign: int) -> None:
        freed = self.freed_ports.pop(row, frozenset())
        if sign > 0:
            freed -= ports
        else:
            held = frozenset().union(*(pod.cls.host_ports for pod in self.pods_on[row]))
            freed = (freed | ports) & held
        if freed:
            self.freed_ports[row] = freed

    def _node_changed(self) -> None:
        self.node_epoch += 1
        self.columns.forget()
        for column in ("ranks", "ties", "rows"):
            self.__dict__.pop(column, None)


class PerNodes(Generic[V]):
    """Values by key that depend on nodes alone, such as the codes for a list of tolerations.

    All are discarded when a node changes, and the least recently used ones if there are too many.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._epoch = -1
        self._values: Recent[Hashable, tuple[V]] = Recent(_PER_NODES_MAX)

    def of(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value for a key; `make` must depend on the key and the nodes alone."""
        if self._epoch != self._snapshot.node_epoch:
            self._epoch = self._snapshot.node_epoch
            self._values = Recent(_PER_NODES_MAX)
        kept = self._values.get(key)
        if kept is None:
            kept = (make(),)
            self._values.put(key, kept)
        return kept[0]


def allocatable_amounts(node: Object) -> dict[str, int]:
    """Return allocatable amounts, cpu in thousandths, others in units; raises InvalidValueError."""
    read = {}
    for resource, amount in allocatable_of(node).items():
        try:
            read[resource] = milli_value(amount) if resource == "cpu" else value(amount)
        except InvalidValueError as error:
            raise error.under(f"Node {name(node)}.status.allocatable[{resource}]") from None
    return read


def _relevant(node: Object) -> tuple[object, ...]:
    status: Object = node.get("status") or {}
    return (
        labels(node),
        node.get("spec"),
        status.get("allocatable"),
        status.get("images"),
        status.get("declaredFeatures"),
    )
