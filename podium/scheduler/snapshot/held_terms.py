"""The affinity terms that pods on nodes hold, to be found by the pods that they are about."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from podium.scheduler.snapshot.affinity_terms import AffinityTerm, Kin, affinity_terms
from podium.scheduler.snapshot.domain_sums import DomainSum, DomainSums, label_marks, selector_marks
from podium.scheduler.snapshot.node_columns import LabelColumn
from podium.scheduler.snapshot.snapshot import Snapshot

REQUIRED_NEAR, REQUIRED_APART, PREFERRED_NEAR, PREFERRED_APART = range(4)


class HeldTerm(NamedTuple):
    """A term that pods hold, its namespaces not resolved."""

    kind: int
    term: AffinityTerm


class HeldTerms:
    """All terms held by pods on nodes, and how many pods of each domain hold them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.sums = DomainSums(snapshot, _marks)
        self._epoch = self._kins_read = -1
        self._begin()

    def all(self) -> Sequence[HeldTerm]:
        """The terms met so far, oldest first; only ever more until nodes change."""
        sums = self.sums
        sums.follow()
        if self._epoch != sums.epoch:
            self._begin()
        for kin in sums.known[self._kins_read :]:
            for held in dict.fromkeys(_held(kin)):
                if held not in self._met:
                    self._met.add(held)
                    marks = selector_marks(held.term.selector)
                    for mark in (None,) if marks is None else marks:
                        self._by_mark.setdefault(mark, []).append(len(self._listed))
                    self._listed.append(held)
        self._kins_read = len(sums.known)
        return self._listed

    def about(self, kin: Kin, around: Mapping[str, str], since: int = 0) -> list[HeldTerm]:
        """The terms that are about the pods of a kin.

        Args:
            since: only those of `all` from this place on.
        """
        terms = self.all()
        places: Iterable[int] = range(since, len(terms))
        if not since:
            marks = (None, *label_marks(kin))
            places = sorted({place for mark in marks for place in self._by_mark.get(mark, ())})
        return [terms[place] for place in places if terms[place].term.matches(kin, around)]

    def column(self, topology_key: str) -> LabelColumn:
        """The domains of a topology key."""
        return self._snapshot.columns.label(topology_key)

    def holders(self, held: HeldTerm) -> DomainSum:
        """How many of the pods of each domain hold a term."""
        column = self.column(held.term.topology_key)
        return self.sums.of(held, column, lambda kin: _held(kin).count(held), (held,))

    def _begin(self) -> None:
        self._epoch, self._kins_read = self.sums.epoch, 0
        self._listed: list[HeldTerm] = []
        self._met: set[HeldTerm] = set()
        self._by_mark: dict[Hashable, list[int]] = {}


def _held(kin: Kin) -> list[HeldTerm]:
    terms = affinity_terms(kin)
    if terms.is_empty:
        return []
    kinds = (
        terms.required_affinity,
        terms.required_anti_affinity,
        terms.preferred_affinity,
        terms.preferred_anti_affinity,
    )
    return [HeldTerm(kind, term) for kind, listed in enumerate(kinds) for term in listed]


def _marks(kin: Kin) -> Iterable[Hashable]:
    yield from label_marks(kin)
    yield from dict.fromkeys(_held(kin))
