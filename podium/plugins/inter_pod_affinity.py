"""InterPodAffinity: pods that want to be near others, or apart from them.

Required terms rule nodes out, those of the pod itself as well as the anti-affinity of pods that
are there already. Preferred terms, and the required affinity of pods that are there, score.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from podium.api.objects import Object, labels
from podium.config.args import InterPodAffinityArgs
from podium.core.affinity_terms import (
    AffinityTerm,
    AffinityTerms,
    affinity_terms,
    with_known_namespaces,
)
from podium.core.cluster_events import Action, ClusterEvent, EventHint, EventResource
from podium.core.domain_sums import DomainSums
from podium.core.framework import (
    FITS,
    MAX_NODE_SCORE,
    PASSES,
    Codes,
    FilterState,
    PreFilterResult,
    RelativeScore,
    Rows,
    Scope,
    Scores,
    Sums,
)
from podium.core.handle import Handle
from podium.core.hints import after_change, class_on_node
from podium.core.pod_classes import PerClass, PodClass
from podium.core.pods import PodInfo
from podium.core.status import Status, rejection, unresolvable

_NOTHING: Mapping[str, int] = {}
_THEIRS = -1

AFFINITY, ANTI_AFFINITY, EXISTING_ANTI_AFFINITY = -1, 1, 2

_REASONS = {
    AFFINITY: "node(s) didn't match pod affinity rules",
    ANTI_AFFINITY: "node(s) didn't match pod anti-affinity rules",
    EXISTING_ANTI_AFFINITY: "node(s) didn't satisfy existing pods anti-affinity rules",
}


class InterPodAffinity:
    """Keeps pods near to, or away from, others (PreFilter, Filter, Score)."""

    name = "InterPodAffinity"

    def __init__(self, handle: Handle, args: InterPodAffinityArgs) -> None:
        self._handle = handle
        self._args = args
        self._terms = PerClass(handle.snapshot.classes, affinity_terms)
        # Numbers of classes: who held the classes would keep them from being forgotten.
        self._with_terms: list[int] = []
        self._seen = 0
        self._epoch = handle.snapshot.classes.epoch
        self._avoided: set[str] = set()

    def events_to_register(self) -> Sequence[EventHint]:
        of_pods = Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE
        of_nodes = Action.ADD | Action.UPDATE_NODE_LABEL
        return (
            EventHint(ClusterEvent(EventResource.ASSIGNED_POD, of_pods), self._helped_by_pod),
            after_change(EventResource.NODE, of_nodes, self._helped_by_node),
            after_change(EventResource.UNSCHEDULED_POD, Action.UPDATE_POD_LABEL),
        )

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        """Refuse a pod whose terms can't be read."""
        error = self._terms_of(pod.cls).error
        return PreFilterResult(unresolvable(f"parsing pod: {error}")) if error else PASSES

    def filter(self, pod: PodInfo) -> FilterState:
        """Judge nodes by required terms."""
        return _Filter(self, pod.cls)

    def score(self, pod: PodInfo) -> RelativeScore | None:
        """Score nodes by preferred terms."""
        own = self._terms_of(pod.cls)
        has_preferences = bool(own.preferred_affinity or own.preferred_anti_affinity)
        if self._args.ignore_preferred_terms_of_existing_pods and not has_preferences:
            return None
        among = self._all_classes() if has_preferences else self._classes_with_terms()
        return _Score(DomainSums(self._handle.snapshot, self._preferences(pod.cls), among))

    def _terms_of(self, cls: PodClass) -> AffinityTerms:
        return self._terms.of(cls)

    def _all_classes(self) -> list[PodClass]:
        return list(self._handle.snapshot.classes)

    def _classes_with_terms(self) -> list[PodClass]:
        self._keep_up()
        return [*map(self._handle.snapshot.classes.__getitem__, self._with_terms)]

    def _keep_up(self) -> None:
        """Take note of new classes."""
        classes = self._handle.snapshot.classes
        if self._epoch != classes.epoch:
            self._epoch, self._seen, self._with_terms = classes.epoch, 0, []
        for number in range(self._seen, len(classes)):
            terms = self._terms_of(classes[number])
            if not terms.is_empty:
                self._with_terms.append(number)
                self._avoided.update(term.topology_key for term in terms.required_anti_affinity)
        self._seen = len(classes)

    def _helped_by_pod(self, pod: PodInfo, old: Object | None, new: Object | None) -> bool:
        """Whether a pod on a node has become one to be near, or keeps apart no more."""
        classes = self._handle.snapshot.classes
        before, after = class_on_node(classes, old), class_on_node(classes, new)
        was_near, is_near = self._seeks(pod.cls, before), self._seeks(pod.cls, after)
        if was_near != is_near and (is_near or self._seeks(pod.cls, pod.cls)):
            return True
        return bool(self._repulsions(pod.cls, before) - self._repulsions(pod.cls, after))

    def _helped_by_node(self, pod: PodInfo, old: Object | None, new: Object) -> bool:
        """Whether a node has come into other domains that matter."""
        near = {term.topology_key for term in self._terms_of(pod.cls).required_affinity}
        has = labels(new)
        if old is None:
            return not near or not near.isdisjoint(has)
        self._keep_up()
        lost = {key for key, value in labels(old).items() if has.get(key) != value}
        gained = has.keys() - labels(old).keys()
        return not near.isdisjoint(lost | gained) or not self._avoided.isdisjoint(lost)

    def _seeks(self, cls: PodClass, other: PodClass | None) -> bool:
        """Whether pods of one class are to be near those of another."""
        terms = self._resolved(self._terms_of(cls).required_affinity)
        if other is None or not terms:
            return False
        return all(term.matches(other, {}) for term in terms)

    def _repulsions(self, cls: PodClass, other: PodClass | None) -> set[int]:
        """What keeps pods of two classes apart: the first's terms by number, or `_THEIRS`."""
        if other is None:
            return set()
        own = self._resolved(self._terms_of(cls).required_anti_affinity)
        found = {number for number, term in enumerate(own) if term.matches(other, {})}
        around = self._handle.listers.namespace_labels(cls.namespace)
        if any(t.matches(cls, around) for t in self._terms_of(other).required_anti_affinity):
            found.add(_THEIRS)
        return found

    def _resolved(self, terms: Iterable[AffinityTerm]) -> tuple[AffinityTerm, ...]:
        return with_known_namespaces(terms, self._handle.listers)

    def _own_affinity(self, cls: PodClass) -> "_OwnAffinity":
        terms = self._resolved(self._terms_of(cls).required_affinity)
        keys = Counter(term.topology_key for term in terms)

        def weigh(other: PodClass) -> Mapping[str, int]:
            return keys if all(term.matches(other, {}) for term in terms) else _NOTHING

        among = self._all_classes() if terms else []
        sums = DomainSums(self._handle.snapshot, weigh if terms else lambda _: _NOTHING, among)
        return _OwnAffinity(sums, list(keys), matches_self=weigh(cls) is keys)

    def _own_anti_affinity(self, cls: PodClass) -> DomainSums:
        terms = self._resolved(self._terms_of(cls).required_anti_affinity)

        def weigh(other: PodClass) -> Mapping[str, int]:
            if not terms:
                return _NOTHING
            return Counter(term.topology_key for term in terms if term.matches(other, {}))

        return DomainSums(self._handle.snapshot, weigh, self._all_classes() if terms else [])

    def _existing_anti_affinity(self, cls: PodClass) -> DomainSums:
        around = self._handle.listers.namespace_labels(cls.namespace)

        def weigh(other: PodClass) -> Mapping[str, int]:
            terms = self._terms_of(other).required_anti_affinity
            if not terms:
                return _NOTHING
            return Counter(term.topology_key for term in terms if term.matches(cls, around))

        return DomainSums(self._handle.snapshot, weigh, self._classes_with_terms())

    def _preferences(self, cls: PodClass) -> "_Preferences":
        own = self._terms_of(cls)
        return _Preferences(
            self,
            cls,
            self._resolved(own.preferred_affinity),
            self._resolved(own.preferred_anti_affinity),
        )

    @property
    def _hard_weight(self) -> int:
        return self._args.hard_pod_affinity_weight


