"""Nominated pods: pods that preempted others, or otherwise expect a node, and aren't bound yet."""

from collections.abc import Sequence

from podium.scheduler.snapshot.log import Cursor, Log
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

_PRIORITIES_MAX = 64


class Nominator:
    """Nominated pods by node; `log` has the names of nodes whose nominated pods changed."""

    def __init__(self) -> None:
        self.log: Log[str] = Log()
        self._on: dict[str, list[PodInfo]] = {}
        # By priority: a cursor of later changes, and the rivals by node.
        self._counted: dict[int, tuple[Cursor[str], dict[str, tuple[int, list[PodInfo]]]]] = {}
        self._node_epoch = -1
        self._nodes_of: dict[str, list[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._on)

    def on(self, node_name: str) -> Sequence[PodInfo]:
        return self._on.get(node_name, ())

    def nominated(self) -> list[PodInfo]:
        return [pod for pods in self._on.values() for pod in pods]

    def lower_on(self, pod: PodInfo, node_name: str) -> tuple[PodInfo, ...]:
        return tuple(n for n in self.on(node_name) if n.priority < pod.priority)

    def nominate(self, pod: PodInfo, node_name: str) -> None:
        self.withdraw(pod)
        pod.nominated_node_name = node_name
        if node_name:
            self._on.setdefault(node_name, []).append(pod)
            self._nodes_of.setdefault(pod.uid, []).append(node_name)
            self.log.append(node_name)

    def withdraw(self, pod: PodInfo) -> None:
        node_name = pod.nominated_node_name
        pods = self._on.get(node_name, [])
        pod.nominated_node_name = ""
        if pod in pods:
            pods.remove(pod)
            self._nodes_of[pod.uid].remove(node_name)
            if not self._nodes_of[pod.uid]:
                del self._nodes_of[pod.uid]
            self.log.append(node_name)
            if not pods:
                del self._on[node_name]

    def rivals(self, pod: PodInfo, snapshot: Snapshot) -> list[tuple[int, list[PodInfo]]]:
        """Return rows, each with its nominated pods of at least the pod's priority.

        The pod itself is left out. A cycle counts these pods as if they were on the node
        (addGENominatedPods, v1.36).
        """
        priority = pod.priority
        if self._node_epoch != snapshot.node_epoch or len(self._counted) > _PRIORITIES_MAX:
            self._node_epoch = snapshot.node_epoch
            self._counted.clear()
        if priority in self._counted:
            changes, by_node = self._counted[priority]
            changed = changes.new()
        else:
            changed, by_node = None, {}
            self._counted[priority] = self.log.cursor(), by_node
        if changed is None:
            by_node.clear()
            changed = [*self._on]
        for node_name in changed:
            row = snapshot.row_of.get(node_name)
            nominated = [n for n in self.on(node_name) if n.priority >= priority]
            if nominated and row is not None:
                by_node[node_name] = row, nominated
            else:
                by_node.pop(node_name, None)
        counted = [*by_node.values()]
        own_rows = self.rows_of(pod, snapshot)
        if not own_rows:
            return counted
        shared = [entry for entry in counted if entry[0] in own_rows]
        rivals = [entry for entry in counted if entry[0] not in own_rows]
        for row, group in shared:
            others = [n for n in group if n.uid != pod.uid]
            if others:
                rivals.append((row, others))
        return rivals

    def rivals_on(self, pod: PodInfo, node_name: str) -> list[PodInfo]:
        nominated = self._on.get(node_name, ())
        return [n for n in nominated if n.priority >= pod.priority and n.uid != pod.uid]

    def rows_of(self, pod: PodInfo, snapshot: Snapshot) -> list[int]:
        nodes, row_of = self._nodes_of.get(pod.uid, ()), snapshot.row_of
        return [row_of[node_name] for node_name in nodes if node_name in row_of]
