"""Which pods are alike to all others: no rule about other pods tells them apart."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial

from podium.scheduler.snapshot.affinity_terms import Kin, affinity_terms, with_known_namespaces
from podium.scheduler.snapshot.listers import Listers
from podium.whatif.optimum.problem import Demand


class Likeness:
    """Compares kins by the rules that mean them; one with rules of its own is like no other.

    Args:
        demands: whose rules count.
        kins: of the pods on nodes, whose anti-affinity counts.
        listers: know namespaces.
    """

    def __init__(self, demands: Sequence[Demand], kins: Iterable[Kin], listers: Listers) -> None:
        own = {demand.cls.kin for demand in demands}
        terms = {
            term: None
            for kin in sorted({*own, *kins}, key=lambda one: one.id)
            for term in (
                *affinity_terms(kin).required_anti_affinity,
                *(affinity_terms(kin).required_affinity if kin in own else ()),
            )
        }
        self._rules: list[Callable[[Kin], object]] = [
            partial(term.matches, namespace_labels={})
            for term in with_known_namespaces(terms, listers)
        ]
        self._rules += [
            partial(spread.constraint.meets, demand.cls.kin)
            for demand in demands
            for spread in demand.spreads
        ]
        self._known: dict[Kin, Hashable] = {}

    def of(self, kin: Kin) -> Hashable:
        """Equal for kins that are alike."""
        if kin not in self._known:
            terms = affinity_terms(kin)
            has_rules = terms.required_affinity or terms.required_anti_affinity
            self._known[kin] = kin if has_rules else tuple(meant(kin) for meant in self._rules)
        return self._known[kin]
