"""PodTopologySpread: spreads pods evenly over zones, hosts or other domains.

`DoNotSchedule` constraints rule out nodes in domains that are too full; `ScheduleAnyway` ones
score. Pods without constraints get the default ones of the configuration.
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from podium.api.nodes import taints_of
from podium.api.objects import Object, labels, spec_of
from podium.api.pods import tolerations_of
from podium.api.selectors.labels import SelectorError
from podium.api.well_known import HOSTNAME_LABEL
from podium.scheduler.config.args import DefaultingType, PodTopologySpreadArgs
from podium.scheduler.config.defaults import SYSTEM_DEFAULT_CONSTRAINTS
from podium.scheduler.framework.cluster_events import (
    Action,
    ClusterEvent,
    EventHint,
    EventResource,
    after_change,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import (
    MAX_NODE_SCORE,
    CycleError,
    FilterState,
    RelativeScore,
    Scope,
)
from podium.scheduler.framework.status import Status, rejection
from podium.scheduler.snapshot.arrays import Codes, Rows, Scores, Sums
from podium.scheduler.snapshot.node_columns import ABSENT
from podium.scheduler.snapshot.pod_classes import PerClass, PodClass, PodClasses
from podium.scheduler.snapshot.pod_columns import ManyPods, looked_up
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Change
from podium.scheduler.snapshot.topology_spread import (
    DO_NOT_SCHEDULE,
    SCHEDULE_ANYWAY,
    SpreadConstraint,
    Spreading,
    default_constraints,
    own_constraints,
)

TOO_FULL = "node(s) didn't match pod topology spread constraints"
LABEL_MISSING = f"{TOO_FULL} (missing required label)"

# Upstream's minimum over no domains.
_NO_DOMAIN = 2**31 - 1


class PodTopologySpread:
    """Rules out (Filter) and scores (Score) nodes by the skew of their domains."""

    name = "PodTopologySpread"

    def __init__(self, handle: Handle, args: PodTopologySpreadArgs) -> None:
        self._handle = handle
        self._spreading = Spreading(handle.snapshot)
        self._is_system = args.defaulting_type is DefaultingType.SYSTEM
        self._own = {
            action: PerClass(handle.snapshot.classes, partial(own_constraints, action=action))
            for action in (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY)
        }
        defaults = SYSTEM_DEFAULT_CONSTRAINTS if self._is_system else args.default_constraints
        self._defaults = {
            action: [default for default in defaults if default.when_unsatisfiable == action]
            for action in (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY)
        }

    def events_to_register(self) -> Sequence[EventHint]:
        of_pods = Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE
        of_itself = Action.UPDATE_POD_LABEL | Action.UPDATE_POD_TOLERATION
        labelled, tainted = Action.UPDATE_NODE_LABEL, Action.UPDATE_NODE_TAINT
        of_nodes = Action.ADD | labelled | tainted | Action.DELETE
        return (
            EventHint(ClusterEvent(EventResource.ASSIGNED_POD, of_pods), self._counts_otherwise),
            EventHint(ClusterEvent(EventResource.NODE, of_nodes), self._stands_otherwise),
            after_change(EventResource.UNSCHEDULED_POD, of_itself, self._spreads_otherwise),
        )

    def filter(self, pod: PodInfo) -> FilterState | None:
        constraints = self._constraints(pod.cls, DO_NOT_SCHEDULE)
        return _Filter(self._spreading, pod.cls, constraints) if constraints else None

    def score(self, pod: PodInfo) -> RelativeScore | None:
        constraints = self._constraints(pod.cls, SCHEDULE_ANYWAY)
        if not constraints:
            return None
        # The built-in defaults are for all clusters, even if nodes have no zone labels.
        needs_labels = not self._is_system or bool(pod.cls.spec.get("topologySpreadConstraints"))
        return _Score(self._spreading, pod.cls, constraints, needs_labels)

    def _counts_otherwise(self, pod: PodInfo, old: Object | None, new: Object | None) -> bool:
        constraints = self._constraints(pod.cls, DO_NOT_SCHEDULE)

        def met(other: Object | None) -> list[bool]:
            cls = self._handle.snapshot.classes.on_node(other)
            return [
                cls is not None and c.meets(pod.cls.peer_group, cls.peer_group) == 1
                for c in constraints
            ]

        return met(old) != met(new)

    def _stands_otherwise(self, pod: PodInfo, old: Object | None, new: Object | None) -> bool:
        """Return whether a node enters or leaves domains, or its taints in them change.

        As in v1.36, other labels aren't considered, although node affinity may depend on them.
        """
        keys = [c.topology_key for c in self._constraints(pod.cls, DO_NOT_SCHEDULE)]
        before, after = _domains_of(old, keys), _domains_of(new, keys)
        if before != after:
            return True
        return after is not None and taints_of(old or {}) != taints_of(new or {})

    def _spreads_otherwise(self, pod: PodInfo, old: Object | None, new: Object) -> bool:
        constraints = self._constraints(pod.cls, DO_NOT_SCHEDULE)
        before = {} if old is None else old
        if any(c.honors_taints for c in constraints) and (
            tolerations_of(spec_of(before)) != tolerations_of(spec_of(new))
        ):
            return True
        return any(
            c.selector.matches(labels(before)) != c.selector.matches(labels(new))
            for c in constraints
        )

    def _constraints(self, cls: PodClass, action: str) -> tuple[SpreadConstraint, ...]:
        try:
            if cls.spec.get("topologySpreadConstraints"):
                return self._own[action].of(cls)
            return default_constraints(cls, self._defaults[action], self._handle.listers)
        except SelectorError as error:
            message = f"obtaining pod's topology spread constraints: {error}"
            raise CycleError(self.name, message) from error


def _domains_of(node: Object | None, keys: Sequence[str]) -> list[str] | None:
    marks = {} if node is None else labels(node)
    return None if node is None or not marks.keys() >= set(keys) else [marks[key] for key in keys]


class _Filter(FilterState):
    plugin = PodTopologySpread.name
    scope = Scope.CLUSTER

    def __init__(
        self, spreading: Spreading, cls: PodClass, constraints: Sequence[SpreadConstraint]
    ) -> None:
        self.width = len(constraints)
        self._sums = spreading.sums
        self._peer_group = cls.peer_group
        self._constraints = constraints
        rows_key, rows = spreading.scored(constraints, needs_labels=True)
        keyed = [spreading.domains(cls, c, rows_key, rows) for c in constraints]
        self._domains = [domains for _, domains in keyed]
        self._counted = [
            spreading.counted(cls, c, key, domains.column)
            for c, (key, domains) in zip(constraints, keyed, strict=True)
        ]
        self._own = [int(c.selector.matches(cls.labels)) for c in constraints]
        self._too_full = [self._too_full_domains(number) for number in range(self.width)]
        self._changes_followed = [counted.changes for counted in self._counted]

    def weights(self, cls: PodClass) -> Sequence[int]:
        return [c.meets(self._peer_group, cls.peer_group) for c in self._constraints]

    def weights_of(self, pods: ManyPods, classes: PodClasses) -> Sequence[NDArray[np.int64]]:
        peer_groups = classes.peer_groups
        return looked_up(
            self.width,
            classes.peer_group_ids()[pods.ids],
            len(peer_groups),
            lambda number: [
                c.meets(self._peer_group, peer_groups[number]) for c in self._constraints
            ],
        )

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        self._sums.follow()
        crossed = False
        for number, counted in enumerate(self._counted):
            if counted.changes != self._changes_followed[number]:
                self._changes_followed[number] = counted.changes
                self.changes += 1
                too_full = self._too_full_domains(number)
                crossed |= not np.array_equal(too_full, self._too_full[number])
                self._too_full[number] = too_full
        return crossed

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        codes = np.zeros(len(rows), np.int32)
        for number in range(len(self._constraints) - 1, -1, -1):
            here = self._domains[number].codes[rows]
            if extra:
                skew = self._skew(number, rows, here, extra[number])
                too_full = skew > self._constraints[number].max_skew
            else:
                too_full = self._too_full[number][here]
            codes[too_full] = number + 1
            codes[here == ABSENT] = -(number + 1)
        return codes

    def status(self, row: int, code: int) -> Status:
        return rejection(code, TOO_FULL if code > 0 else LABEL_MISSING)

    def _least(self, number: int) -> int:
        """Return the number of pods in the emptiest domain; 0 if `minDomains` isn't reached."""
        domains, constraint = self._domains[number], self._constraints[number]
        if domains.size < constraint.min_domains:
            return 0
        return int(self._counted[number].sums.min(where=domains.exists, initial=_NO_DOMAIN))

    def _too_full_domains(self, number: int) -> NDArray[np.bool_]:
        """Return the domains, bool[domains + 1], in which another pod exceeds the maximum skew."""
        fullest = self._constraints[number].max_skew + self._least(number) - self._own[number]
        return self._counted[number].sums > fullest

    def _skew(
        self, number: int, rows: Rows, here: NDArray[np.int32], extra: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the skew of each row's domain with the pod on the row, int64[n].

        Extra pods of a row count in the row's domain, and only for that row.
        """
        domains, sums = self._domains[number], self._counted[number].sums
        count = sums[here] + np.where(domains.counted[rows], extra, 0)
        least = self._least(number)
        if domains.size < self._constraints[number].min_domains:
            return count + self._own[number]
        least_of_others = np.full(len(here), least)
        emptiest = np.flatnonzero(domains.exists & (sums == least))
        if len(emptiest) == 1:
            others = domains.exists.copy()
            others[emptiest[0]] = False
            least_of_others[here == emptiest[0]] = sums[others].min(initial=_NO_DOMAIN)
        least_now = np.where(domains.exists[here], np.minimum(least_of_others, count), least)
        return count + self._own[number] - least_now


class _Score(RelativeScore):
    plugin = PodTopologySpread.name

    def __init__(
        self,
        spreading: Spreading,
        cls: PodClass,
        constraints: Sequence[SpreadConstraint],
        needs_labels: bool,
    ) -> None:
        self._sums = spreading.sums
        self._constraints = constraints
        rows_key, self._scored = spreading.scored(constraints, needs_labels=needs_labels)
        self._domains, self._counted = [], []
        for constraint in constraints:
            key, domains = spreading.domains(cls, constraint, rows_key, self._scored)
            by_host = constraint.topology_key == HOSTNAME_LABEL
            self._domains.append(domains)
            self._counted.append(
                spreading.counted_by_row(cls, constraint)
                if by_host
                else spreading.counted(cls, constraint, key, domains.column)
            )
        self._changes = self._count_changes()

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        self._sums.follow()
        before, self._changes = self._changes, self._count_changes()
        return before != self._changes

    def scores(self, feasible: Rows) -> Scores:
        is_scored, rows = self._scored.among(feasible)
        if rows is feasible:
            return self._normalised(rows)
        result = np.zeros(len(feasible), np.int64)
        if len(rows):
            result[is_scored] = self._normalised(rows)
        return result

    def _count_changes(self) -> int:
        return sum([counted.changes for counted in self._counted])

    def _normalised(self, rows: Rows) -> Scores:
        among = [domains.among(rows) for domains in self._domains]
        if len(among) == 1 and self._constraints[0].topology_key != HOSTNAME_LABEL:
            # All rows of a domain have one score.
            of_domains = _rounded([self._term(0, self._counted[0].sums, among[0].size, ABSENT)])
            present = among[0].present
            of_domains[present] = _normalised(of_domains[present])
            return of_domains[among[0].codes]
        terms = []
        for number, (constraint, here) in enumerate(zip(self._constraints, among, strict=True)):
            sums, codes = self._counted[number].sums, here.codes
            if constraint.topology_key == HOSTNAME_LABEL:
                terms.append(self._term(number, sums[rows], len(rows), codes == ABSENT))
            else:
                terms.append(self._term(number, sums, here.size, ABSENT)[codes])
        return _normalised(_rounded(terms))

    def _term(
        self,
        number: int,
        counts: NDArray[np.int64],
        size: int,
        without_label: int | NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        term: NDArray[np.float64] = counts.astype(np.float64) * math.log(size + 2)
        term += self._constraints[number].max_skew - 1
        term[without_label] = 0.0
        return term


def _rounded(terms: Sequence[NDArray[np.float64]]) -> Scores:
    return np.floor(sum(terms[1:], terms[0]) + 0.5).astype(np.int64)


def _normalised(raw: Scores) -> Scores:
    most, least = int(raw.max()), int(raw.min())
    if not most:
        return np.full(len(raw), MAX_NODE_SCORE, np.int64)
    return MAX_NODE_SCORE * (most + least - raw) // most
