"""Terminating pods are gone when their grace is over, unless nobody on their node can know."""

import math

from podium.api.values.times import parse_time
from podium.apiserver.store.history import WatchEvent
from podium.cluster.virtual import Cluster
from tests.simulation.runner.checkers.checker import (
    Checker,
    Object,
    is_terminating,
    node_of,
    uid_of,
)

_DOWN = "podium.dev/down"
# SimulatedKubelets count from when they hear of it, and deletion timestamps are whole seconds.
_ROUNDING_S = 1.0


class Endings(Checker):
    """Remembers who is to go by when, and since when each node is heard of."""

    def __init__(self, cluster: Cluster, patience_s: float) -> None:
        super().__init__(cluster, patience_s)
        self._terminating: dict[str, Object] = {}
        self._up_since_s: dict[str, float] = dict.fromkeys(self.nodes, 0.0)

    def node_changed(self, event: WatchEvent) -> None:
        before = self.nodes.get(event.name)
        if _is_up(event.obj) and event.type != "DELETED":
            if before is None or not _is_up(before):
                self._up_since_s[event.name] = self.now_s
        else:
            self._up_since_s.pop(event.name, None)

    def pod_changed(self, event: WatchEvent) -> None:
        uid = uid_of(event.obj)
        if event.type == "DELETED":
            pod = self._terminating.pop(uid, None)
            if pod is not None:
                self._check(pod)
        elif is_terminating(event.obj) and _grace_s(event.obj):
            # The last write before a pod goes says 0 instead of what it was granted.
            self._terminating[uid] = event.obj

    def at_rest(self) -> None:
        for pod in self._terminating.values():
            self._check(pod)

    def _check(self, pod: Object) -> None:
        due_s = self._due_s(pod) + _ROUNDING_S + self.patience_s
        metadata = pod["metadata"]
        late_s = self.now_s - due_s
        assert late_s <= 0, f"{metadata['name']} outlives its grace by {late_s:g} s: {metadata}"

    def _due_s(self, pod: Object) -> float:
        metadata = pod["metadata"]
        by_itself_s = parse_time(metadata["deletionTimestamp"]) / 1e9
        if not node_of(pod):
            return by_itself_s
        up_since_s = self._up_since_s.get(node_of(pod), math.inf)
        return max(by_itself_s, up_since_s + _grace_s(pod))


def _grace_s(pod: Object) -> int:
    return int(pod["metadata"].get("deletionGracePeriodSeconds") or 0)


def _is_up(node: Object) -> bool:
    return (node["metadata"].get("annotations") or {}).get(_DOWN) != "true"
