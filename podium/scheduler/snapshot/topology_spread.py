"""Topology spread constraints, read and counted as in `podtopologyspread/common.go`, v1.36."""

from collections.abc import Hashable, Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.nodes import untolerated
from podium.api.objects import Object, controller_of, labels, name, spec_of
from podium.api.pods import tolerations_of
from podium.api.selectors.labels import EVERYTHING, Selector, equality_selector, label_selector
from podium.api.selectors.node_selector import required_node_affinity
from podium.api.workloads import selector_of
from podium.scheduler.config.args import TopologySpreadConstraint
from podium.scheduler.snapshot.affinity_terms import PeerGroup
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.domain_sums import DomainSum, DomainSums, label_marks, selector_marks
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.node_columns import ABSENT, NodeColumn
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.snapshot import PerNodes, Snapshot

DO_NOT_SCHEDULE = "DoNotSchedule"
SCHEDULE_ANYWAY = "ScheduleAnyway"
_HONOR = "Honor"
_NOT_SCHEDULED = ("NoSchedule", "NoExecute")
_OWNERS_WITH_SELECTORS = {
    ("apps/v1", "ReplicaSet"): "ReplicaSet",
    ("apps/v1", "StatefulSet"): "StatefulSet",
}


class SpreadConstraint(msgspec.Struct, frozen=True):
    """A topology spread constraint with its selector resolved."""

    max_skew: int
    topology_key: str
    selector: Selector
    """Selects the pods that count, in the pod's namespace."""
    min_domains: int
    honors_affinity: bool
    """Whether only nodes count that the pod's node affinity matches."""
    honors_taints: bool
    """Whether only nodes count whose taints the pod tolerates."""

    def counts(self, own: PeerGroup, other: PeerGroup) -> int:
        """Return 1 if pods of `other` count for pods of `own`; terminating pods don't count."""
        return int(
            not other.terminating and not self.selector.is_empty and self.meets(own, other) == 1
        )

    def meets(self, own: PeerGroup, other: PeerGroup) -> int:
        """Return 1 if adding or removing a pod of `other` in a dry run changes the count of `own`.

        As in upstream's updateWithPod, terminating pods count, and an empty selector selects all.
        """
        return int(own.namespace == other.namespace and self.selector.matches(other.labels))


def own_constraints(cls: PodClass, action: str) -> tuple[SpreadConstraint, ...]:
    """Read a pod spec's constraints with this `whenUnsatisfiable`; raises SelectorError."""
    listed: Iterable[Object] = cls.spec.get("topologySpreadConstraints") or ()
    return tuple(
        SpreadConstraint(
            max_skew=int(raw.get("maxSkew") or 0),
            topology_key=str(raw.get("topologyKey") or ""),
            selector=_merged(raw, cls.labels),
            min_domains=int(raw.get("minDomains") or 1),
            honors_affinity=(raw.get("nodeAffinityPolicy") or _HONOR) == _HONOR,
            honors_taints=raw.get("nodeTaintsPolicy") == _HONOR,
        )
        for raw in listed
        if raw.get("whenUnsatisfiable") == action
    )


def default_constraints(
    cls: PodClass, defaults: Sequence[TopologySpreadConstraint], listers: Listers
) -> tuple[SpreadConstraint, ...]:
    """Return the default constraints for a pod, with its owners' selector; none if it's empty."""
    selector = _owners_selector(cls, listers) if defaults else None
    if selector is None or selector.is_empty:
        return ()
    return tuple(
        SpreadConstraint(
            max_skew=constraint.max_skew,
            topology_key=constraint.topology_key,
            selector=selector,
            min_domains=constraint.min_domains or 1,
            honors_affinity=constraint.node_affinity_policy == _HONOR,
            honors_taints=constraint.node_taints_policy == _HONOR,
        )
        for constraint in defaults
    )


