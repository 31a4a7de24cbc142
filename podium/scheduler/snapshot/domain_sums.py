"""Sums over the pods of each topology domain, shared by all classes and kept up to date."""

from collections.abc import Callable, Hashable, Iterable
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from podium.api.process.recent_values import Recent
from podium.api.selectors.labels import Selector
from podium.scheduler.snapshot.affinity_terms import Mark, PeerGroup
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.log import Log
from podium.scheduler.snapshot.node_columns import ABSENT, NodeColumn
from podium.scheduler.snapshot.snapshot import Snapshot

Weigh = Callable[[PeerGroup], int]
Marks = tuple[Hashable, ...]

# Unused sums are forgotten when there are more than this many, and more than twice
# as many as were left the last time.
SUMS_MIN = 512


class DomainSum:
    """For each domain of one topology key, a sum over the pods in it."""

    __slots__ = (
        "__weakref__",
        "_codes_at",
        "_sums_at",
        "changes",
        "codes",
        "crossings",
        "marks",
        "nonzero",
        "sums",
        "weigh",
    )

    def __init__(
        self, codes: NDArray[np.int32], size: int, weigh: Weigh, marks: Marks | None
    ) -> None:
        self.codes = codes
        """int32[nodes], the domain of each row; `ABSENT` if the row's pods don't count."""
        self.sums = np.zeros(size + 1, np.int64)
        """int64[domains + 1]; the last one is for `ABSENT`, and always 0."""
        self.nonzero = self.changes = self.crossings = 0
        """The numbers of domains whose sum isn't 0, of changes of sums, and of changes by which a
        sum became positive, or ceased to be positive."""
        self.weigh = weigh
        """Returns what a pod of a peer group adds."""
        self.marks = marks
        """Every peer group that adds something has one of these; None if any group may add."""
        self._codes_at = codes.data
        self._sums_at = self.sums.data

    def start(self, by_row: NDArray[np.int64]) -> None:
        np.add.at(self.sums, self.codes, by_row)
        self.sums[ABSENT] = 0
        self.nonzero = int(np.count_nonzero(self.sums))

    def add(self, row: int, amount: int) -> None:
        code = self._codes_at[row]
        if code == ABSENT:
            return
        before = self._sums_at[code]
        after = self._sums_at[code] = before + amount
        self.changes += 1
        self.nonzero += (after != 0) - (before != 0)
        self.crossings += (after > 0) != (before > 0)

    def of(self, rows: Rows) -> NDArray[np.int64]:
        """Return the sums of the rows' domains, int64[n]; 0 for rows whose pods don't count."""
        return self.sums[self.codes[rows]]

    def has(self, rows: Rows) -> NDArray[np.bool_]:
        present: NDArray[np.bool_] = self.codes[rows] != ABSENT
        return present


