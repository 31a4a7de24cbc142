"""Topology spread constraints: read from pods or the configuration, and counted.

Which nodes count, and what a constraint selects, follows `podtopologyspread/common.go` of v1.36.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.api.labels import Selector, equality_selector, label_selector
from podium.api.meta import controller_of, labels, name
from podium.api.node_selector import required_node_affinity
from podium.api.taints import untolerated
from podium.config.args import TopologySpreadConstraint
from podium.core.handle import Handle
from podium.core.listers import Listers
from podium.core.node_columns import ABSENT
from podium.core.node_matching import matching_rows
from podium.core.pod_classes import PodClass
from podium.core.snapshot import Snapshot

Object = Mapping[str, Any]

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
        wanted = (service.get("spec") or {}).get("selector")
        if wanted is not None and equality_selector(wanted).matches(cls.labels):
            merged |= wanted
    owner = controller_of(cls.pod)
    if owner is None:
        return equality_selector(merged)
    identity = (str(owner.get("apiVersion")), str(owner.get("kind")))
    place, owner_name = cls.namespace, str(owner.get("name"))
    if identity == ("v1", "ReplicationController"):
        replicator = listers.get("ReplicationController", owner_name, place) or {}
        merged |= (replicator.get("spec") or {}).get("selector") or {}
        return equality_selector(merged)
    selector = equality_selector(merged)
    kind = _OWNERS_WITH_SELECTORS.get(identity)
    controller = None if kind is None else listers.get(kind, owner_name, place)
    if controller is None:
        return selector
    theirs = label_selector((controller.get("spec") or {}).get("selector"))
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
    taints, tolerations = (node.get("spec") or {}).get("taints"), cls.spec.get("tolerations")
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