class _OwnAffinity:
    """The required affinity of the incoming pods."""

    def __init__(self, sums: DomainSums, keys: Sequence[str], *, matches_self: bool) -> None:
        self.sums = sums
        self.matches_self = matches_self
        self._numbers = [sums.number_of(key) for key in keys]

    def refused(self, rows: Rows, extra: Sums) -> np.ndarray:
        """Which rows don't do, bool[n]."""
        refused = np.zeros(len(rows), bool)
        alone = np.zeros(len(rows), bool)
        met = np.full(len(rows), self.sums.nonzero)
        for number in self._numbers:
            sums = self.sums.of(number, rows)
            has_label = self.sums.has(number, rows)
            refused |= ~has_label
            if extra:
                after = sums + np.where(has_label, extra[number], 0)
                met += (after != 0).astype(np.int64) - (sums != 0)
                sums = after
            alone |= sums <= 0
        if self.matches_self:
            # The first of pods that want to be near each other may go anywhere.
            alone &= met != 0
        return refused | alone


class _Filter(FilterState):
    plugin = InterPodAffinity.name
    scope = Scope.CLUSTER

    def __init__(self, owner: InterPodAffinity, cls: PodClass) -> None:
        self._near = owner._own_affinity(cls)
        self._apart = owner._own_anti_affinity(cls)
        self._existing = owner._existing_anti_affinity(cls)
        terms = owner._terms_of(cls)
        self._has_terms = bool(terms.required_affinity or terms.required_anti_affinity)
        self._has_affinity = bool(terms.required_affinity)
        self._followed = [self._existing]
        if self._has_terms:
            self._followed += [self._near.sums, self._apart]

    @property
    def width(self) -> int:  # type: ignore[override]
        """One sum a topology key and kind of terms."""
        return len(self._near.sums) + len(self._apart) + len(self._existing)

    def weights(self, cls: PodClass) -> Sequence[int]:
        return (
            *self._near.sums.padded_weights(cls),
            *self._apart.padded_weights(cls),
            *self._existing.padded_weights(cls),
        )

    def ignores(self, cls: PodClass) -> bool:
        return not any(any(sums.weights(cls)) for sums in self._followed)

    def pod_changed(self, row: int, cls: PodClass, sign: int) -> bool:
        was_concerned = self._is_concerned
        changed = crossed = False
        for sums in self._followed:
            if sums.change(row, cls, sign):
                changed = True
                crossed |= sums.crossed
        self.changes += changed
        return crossed or was_concerned != self._is_concerned

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        codes = np.zeros(len(rows), np.int32)
        if not self._is_concerned:
            return codes
        near, apart = len(self._near.sums), len(self._near.sums) + len(self._apart)
        codes[_crowded(self._existing, rows, extra[apart:])] = EXISTING_ANTI_AFFINITY
        codes[_crowded(self._apart, rows, extra[near:apart])] = ANTI_AFFINITY
        if self._has_affinity:
            codes[self._near.refused(rows, extra[:near])] = AFFINITY
        return codes

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        return super().code(row, extra) if self._is_concerned else FITS

    def status(self, row: int, code: int) -> Status:
        return rejection(code, _REASONS[code])

    @property
    def _is_concerned(self) -> bool:
        """If not, PreFilter skips the plugin; not even nominated pods are looked at then."""
        return self._has_terms or self._existing.nonzero != 0


