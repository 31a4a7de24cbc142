"""Counts of a cluster's nodes, and of its pods by state."""

from collections import Counter

import msgspec

from podium.api.objects import Object
from podium.api.pods import shown_phase
from podium.api.policy.disruption_target import EVICTED, LOST, PREEMPTED, cause_of
from podium.apiserver.store.errors import ExpiredError
from podium.apiserver.store.store import Store


class ClusterCounts(msgspec.Struct, frozen=True):
    """Numbers of nodes and pods, and of pods disrupted since the process started.

    Attributes:
        pending: pods without a node.
        starting: pods with a node, in the phase Pending.
        lost: pods that their node stopped, or whose node is gone.
    """

    nodes: int
    pending: int
    starting: int
    running: int
    preempted: int
    evicted: int
    lost: int


class ClusterCounter:
    """Counts nodes and pods, and keeps the counts up to date by watches of the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._disrupted: Counter[str] = Counter()
        self._begin()

    def counts(self) -> ClusterCounts:
        try:
            for event in self._pods.take():
                before, after = event.previous, event.obj
                if before is not None:
                    self._states[shown_phase(before)] -= 1
                if event.type != "DELETED":
                    self._states[shown_phase(after)] += 1
                disruption = _disruption(after)
                # A pod with a second reason to go counts once.
                if disruption and (before is None or not _disruption(before)):
                    self._disrupted[disruption] += 1
            for event in self._node_events.take():
                self._nodes += {"ADDED": 1, "DELETED": -1}.get(event.type, 0)
        except ExpiredError:
            self._begin()
        return ClusterCounts(
            self._nodes,
            self._states["Pending"],
            self._states["Starting"],
            self._states["Running"],
            self._disrupted[PREEMPTED],
            self._disrupted[EVICTED],
            self._disrupted[LOST],
        )

    def _begin(self) -> None:
        self._states = Counter(map(shown_phase, self._store.list("Pod").items))
        self._nodes = len(self._store.list("Node").items)
        self._pods, self._node_events = (
            self._store.watch(kind, from_revision=self._store.revision) for kind in ("Pod", "Node")
        )


def _disruption(pod: Object) -> str:
    cause = cause_of(pod)
    return "" if cause is None else cause.group
