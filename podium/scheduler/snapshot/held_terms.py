"""The affinity terms of pods on nodes, indexed by the pods that they select."""

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

from podium.scheduler.snapshot.affinity_terms import AffinityTerm, PeerGroup
from podium.scheduler.snapshot.domain_sums import DomainSum, DomainSums, label_marks, selector_marks
from podium.scheduler.snapshot.log import Log
from podium.scheduler.snapshot.node_columns import NodeColumn
from podium.scheduler.snapshot.snapshot import Snapshot

REQUIRED_NEAR, REQUIRED_APART, PREFERRED_NEAR, PREFERRED_APART = range(4)


class HeldTerm(NamedTuple):
    """An affinity term of pods on nodes; its namespace selector isn't resolved."""

    kind: int
    term: AffinityTerm


class HeldTerms:
    """All affinity terms of pods on nodes; the log `terms` restarts when nodes change."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.sums = DomainSums(snapshot, _marks)
        self.terms: Log[HeldTerm] = Log()
        self._new_groups = self.sums.peer_groups.cursor()
        self._by_mark: dict[Hashable, dict[HeldTerm, None]] = {}
        self._take_in(self.sums.peer_groups.entries)

    def follow(self) -> None:
        self.sums.follow()
        peer_groups = self._new_groups.new()
        if peer_groups is None:
            self.terms.restart()
            self._by_mark.clear()
        self._take_in(self.sums.peer_groups.entries if peer_groups is None else peer_groups)

    def about(self, peer_group: PeerGroup, namespace_labels: Mapping[str, str]) -> list[HeldTerm]:
        marks = (None, *label_marks(peer_group))
        terms = dict.fromkeys(held for mark in marks for held in self._by_mark.get(mark, ()))
        return [held for held in terms if held.term.matches(peer_group, namespace_labels)]

    def column(self, topology_key: str) -> NodeColumn:
        return self._snapshot.columns.label(topology_key)

    def holders(self, held: HeldTerm) -> DomainSum:
        column = self.column(held.term.topology_key)
        return self.sums.of(held, column, lambda peer_group: _held(peer_group).count(held), (held,))

    def _take_in(self, peer_groups: Iterable[PeerGroup]) -> None:
        for held in (held for peer_group in peer_groups for held in _held(peer_group)):
            marks = selector_marks(held.term.selector)
            marks = (None,) if marks is None else marks
            if marks and held not in self._by_mark.setdefault(marks[0], {}):
                self.terms.append(held)
                for mark in marks:
                    self._by_mark.setdefault(mark, {})[held] = None


def _held(peer_group: PeerGroup) -> list[HeldTerm]:
    terms = peer_group.terms
    if terms.is_empty:
        return []
    kinds = (
        terms.required_affinity,
        terms.required_anti_affinity,
        terms.preferred_affinity,
        terms.preferred_anti_affinity,
    )
    return [HeldTerm(kind, term) for kind, listed in enumerate(kinds) for term in listed]


def _marks(peer_group: PeerGroup) -> Iterable[Hashable]:
    yield from label_marks(peer_group)
    yield from dict.fromkeys(_held(peer_group))
