"""InterPodAffinity: places pods near other pods, or apart from them.

Nodes are ruled out by the pod's required terms, and by required anti-affinity of pods on nodes.
Preferred terms, and required affinity of pods on nodes, score.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from podium.api.objects import Object, labels
from podium.scheduler.config.args import InterPodAffinityArgs
from podium.scheduler.framework.cluster_events import (
    Action,
    ClusterEvent,
    EventHint,
    EventResource,
    after_change,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import (
    FITS,
    MAX_NODE_SCORE,
    PASSES,
    FilterState,
    PreFilterResult,
    RelativeScore,
    Scope,
)
from podium.scheduler.framework.status import Status, rejection, unresolvable
from podium.scheduler.snapshot.affinity_terms import AffinityTerm, PeerGroup, with_known_namespaces
from podium.scheduler.snapshot.arrays import Codes, Rows, Scores, Sums
from podium.scheduler.snapshot.domain_sums import DomainSum, selector_marks
from podium.scheduler.snapshot.held_terms import (
    PREFERRED_APART,
    PREFERRED_NEAR,
    REQUIRED_APART,
    REQUIRED_NEAR,
    HeldTerm,
    HeldTerms,
)
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.log import Cursor
from podium.scheduler.snapshot.pod_classes import PodClass, PodClasses
from podium.scheduler.snapshot.pod_columns import ManyPods, looked_up
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Change

AFFINITY, ANTI_AFFINITY, EXISTING_ANTI_AFFINITY = -1, 1, 2

_REASONS = {
    AFFINITY: "node(s) didn't match pod affinity rules",
    ANTI_AFFINITY: "node(s) didn't match pod anti-affinity rules",
    EXISTING_ANTI_AFFINITY: "node(s) didn't satisfy existing pods anti-affinity rules",
}


class InterPodAffinity:
    """Applies affinity and anti-affinity between pods (PreFilter, Filter, Score)."""

    name = "InterPodAffinity"

    def __init__(self, handle: Handle, args: InterPodAffinityArgs) -> None:
        self._handle = handle
        self._args = args
        self._held = HeldTerms(handle.snapshot)

    def events_to_register(self) -> Sequence[EventHint]:
        of_pods = Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE
        of_nodes = Action.ADD | Action.UPDATE_NODE_LABEL
        return (
            EventHint(ClusterEvent(EventResource.ASSIGNED_POD, of_pods), self._helped_by_pod),
            after_change(EventResource.NODE, of_nodes, self._helped_by_node),
            after_change(EventResource.UNSCHEDULED_POD, Action.UPDATE_POD_LABEL),
        )

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        error = pod.cls.peer_group.terms.error
        return PreFilterResult(unresolvable(f"parsing pod: {error}")) if error else PASSES

    def filter(self, pod: PodInfo) -> FilterState:
        return _Filter(self._held, pod.cls.peer_group, self._handle.listers)

    def score(self, pod: PodInfo) -> RelativeScore | None:
        own = pod.cls.peer_group.terms
        has_preferences = bool(own.preferred_affinity or own.preferred_anti_affinity)
        if self._args.ignore_preferred_terms_of_existing_pods and not has_preferences:
            return None
        hard = self._args.hard_pod_affinity_weight
        return _Score(self._held, pod.cls.peer_group, self._handle.listers, hard)

    def _helped_by_pod(self, pod: PodInfo, old: Object | None, new: Object | None) -> bool:
        """Return whether a changed pod begins to match affinity or ceases to match anti-affinity.

        As v1.36, this misses a deletion after which no pod matches affinity, so that the first of a
        self-matching set fits anywhere, and an update by which a pod's own anti-affinity ends.
        """
        classes, own = self._handle.snapshot.classes, pod.cls.peer_group.terms
        if own.error:
            return True
        before, after = classes.on_node(old), classes.on_node(new)
        near, apart = own.required_affinity, own.required_anti_affinity
        if _all_match(near, after) and not _all_match(near, before):
            return True
        if _all_match(apart, before) and not _all_match(apart, after):
            return True
        if before is None or after is not None:
            return False
        return _all_match(before.peer_group.terms.required_anti_affinity, pod.cls)

    def _helped_by_node(self, pod: PodInfo, old: Object | None, new: Object) -> bool:
        """Return whether a node enters domains of required affinity or leaves anti-affinity's.

        Anti-affinity of pods on nodes isn't considered.
        """
        own, has = pod.cls.peer_group.terms, labels(new)
        near = {term.topology_key for term in own.required_affinity}
        apart = {term.topology_key for term in own.required_anti_affinity}
        if old is None:
            return bool(own.error or apart) or not near.isdisjoint(has)
        had = labels(old)
        entered = {key for key, value in has.items() if had.get(key) != value}
        left = {key for key, value in had.items() if has.get(key) != value}
        return bool(own.error) or not near.isdisjoint(entered) or not apart.isdisjoint(left)


def _all_match(terms: Sequence[AffinityTerm], other: PodClass | None) -> bool:
    """Return whether there are terms, and all of them select the pods of a class.

    As in hints of v1.36, namespace selectors are matched with no labels: only a selector of all
    namespaces, or one that requires the absence of labels, matches.
    """
    return other is not None and bool(terms) and all(t.matches(other.peer_group, {}) for t in terms)


class _Counts:
    def __init__(self, held: HeldTerms, peer_group: PeerGroup, listers: Listers) -> None:
        self.held = held
        self._peer_group = peer_group
        self._listers = listers
        self._new_terms: Cursor[HeldTerm] | None = None
        self._generation = -1

    def is_calm(self) -> bool:
        """Return whether no sum and no peer group has changed since the last call."""
        sums = self.held.sums
        sums.follow()
        before, self._generation = self._generation, sums.generation
        return before == sums.generation

    def matching(self, terms: Iterable[AffinityTerm]) -> list[DomainSum]:
        return [self.near([term], term.topology_key) for term in terms]

    def near(self, terms: Sequence[AffinityTerm], topology_key: str) -> DomainSum:
        resolved = with_known_namespaces(terms, self._listers)
        asked = tuple(
            (term.namespaces, term.namespace_selector, term.selector) for term in resolved
        )
        return self.held.sums.of(
            (topology_key, asked),
            self.held.column(topology_key),
            lambda other: int(all(term.matches(other, {}) for term in resolved)),
            selector_marks(resolved[0].selector),
        )

    def new_held(self) -> list[HeldTerm]:
        """Return terms of pods on nodes, new since the last call, that select the peer group."""
        self.held.follow()
        if self._new_terms is None:
            self._new_terms = self.held.terms.cursor()
            return self.held.about(
                self._peer_group, self._listers.namespace_labels(self._peer_group.namespace)
            )
        # The log restarts when nodes change; then this object's evaluation is replaced, too.
        terms = self._new_terms.new() or ()
        around = self._listers.namespace_labels(self._peer_group.namespace) if terms else {}
        return [held for held in terms if held.term.matches(self._peer_group, around)]


class _Filter(FilterState):
    plugin = InterPodAffinity.name
    scope = Scope.CLUSTER

    def __init__(self, held: HeldTerms, peer_group: PeerGroup, listers: Listers) -> None:
        self._counts = _Counts(held, peer_group, listers)
        own = peer_group.terms
        near = own.required_affinity
        self._near = [
            self._counts.near(near, key) for key in dict.fromkeys(t.topology_key for t in near)
        ]
        self._apart = self._counts.matching(own.required_anti_affinity)
        self._existing: list[DomainSum] = []
        self._has_new_terms = False
        self._has_terms = bool(near or self._apart)
        self._matches_itself = bool(near) and self._near[0].weigh(peer_group) != 0
        self._add_held_terms()
        self._state, self._has_new_terms = self._current(), False

    @property
    def width(self) -> int:  # type: ignore[override]
        return len(self._near) + len(self._apart) + len(self._existing)

    def register_classes(self, classes: Iterable[PodClass]) -> None:
        for cls in classes:
            self._counts.held.sums.register(cls.peer_group)
        self._add_held_terms()

    def weights(self, cls: PodClass) -> Sequence[int]:
        return [counted.weigh(cls.peer_group) for counted in self._all()]

    def weights_of(self, pods: ManyPods, classes: PodClasses) -> Sequence[NDArray[np.int64]]:
        peer_groups, counted = classes.peer_groups, self._all()
        return looked_up(
            len(counted),
            classes.peer_group_ids()[pods.ids],
            len(peer_groups),
            lambda number: [domain_sum.weigh(peer_groups[number]) for domain_sum in counted],
        )

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        if self._counts.is_calm() and not self._has_new_terms:
            return False
        self._add_held_terms()
        before, self._state = self._state, self._current()
        has_new, self._has_new_terms = self._has_new_terms, False
        if before == self._state and not has_new:
            return False
        self.changes += 1
        return has_new or before[1:] != self._state[1:]

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        codes = np.zeros(len(rows), np.int32)
        if not self._is_concerned:
            return codes
        near, apart = len(self._near), len(self._near) + len(self._apart)
        _mark(codes, self._existing, rows, extra[apart:], EXISTING_ANTI_AFFINITY)
        _mark(codes, self._apart, rows, extra[near:apart], ANTI_AFFINITY)
        if self._near:
            refused, alone = np.zeros((2, len(rows)), bool)
            met = np.full(len(rows), sum(counted.nonzero for counted in self._near))
            for number, counted in enumerate(self._near):
                sums, has_label = counted.of(rows), counted.has(rows)
                refused |= ~has_label
                if extra:
                    after = sums + np.where(has_label, extra[number], 0)
                    met += (after != 0).astype(np.int64) - (sums != 0)
                    sums = after
                alone |= sums <= 0
            if self._matches_itself:
                # The first pod of a set with affinity to itself may be placed anywhere.
                alone &= met != 0
            codes[refused | alone] = AFFINITY
        return codes

    def all_codes(self, node_count: int) -> Codes:
        if not self._is_concerned:
            return np.zeros(node_count, np.int32)
        return self.codes(np.arange(node_count))

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        return super().code(row, extra) if self._is_concerned else FITS

    def status(self, row: int, code: int) -> Status:
        return rejection(code, _REASONS[code])

    @property
    def _is_concerned(self) -> bool:
        """Whether PreFilter wouldn't skip the plugin; if skipped, nominated pods don't count."""
        return self._has_terms or any(counted.nonzero for counted in self._existing)

    def _all(self) -> list[DomainSum]:
        return [*self._near, *self._apart, *self._existing]

    def _add_held_terms(self) -> None:
        for held in self._counts.new_held():
            if held.kind == REQUIRED_APART:
                holders = self._counts.held.holders(held)
                self._existing.append(holders)
                self._has_new_terms |= holders.nonzero != 0

    def _current(self) -> tuple[int, int, bool]:
        counted = self._all()
        return (
            sum([domain_sum.changes for domain_sum in counted]),
            sum([domain_sum.crossings for domain_sum in counted]),
            self._is_concerned,
        )


def _mark(codes: Codes, counts: Sequence[DomainSum], rows: Rows, extra: Sums, code: int) -> None:
    for number, counted in enumerate(counts):
        here = counted.of(rows)
        if extra:
            here = here + np.where(counted.has(rows), extra[number], 0)
        codes[here > 0] = code


class _Score(RelativeScore):
    plugin = InterPodAffinity.name

    def __init__(
        self, held: HeldTerms, peer_group: PeerGroup, listers: Listers, hard_weight: int
    ) -> None:
        self._counts = _Counts(held, peer_group, listers)
        self._hard_weight = hard_weight
        own = peer_group.terms
        self._weighed = [
            (counted, sign * term.weight)
            for sign, terms in ((1, own.preferred_affinity), (-1, own.preferred_anti_affinity))
            for term, counted in zip(terms, self._counts.matching(terms), strict=True)
        ]
        self._has_new_terms = False
        self._add_held_terms()
        self._changes = self._count_changes()

    @property
    def is_idle(self) -> bool:
        return not any(counted.nonzero for counted, _ in self._weighed)

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        if self._counts.is_calm() and not self._has_new_terms:
            return False
        self._add_held_terms()
        before, self._changes = self._changes, self._count_changes()
        has_new, self._has_new_terms = self._has_new_terms, False
        return has_new or before != self._changes

    def scores(self, feasible: Rows) -> Scores:
        if self.is_idle:
            return np.zeros(len(feasible), np.int64)
        by_domains: dict[int, tuple[DomainSum, Scores]] = {}
        for counted, weight in self._weighed:
            first, sums = by_domains.get(id(counted.codes), (counted, None))
            weighed = counted.sums * weight
            by_domains[id(counted.codes)] = first, weighed if sums is None else sums + weighed
        of_rows = [sums[first.codes[feasible]] for first, sums in by_domains.values()]
        raw = sum(of_rows[1:], of_rows[0])
        least = raw.min()
        spread = raw.max() - least
        if not spread:
            return np.zeros(len(feasible), np.int64)
        share: Scores = (MAX_NODE_SCORE * ((raw - least) / spread)).astype(np.int64)
        return share

    def _add_held_terms(self) -> None:
        for held in self._counts.new_held():
            factor = {
                REQUIRED_NEAR: self._hard_weight,
                REQUIRED_APART: 0,
                PREFERRED_NEAR: held.term.weight,
                PREFERRED_APART: -held.term.weight,
            }[held.kind]
            if factor:
                self._weighed.append((self._counts.held.holders(held), factor))
                self._has_new_terms = True

    def _count_changes(self) -> int:
        return sum([counted.changes for counted, _ in self._weighed])
