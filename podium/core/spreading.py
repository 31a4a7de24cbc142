"""Topology spread constraints: read from pods or the configuration, and counted.

Which nodes count, and what a constraint selects, follows `podtopologyspread/common.go` of v1.36.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.api.labels import Selector, equality_selector, label_selector
from podium.api.node_selector import required_node_affinity
from podium.api.objects import Object, controller_of, labels, name, spec_of
from podium.api.taints import untolerated
from podium.config.args import TopologySpreadConstraint
from podium.core.handle import Handle
from podium.core.listers import Listers
from podium.core.node_columns import ABSENT
from podium.core.node_matching import matching_rows
from podium.core.pod_classes import PodClass
from podium.core.snapshot import Snapshot

DO_NOT_SCHEDULE = "DoNotSchedule"
SCHEDULE_ANYWAY = "ScheduleAnyway"
_HONOR = "Honor"
_NOT_SCHEDULED = ("NoSchedule", "NoExecute")
_OWNERS_WITH_SELECTORS = {
    ("apps/v1", "ReplicaSet"): "ReplicaSet",
    ("apps/v1", "StatefulSet"): "StatefulSet",
}


@dataclass(frozen=True, slots=True)
class SpreadConstraint:
    """One constraint, ready to count by.

    Attributes:
        max_skew: how much fuller than the emptiest domain a domain may be.
        topology_key: the node label that makes the domains.
        selector: of the pods that count, in the pod's namespace.
        min_domains: with fewer domains, the emptiest counts as empty.
        honors_affinity: only nodes that the pod's node affinity allows count.
        honors_taints: only nodes whose taints the pod tolerates count.
    """

    max_skew: int
    topology_key: str
    selector: Selector
    min_domains: int
    honors_affinity: bool
    honors_taints: bool

    def counts(self, own: PodClass, other: PodClass) -> int:
        """1 if pods of class `other` count for pods of class `own`, else 0.

        Terminating pods don't, and to an empty selector none does.
        """
        return int(
            not other.terminating and not self.selector.is_empty and self.meets(own, other) == 1
        )

    def meets(self, own: PodClass, other: PodClass) -> int:
        """1 if a pod that comes or goes in a hypothetical row changes the count, else 0.

        Unlike `counts`, this is upstream's updateWithPod: terminating pods do, and to an empty
        selector all do.
        """
        return int(own.namespace == other.namespace and self.selector.matches(other.labels))


def own_constraints(cls: PodClass, action: str) -> tuple[SpreadConstraint, ...]:
    """The constraints in a pod's spec with this `whenUnsatisfiable`.

    Raises:
        SelectorError: a selector isn't one.
    """
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
    cls: PodClass, defaults: Iterable[TopologySpreadConstraint], action: str, listers: Listers
) -> tuple[SpreadConstraint, ...]:
    """The configuration's constraints for a pod without any; they select what its owners select."""
    chosen = [constraint for constraint in defaults if constraint.when_unsatisfiable == action]
    selector = owners_selector(cls, listers) if chosen else None
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
        for constraint in chosen
    )


def owners_selector(cls: PodClass, listers: Listers) -> Selector:
    """What the services of a pod and its controller select, taken together."""
    merged: dict[str, str] = {}
    for service in listers.list("Service", cls.namespace):
        wanted = spec_of(service).get("selector")
        if wanted is not None and equality_selector(wanted).matches(cls.labels):
            merged |= wanted
    owner = controller_of(cls.pod)
    if owner is None:
        return equality_selector(merged)
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
    theirs = label_selector(spec_of(controller).get("selector"))
    return selector if theirs.matches_nothing else _both(selector, theirs)


def has_all_labels(
    snapshot: Snapshot, constraints: Iterable[SpreadConstraint]
) -> NDArray[np.bool_]:
    """Which nodes have the topology keys of all constraints, bool[capacity]."""
    present = snapshot.alive.copy()
    for constraint in constraints:
        present &= snapshot.columns.label(constraint.topology_key).codes != ABSENT
    return present


