"""Counts of a cluster's nodes, and of its pods by state."""

from collections import Counter

import msgspec

from podium.api.objects import Object
from podium.api.pods import is_finished, phase_of
from podium.api.policy.disruption_target import PREEMPTED, cause_of
from podium.apiserver.store.errors import ExpiredError
from podium.apiserver.store.store import Store


class ClusterCounts(msgspec.Struct, frozen=True):
    """Numbers of nodes and pods, and of pods preempted and evicted since the process started."""

    nodes: int
    pending: int
    running: int
    preempted: int
    evicted: int


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
                    self._states[_state(before)] -= 1
                if event.type != "DELETED":
                    self._states[_state(after)] += 1
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
            self._states["Running"],
            self._disrupted[PREEMPTED],
            self._disrupted.total() - self._disrupted[PREEMPTED],
        )

    def _begin(self) -> None:
        self._states = Counter(map(_state, self._store.list("Pod").items))
        self._nodes = len(self._store.list("Node").items)
        self._pods, self._node_events = (
            self._store.watch(kind, from_revision=self._store.revision) for kind in ("Pod", "Node")
        )


def _state(pod: Object) -> str:
    if is_finished(pod):
        return "Finished"
    return "Running" if phase_of(pod) == "Running" else "Pending"


def _disruption(pod: Object) -> str:
    cause = cause_of(pod)
    return "" if cause is None else cause.group