def _crowded(sums: DomainSums, rows: Rows, extra: Sums) -> np.ndarray:
    """Rows in a domain with pods to stay apart from, bool[n]."""
    crowded = np.zeros(len(rows), bool)
    for number in range(len(sums)):
        here = sums.of(number, rows)
        if extra:
            here = here + np.where(sums.has(number, rows), extra[number], 0)
        crowded |= here > 0
    return crowded


class _Preferences:
    """What a pod that is there adds to the score of its domains, by topology key."""

    def __init__(
        self,
        owner: InterPodAffinity,
        cls: PodClass,
        near: Sequence[AffinityTerm],
        apart: Sequence[AffinityTerm],
    ) -> None:
        self._owner = owner
        self._cls = cls
        self._near = near
        self._apart = apart
        self._around = owner._handle.listers.namespace_labels(cls.namespace)

    def __call__(self, other: PodClass) -> Mapping[str, int]:
        theirs = self._owner._terms_of(other)
        if theirs.is_empty and not self._near and not self._apart:
            return _NOTHING
        weights: Counter[str] = Counter()
        for sign, own_terms in ((1, self._near), (-1, self._apart)):
            for term in own_terms:
                if term.matches(other, {}):
                    weights[term.topology_key] += sign * term.weight
        hard = self._owner._hard_weight
        for term in theirs.required_affinity if hard else ():
            self._add(weights, term, hard)
        for term in theirs.preferred_affinity:
            self._add(weights, term, term.weight)
        for term in theirs.preferred_anti_affinity:
            self._add(weights, term, -term.weight)
        return weights

    def _add(self, weights: Counter[str], term: AffinityTerm, weight: int) -> None:
        if term.matches(self._cls, self._around):
            weights[term.topology_key] += weight


class _Score(RelativeScore):
    plugin = InterPodAffinity.name

    def __init__(self, sums: DomainSums) -> None:
        self._sums = sums

    @property
    def follows_feasible(self) -> bool:
        return self._sums.nonzero != 0

    def ignores(self, cls: PodClass) -> bool:
        return not any(self._sums.weights(cls))

    def pod_changed(self, row: int, cls: PodClass, sign: int) -> bool:
        return self._sums.change(row, cls, sign)

    def scores(self, feasible: Rows) -> Scores:
        if not self._sums.nonzero:
            return np.zeros(len(feasible), np.int64)
        raw = self._sums.total(feasible)
        least = raw.min()
        spread = raw.max() - least
        if not spread:
            return np.zeros(len(feasible), np.int64)
        share: Scores = (MAX_NODE_SCORE * ((raw - least) / spread)).astype(np.int64)
        return share
