"""Which pods of lower priority keep a pod away from nodes other than their own."""

from collections import defaultdict

import msgspec

from podium.scheduler.framework.handle import Handle
from podium.scheduler.preemption.victim_table import VictimTables
from podium.scheduler.snapshot.affinity_terms import (
    AffinityTerm,
    affinity_terms,
    with_known_namespaces,
)
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.topology_spread import (
    DO_NOT_SCHEDULE,
    SpreadConstraint,
    own_constraints,
)

Place = tuple[str, str]
"""A node label and its value, by which pods keep others away from all nodes that have it."""


class Domain(msgspec.Struct, frozen=True):
    """Rows, ascending, from which the same pods of lower priority keep a pod away."""

    rows: tuple[int, ...]
    blockers: tuple[PodInfo, ...]


class Blockers:
    """Finds who keeps a pod away by required anti-affinity, in either direction, or by spread."""

    def __init__(self, handle: Handle, pod: PodInfo, tables: VictimTables) -> None:
        self._handle = handle
        self._pod = pod
        self._tables = tables
        self._around = handle.listers.namespace_labels(pod.namespace)
        self._apart = self._resolved(pod.cls)
        self._spread = own_constraints(pod.cls, DO_NOT_SCHEDULE)
        self._keys: dict[int, tuple[str, ...]] = {}

    def domains(self) -> list[Domain]:
        """Those with a blocker, the ones with less important and fewer blockers first."""
        by_place = self._by_place()
        keys = sorted({key for key, _ in by_place})
        rows_of = defaultdict(list)
        for row in range(self._handle.snapshot.node_count):
            marks = self._handle.snapshot.labels_of(row)
            rows_of[tuple((key, marks[key]) for key in keys if key in marks)].append(row)
        found = []
        for places, rows in rows_of.items():
            blockers = {pod.uid: pod for place in places for pod in by_place.get(place, ())}
            if blockers:
                found.append(Domain(tuple(rows), tuple(blockers.values())))
        return sorted(found, key=_disruption)

    def _by_place(self) -> dict[Place, list[PodInfo]]:
        snapshot, found = self._handle.snapshot, defaultdict(list)
        for row, pods in enumerate(snapshot.pods_on):
            marks = snapshot.labels_of(row) if pods else {}
            for pod in pods:
                for key in self._keys_of(pod.cls):
                    if key in marks and self._tables.may_go(pod, self._pod.priority):
                        found[key, marks[key]].append(pod)
        return found

    def _keys_of(self, cls: PodClass) -> tuple[str, ...]:
        keys = self._keys.get(cls.id)
        if keys is None:
            peer_group, own = cls.peer_group, self._pod.cls.peer_group
            around = self._handle.listers.namespace_labels(cls.namespace)
            theirs = self._resolved(cls)
            objections = (
                *(term.topology_key for term in self._apart if term.matches(peer_group, around)),
                *(term.topology_key for term in theirs if term.matches(own, self._around)),
                *(one.topology_key for one in self._spread if one.meets(own, peer_group)),
            )
            keys = self._keys[cls.id] = tuple(dict.fromkeys(objections))
        return keys

    def _resolved(self, cls: PodClass) -> tuple[AffinityTerm, ...]:
        terms = affinity_terms(cls.peer_group).required_anti_affinity
        return with_known_namespaces(terms, self._handle.listers)


def reaches_beyond_its_node(pod: PodInfo) -> bool:
    """Whether a pod may keep others away from nodes other than its own."""
    spreads: tuple[SpreadConstraint, ...] = own_constraints(pod.cls, DO_NOT_SCHEDULE)
    return bool(spreads or affinity_terms(pod.cls.peer_group).required_anti_affinity)


def _disruption(domain: Domain) -> tuple[int, int, tuple[int, ...]]:
    top = max(pod.priority for pod in domain.blockers)
    return top, len(domain.blockers), domain.rows