class DomainSums:
    """All domain sums, by keys of their users."""

    def __init__(
        self, snapshot: Snapshot, marks_of: Callable[[PeerGroup], Iterable[Hashable]]
    ) -> None:
        self._snapshot = snapshot
        self._marks_of = marks_of
        self._changes = snapshot.log.cursor()
        self.generation = 0
        """Raised when a pod changes a sum, or a peer group is registered."""
        self.peer_groups: Log[PeerGroup] = Log()
        """All registered groups, including those that have or had pods on nodes; restarts when
        nodes change, as all sums do."""
        self._begin()

    def follow(self) -> None:
        changes = self._changes.new()
        if changes is None or self._node_epoch != self._snapshot.node_epoch:
            self._begin()
            return
        for row, cls, sign in changes:
            counting = self._sums_of_group.get(cls.peer_group.id)
            if counting is None:
                counting = self.register(cls.peer_group)
            if counting:
                self.generation += 1
                for domain_sum, weight in counting:
                    domain_sum.add(row, sign * weight)

    def register(self, peer_group: PeerGroup) -> list[tuple[DomainSum, int]]:
        """Register a peer group, even if no pod of it is on a node; return its weight by sum."""
        counting = self._sums_of_group.get(peer_group.id)
        if counting is None:
            self.peer_groups.append(peer_group)
            self.generation += 1
            marks = (None, *self._marks_of(peer_group))
            for mark in marks:
                self._groups_by_mark.setdefault(mark, []).append(peer_group)
            counting = self._sums_of_group[peer_group.id] = self._weighed(peer_group, marks)
        return counting

    def of(self, key: Hashable, column: NodeColumn, weigh: Weigh, marks: Marks | None) -> DomainSum:
        """Return the sum for a key; equal keys must have equal other arguments."""
        self.follow()
        domain_sum = self._sums.get(key)
        if domain_sum is None:
            if len(self._sums) > self._crowd:
                self._forget_unused()
            domain_sum = DomainSum(column.codes, len(column.values), weigh, marks)
            weights = np.zeros(len(self._snapshot.classes.peer_groups), np.int64)
            for mark in (None,) if marks is None else marks:
                self._by_mark.setdefault(mark, []).append(domain_sum)
                for peer_group in self._groups_by_mark.get(mark, ()):
                    if not weights[peer_group.id] and (weight := weigh(peer_group)):
                        weights[peer_group.id] = weight
                        self._sums_of_group[peer_group.id].append((domain_sum, weight))
            if weights.any():
                peer_groups = self._snapshot.pods.peer_groups
                domain_sum.start(self._snapshot.sum_by_row(weights, peer_groups))
            self._sums[key] = domain_sum
        self._recent.put(key, domain_sum)
        return domain_sum

    def _begin(self) -> None:
        snapshot = self._snapshot
        self._node_epoch = snapshot.node_epoch
        self._crowd = SUMS_MIN
        self._sums: WeakValueDictionary[Hashable, DomainSum] = WeakValueDictionary()
        self._recent: Recent[Hashable, DomainSum] = Recent(SUMS_MIN)
        self._by_mark: dict[Hashable, list[DomainSum]] = {}
        self._sums_of_group: dict[int, list[tuple[DomainSum, int]]] = {}
        self._groups_by_mark: dict[Hashable, list[PeerGroup]] = {}
        self.peer_groups.restart()
        on_nodes = np.bincount(snapshot.pods.peer_groups[snapshot.pods.rows >= 0])
        for number in np.flatnonzero(on_nodes).tolist():
            self.register(snapshot.classes.peer_groups[number])

    def _weighed(
        self, peer_group: PeerGroup, marks: Iterable[Hashable]
    ) -> list[tuple[DomainSum, int]]:
        sums = {id(s): s for mark in marks for s in self._by_mark.get(mark, ())}.values()
        return [(counted, weight) for counted in sums if (weight := counted.weigh(peer_group))]

    def _forget_unused(self) -> None:
        self._by_mark.clear()
        self._sums_of_group = {number: [] for number in self._sums_of_group}
        for left in list(self._sums.values()):
            for mark in (None,) if left.marks is None else left.marks:
                self._by_mark.setdefault(mark, []).append(left)
        for peer_group in self.peer_groups.entries:
            self._sums_of_group[peer_group.id] = self._weighed(
                peer_group, (None, *self._marks_of(peer_group))
            )
        self._crowd = max(SUMS_MIN, 2 * len(self._sums))


def label_marks(peer_group: PeerGroup) -> Iterable[Mark]:
    """Return the labels of a peer group in the form of `selector_marks`."""
    return peer_group.labels.items()


def selector_marks(selector: Selector) -> Marks | None:
    """Return labels of which each selected pod has at least one; None if none are known."""
    if selector.matches_nothing:
        return ()
    for requirement in selector.requirements:
        if requirement.operator == "In":
            return tuple((requirement.key, value) for value in dict.fromkeys(requirement.values))
    return None