def _owners_selector(cls: PodClass, listers: Listers) -> Selector:
    merged: dict[str, str] = {}
    for service in listers.list("Service", cls.namespace):
        wanted = spec_of(service).get("selector")
        if wanted is not None and equality_selector(wanted).matches(cls.labels):
            merged |= wanted
    owner = controller_of(cls.pod)
    if owner is None:
        return equality_selector(merged) if merged else EVERYTHING
    identity = (str(owner.get("apiVersion")), str(owner.get("kind")))
    place, owner_name = cls.namespace, str(owner.get("name"))
    if identity == ("v1", "ReplicationController"):
        replicator = listers.get("ReplicationController", owner_name, place) or {}
        merged |= spec_of(replicator).get("selector") or {}
        return equality_selector(merged)
    selector = equality_selector(merged)
    kind = _OWNERS_WITH_SELECTORS.get(identity)
    controller = None if kind is None else listers.get(kind, owner_name, place)
    if controller is None:
        return selector
    theirs = selector_of(controller)
    return selector if theirs.matches_nothing else _both(selector, theirs)


def included(snapshot: Snapshot, cls: PodClass, constraint: SpreadConstraint) -> NDArray[np.bool_]:
    """Return which nodes count by a constraint's inclusion policies, bool[nodes]."""
    rows = np.ones(snapshot.node_count, bool)
    if constraint.honors_affinity:
        rows &= snapshot.columns.matching(required_node_affinity(cls.pod))
    if constraint.honors_taints:
        tolerations = tolerations_of(cls.spec)
        groups = snapshot.columns.taints()
        tolerated = [untolerated(t, tolerations, _NOT_SCHEDULED) is None for t in groups.values]
        rows &= groups.lookup(tolerated, bool)
    return rows


