"""Results that depend on nodes and a key alone, such as a list of tolerations."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from podium.api.process.recent_values import Recent
from podium.scheduler.snapshot.snapshot import Snapshot

V = TypeVar("V")

# A value may have a column or two as long as the cluster.
COUNT_MAX = 256


class PerNodes(Generic[V]):
    """Values by key, for as long as no node changes for scheduling; those that were used last."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._epoch = -1
        self._values: Recent[Hashable, tuple[V]] = Recent(COUNT_MAX)

    def of(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of a key, which is all that it depends on besides the nodes."""
        if self._epoch != self._snapshot.node_epoch:
            self._epoch = self._snapshot.node_epoch
            self._values = Recent(COUNT_MAX)
        kept = self._values.get(key)
        if kept is None:
            kept = (make(),)
            self._values.put(key, kept)
        return kept[0]
