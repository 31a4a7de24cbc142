"""Victims on several nodes: the option `preemptionScope: CrossNode`.

In each domain, all pods of lower priority that block the preemptor by anti-affinity or topology
spread are removed, with `devicePreemption` also those that hold devices which several nodes reach,
and on each node the victims of the ordinary dry run. Then each pod is put back if the preemptor
still fits, as on a single node: first the pods whose disruption violates a budget, then the others
by importance. `reserved_rooms` keeps out pods that would block the preemptor again.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import numpy as np

from podium.api.objects import spec_of
from podium.scheduler.devices.freed_devices import known_claims, reaches_several_nodes
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.evaluation.filtering import NO_FILTER
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FITS
from podium.scheduler.framework.trial_changes import TrialChanges
from podium.scheduler.preemption.choice import choose
from podium.scheduler.preemption.dry_run import DryRun, RowResult, grouped
from podium.scheduler.preemption.policies.victim_sets import VictimSets
from podium.scheduler.preemption.policy import PreemptionPolicy
from podium.scheduler.preemption.victim_table import VictimTables
from podium.scheduler.snapshot.affinity_terms import AffinityTerm, with_known_namespaces
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod
from podium.scheduler.snapshot.topology_spread import DO_NOT_SCHEDULE, own_constraints

VICTIMS_LEAVING_ELSEWHERE = "not eligible due to terminating pods on other nodes."


_Place = tuple[str, str]
"""A node label with its value: a domain from which pods keep others away."""

_EVERYWHERE: _Place = ("", "")


class _Domain(msgspec.Struct, frozen=True):
    # Rows, ascending, from which the same pods of lower priority keep a pod away.

    rows: tuple[int, ...]
    blockers: tuple[PodInfo, ...]


class _Blockers:
    # Pods keep another one away by required anti-affinity, in either direction, by spread, or by
    # the devices that they hold.

    def __init__(self, handle: Handle, pod: PodInfo, tables: VictimTables) -> None:
        self._handle = handle
        self._pod = pod
        self._tables = tables
        self._around = handle.listers.namespace_labels(pod.namespace)
        self._apart = self._resolved(pod.cls)
        self._spread = own_constraints(pod.cls, DO_NOT_SCHEDULE)
        wants_devices = bool(pod.cls.spec.get("resourceClaims") or pod.cls.requested_devices)
        self._frees_devices = handle.options.device_preemption and wants_devices
        self._keys: dict[int, tuple[str, ...]] = {}

    def domains(self) -> list[_Domain]:
        """List the domains with blocking pods, those with less important and fewer pods first."""
        snapshot, by_place = self._handle.snapshot, defaultdict[_Place, list[PodInfo]](list)
        for row, pods in enumerate(snapshot.pods_on):
            marks = snapshot.labels_of(row) if pods else {}
            for pod in pods:
                if self._shares_devices(pod) and self._tables.may_go(pod, self._pod.priority):
                    by_place[_EVERYWHERE].append(pod)
                for key in self._keys_of(pod.cls):
                    if key in marks and self._tables.may_go(pod, self._pod.priority):
                        by_place[key, marks[key]].append(pod)
        keys = sorted({key for key, _ in by_place} - {_EVERYWHERE[0]})
        everywhere = [_EVERYWHERE] if _EVERYWHERE in by_place else []
        rows_of = defaultdict(list)
        for row in range(snapshot.node_count):
            marks = snapshot.labels_of(row)
            labelled = [(key, marks[key]) for key in keys if key in marks]
            rows_of[*labelled, *everywhere].append(row)
        domains = []
        for places, rows in rows_of.items():
            blockers = {pod.uid: pod for place in places for pod in by_place.get(place, ())}
            if blockers:
                top = max(pod.priority for pod in blockers.values())
                domain = _Domain(tuple(rows), tuple(blockers.values()))
                domains.append((top, len(blockers), rows, domain))
        return [domain for *_, domain in sorted(domains, key=lambda entry: entry[:3])]

    def _shares_devices(self, pod: PodInfo) -> bool:
        if not self._frees_devices:
            return False
        return any(map(reaches_several_nodes, known_claims(self._handle.listers, pod)))

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
        terms = cls.peer_group.terms.required_anti_affinity
        return with_known_namespaces(terms, self._handle.listers)


class CrossNodePreemption(PreemptionPolicy):
    """Finds sets of victims on several nodes for pods that victims on one node don't help."""

    def __init__(self, handle: Handle, tables: VictimTables) -> None:
        self._handle = handle
        self._tables = tables
        self._limits = handle.options.cross_node_limits

    def ineligible(self, pod: PodInfo) -> str:
        # A pod waits for its victims on other nodes, which its nominated node doesn't show.
        is_waiting = pod.uid in self._handle.history.leaving.values()
        return VICTIMS_LEAVING_ELSEWHERE if is_waiting else ""

    def find(self, pod: PodInfo, evaluation: Evaluation) -> VictimSets | None:
        handle, sets = self._handle, dict[int, RowResult]()
        for domain in _Blockers(handle, pod, self._tables).domains()[: self._limits.domains]:
            with TrialChanges(handle) as changes:
                changes.take(domain.blockers)
                own_victims = self._own_victims(pod, evaluation, domain)
            for row, victims in own_victims.items():
                listed = {victim.uid: victim for victim in (*domain.blockers, *victims)}
                result = self._reprieve(pod, evaluation, row, list(listed.values()))
                if result is not None and len(result.victims) <= self._limits.victims:
                    sets[row] = result
        evaluation.refresh(pod)
        run = DryRun(self._tables, handle.nominator)
        return VictimSets(run, sets) if sets else None

    def _own_victims(
        self, pod: PodInfo, evaluation: Evaluation, domain: _Domain
    ) -> dict[int, tuple[PodInfo, ...]]:
        # The victims on the best rows of a domain, by row, as if its blockers were gone.
        evaluation.refresh(pod)
        filtering, rows = evaluation.filtering, np.array(domain.rows)
        open_rows = [row for row in rows.tolist() if self._fits(pod, evaluation, row)]
        run = DryRun(self._tables, self._handle.nominator)
        is_closed = np.zeros(len(filtering.outcome), bool)
        is_closed[rows] = filtering.outcome[rows] > 0
        run.update(pod, filtering, is_closed)
        candidates = np.flatnonzero(is_closed & run.is_candidate)
        victims: dict[int, tuple[PodInfo, ...]] = dict.fromkeys(open_rows, ())
        while len(candidates) and len(victims) < self._limits.nodes:
            best = choose(run, candidates).selected
            victims.update({row: run.victims_on(row) for row in best.tolist()})
            candidates = np.setdiff1d(candidates, best)
        return dict(list(victims.items())[: self._limits.nodes])

    def _reprieve(
        self, pod: PodInfo, evaluation: Evaluation, row: int, victims: list[PodInfo]
    ) -> RowResult | None:
        # The necessary ones among some victims; None if they don't help, or none is necessary.
        def fits() -> bool:
            evaluation.refresh(pod)
            return self._fits(pod, evaluation, row)

        snapshot, importance = self._handle.snapshot, self._tables.importance
        by_node = sorted(victims, key=lambda victim: snapshot.names[victim.row])
        importance.sort(by_node)
        violating, others = grouped(by_node, self._tables.budgets)
        gone: list[PodInfo] = []
        with TrialChanges(self._handle) as changes:
            changes.take(by_node)
            if not fits():
                return None
            violations = 0
            for group in (violating, others):
                for victim in group:
                    changes.restore(victim)
                    if not fits():
                        changes.take([victim])
                        gone.append(victim)
                if group is violating:
                    violations = len(gone)
        importance.sort(gone)
        return RowResult(FITS, NO_FILTER, tuple(gone), violations) if gone else None

    def _fits(self, pod: PodInfo, evaluation: Evaluation, row: int) -> bool:
        filtering, nominator = evaluation.filtering, self._handle.nominator
        if not filtering.pre_filter.is_success or filtering.outcome[row] != FITS:
            return False
        rivals = nominator.rivals_on(pod, self._handle.snapshot.names[row])
        if not rivals:
            return True
        _, outcome, _ = filtering.with_pods([(row, rivals)])
        return bool(outcome[0] == FITS)


def _reaches_beyond_its_node(pod: PodInfo) -> bool:
    spreads = own_constraints(pod.cls, DO_NOT_SCHEDULE)
    return bool(spreads or pod.cls.peer_group.terms.required_anti_affinity)


@contextmanager
def reserved_rooms(handle: Handle, pod: PodInfo) -> Iterator[None]:
    """Place nominated pods of equal or higher priority on their nodes during one decision.

    So the affinity, anti-affinity and spread of nominated pods count for other nodes, too, not
    only for the nominated node. The placed pods take no resources.
    """
    snapshot, stand_ins = handle.snapshot, []
    is_far_reaching = _reaches_beyond_its_node(pod)
    for nominated in handle.nominator.nominated():
        counts = nominated.priority >= pod.priority and nominated.uid != pod.uid
        if counts and (is_far_reaching or _reaches_beyond_its_node(nominated)):
            stand_in = placed_pod(
                {**nominated.obj, "spec": {**spec_of(nominated.obj), "containers": []}},
                snapshot.classes,
            )
            snapshot.add_pod(stand_in, nominated.nominated_node_name)
            stand_ins.append(stand_in)
    try:
        yield
    finally:
        for stand_in in reversed(stand_ins):
            snapshot.remove_pod(stand_in)