class Domains:
    """The domains of one topology key, and which of their nodes count.

    As upstream reads a missing label as "", pods on nodes without the label count in the domain "".
    But the count of a domain is only used for nodes that have the label.
    """

    def __init__(self, column: NodeColumn, counted: NDArray[np.bool_]) -> None:
        self.codes = column.codes
        """int32[nodes], the domain of each row; `ABSENT` without the label."""
        self.counted = counted
        """bool[nodes], the rows whose pods count."""
        empty = column.values.index("") if "" in column.values else ABSENT
        self._homes = np.where(self.codes == ABSENT, np.int32(empty), self.codes)
        self.column = NodeColumn(np.where(counted, self._homes, np.int32(ABSENT)), column.values)
        """The domain in which each row's pods count; `ABSENT` if they don't count."""
        self.exists = self._mask_of(self._homes[counted])
        """bool[domains + 1], which domains have a counted row."""
        self.size = int(np.count_nonzero(self.exists))
        self._among: tuple[Rows, Among] | None = None

    def among(self, rows: Rows) -> "Among":
        """Return the domains of rows, int[n]; the last result is kept for the same array."""
        if self._among is None or self._among[0] is not rows:
            codes = self.codes[rows]
            size = int(np.count_nonzero(self._mask_of(self._homes[rows])))
            self._among = (rows, Among(codes, self._mask_of(codes), size))
        return self._among[1]

    def _mask_of(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        mask = np.zeros(len(self.column.values) + 1, bool)
        mask[codes] = True
        return mask


class Among(msgspec.Struct, frozen=True):
    """The domains of some rows."""

    codes: NDArray[np.int32]
    """int32[n], the domain of each row; `ABSENT` without the label."""
    present: NDArray[np.bool_]
    """bool[domains + 1], which domains the rows are in."""
    size: int
    """Number of these domains; rows without the label count as one domain."""


class ScoredRows:
    """The rows that constraints score: all that are feasible, or only those with all labels."""

    def __init__(self, scored: NDArray[np.bool_]) -> None:
        self.scored = scored
        self._among: tuple[Rows, NDArray[np.bool_], Rows] | None = None

    def among(self, feasible: Rows) -> tuple[NDArray[np.bool_], Rows]:
        """Return which feasible rows are scored, bool[n], and these rows; cached per array."""
        if self._among is None or self._among[0] is not feasible:
            is_scored = self.scored[feasible]
            rows = feasible if is_scored.all() else feasible[is_scored]
            self._among = (feasible, is_scored, rows)
        return self._among[1:]


class Spreading:
    """Pod counts for spread constraints, shared by all classes of pods."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.sums = DomainSums(snapshot, label_marks)
        self._snapshot = snapshot
        self._domains: PerNodes[Domains] = PerNodes(snapshot)
        self._scored: PerNodes[ScoredRows] = PerNodes(snapshot)
        self._rows: PerNodes[NodeColumn] = PerNodes(snapshot)

    def scored(
        self, constraints: Sequence[SpreadConstraint], *, needs_labels: bool
    ) -> tuple[Hashable, ScoredRows]:
        """Return a key and the rows to score: those with all topology keys if `needs_labels`."""
        keys = tuple(c.topology_key for c in constraints) if needs_labels else ()

        def labelled() -> NDArray[np.bool_]:
            present = np.ones(self._snapshot.node_count, bool)
            for key in keys:
                present &= self._snapshot.columns.label(key).codes != ABSENT
            return present

        return keys, self._scored.of(keys, lambda: ScoredRows(labelled()))

    def domains(
        self, cls: PodClass, constraint: SpreadConstraint, rows_key: Hashable, rows: ScoredRows
    ) -> tuple[Hashable, Domains]:
        """Return a key and the domains of a constraint; `rows_key` is the key of `rows`."""
        key = (
            constraint.topology_key,
            rows_key,
            constraint.honors_affinity and cls.node_affinity_key,
            constraint.honors_taints and cls.tolerations_key,
        )

        def make() -> Domains:
            counted = rows.scored & included(self._snapshot, cls, constraint)
            return Domains(self._snapshot.columns.label(constraint.topology_key), counted)

        return key, self._domains.of(key, make)

    def counted_by_row(self, cls: PodClass, constraint: SpreadConstraint) -> DomainSum:
        """Return the number of pods on each row that a constraint selects, as a sum by row."""
        count = self._snapshot.node_count
        rows = self._rows.of(
            count, lambda: NodeColumn(np.arange(count, dtype=np.int32), self._snapshot.names)
        )
        return self.counted(cls, constraint, None, rows)

    def counted(
        self, cls: PodClass, constraint: SpreadConstraint, key: Hashable, column: NodeColumn
    ) -> DomainSum:
        """Return the number of counted pods per domain of a column; `key` is the column's key."""
        own, selector = cls.peer_group, constraint.selector
        marks = () if selector.is_empty else selector_marks(selector)
        asked = (key, own.namespace, selector)
        return self.sums.of(asked, column, lambda other: constraint.counts(own, other), marks)


def standing(
    cls: PodClass, constraints: Sequence[SpreadConstraint], node: Object | None
) -> list[tuple[str, bool]] | None:
    """Return a node's (domain, whether its pods count) by constraint; None if it lacks a label."""
    marks = {} if node is None else labels(node)
    if node is None or any(c.topology_key not in marks for c in constraints):
        return None
    has_affinity = required_node_affinity(cls.pod).matches(marks, name(node))
    taints, tolerations = spec_of(node).get("taints"), cls.spec.get("tolerations")
    tolerates = untolerated(taints, tolerations, _NOT_SCHEDULED) is None
    return [
        (
            marks[c.topology_key],
            (has_affinity or not c.honors_affinity) and (tolerates or not c.honors_taints),
        )
        for c in constraints
    ]


def _merged(raw: Object, pod_labels: Mapping[str, str]) -> Selector:
    selector = label_selector(raw.get("labelSelector"))
    keys = raw.get("matchLabelKeys") or ()
    taken = {key: pod_labels[key] for key in keys if key in pod_labels}
    if not taken or selector.matches_nothing:
        return selector
    return _both(equality_selector(taken), selector)


def _both(selector: Selector, other: Selector) -> Selector:
    return Selector((*selector.requirements, *other.requirements))