def included(handle: Handle, cls: PodClass, constraint: SpreadConstraint) -> NDArray[np.bool_]:
    """Which nodes the constraint's inclusion policies let count, bool[capacity]."""
    snapshot = handle.snapshot
    rows = snapshot.alive.copy()
    if constraint.honors_affinity:
        rows &= matching_rows(snapshot, required_node_affinity(cls.pod))
    if constraint.honors_taints:
        tolerations = cls.spec.get("tolerations") or ()
        groups = snapshot.columns.taints()
        tolerated = [untolerated(t, tolerations, _NOT_SCHEDULED) is None for t in groups.values]
        rows &= groups.lookup(tolerated, bool)
    return rows


class Domains:
    """The pods that one constraint counts, by domain.

    Pods of rows without the label count like those of rows with an empty one: upstream reads both
    as "". But the count of a domain is only looked up for rows that have the label.

    Attributes:
        codes: int32[capacity], the domain of each row, `ABSENT` without the label.
        counted_as: int32[capacity], the same where there is no domain of the empty value, and
            that one for rows without the label where there is.
        counted: bool[capacity], the rows whose pods count.
        counts: int64[domains + 1], the last one for rows that aren't counted as of any domain.
        exists: bool[domains + 1], whether a domain has any counted row.
        size: how many domains exist.
    """

    def __init__(
        self,
        handle: Handle,
        cls: PodClass,
        constraint: SpreadConstraint,
        counted: NDArray[np.bool_],
        counts_by_row: NDArray[np.int64],
    ) -> None:
        column = handle.snapshot.columns.label(constraint.topology_key)
        self.codes = column.codes
        empty = column.values.index("") if "" in column.values else ABSENT
        self.counted_as = np.where(self.codes == ABSENT, np.int32(empty), self.codes)
        self.counted = counted & included(handle, cls, constraint)
        homes = self.counted_as[self.counted]
        self.counts = np.zeros(len(column.values) + 1, np.int64)
        np.add.at(self.counts, homes, counts_by_row[self.counted])
        self.exists = self.mask_of(homes)
        self.size = int(np.count_nonzero(self.exists))
        self._counted_as_at = self.counted_as.data

    def mask_of(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which domains are among these, bool[domains + 1]; the last one stands for `ABSENT`."""
        mask = np.zeros(len(self.counts), bool)
        mask[codes] = True
        return mask

    def change(self, row: int, amount: int) -> bool:
        """A counted pod came or went; whether a domain's count has changed."""
        if not self.counted[row]:
            return False
        self.counts[self._counted_as_at[row]] += amount
        return True


def counts_by_row(handle: Handle, cls: PodClass, constraint: SpreadConstraint) -> NDArray[np.int64]:
    """How many pods of each row a constraint counts for pods of a class, int64[capacity]."""
    classes = handle.snapshot.classes
    counts = [constraint.counts(cls, classes[number]) for number in range(len(classes))]
    return handle.snapshot.sum_by_row(np.array(counts, np.int64))


def standing(
    cls: PodClass, constraints: Sequence[SpreadConstraint], node: Object | None
) -> list[tuple[str, bool]] | None:
    """A node's domain for each constraint, and whether its pods count; None if it isn't in all."""
    marks = {} if node is None else labels(node)
    if node is None or any(c.topology_key not in marks for c in constraints):
        return None
    return [(marks[c.topology_key], _includes(cls, c, node)) for c in constraints]


def _includes(cls: PodClass, constraint: SpreadConstraint, node: Object) -> bool:
    """What `included` says of this node."""
    if constraint.honors_affinity:
        required = required_node_affinity(cls.pod)
        if not required.matches(labels(node), name(node)):
            return False
    if not constraint.honors_taints:
        return True
    taints, tolerations = spec_of(node).get("taints"), cls.spec.get("tolerations")
    return untolerated(taints, tolerations, _NOT_SCHEDULED) is None


def _merged(raw: Object, pod_labels: Mapping[str, str]) -> Selector:
    selector = label_selector(raw.get("labelSelector"))
    keys = raw.get("matchLabelKeys") or ()
    taken = {key: pod_labels[key] for key in keys if key in pod_labels}
    if not taken or selector.matches_nothing:
        return selector
    return _both(equality_selector(taken), selector)


def _both(one: Selector, other: Selector) -> Selector:
    return Selector((*one.requirements, *other.requirements))
