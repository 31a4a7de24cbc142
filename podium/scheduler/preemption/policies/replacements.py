"""Simulated replacements of victims, by which candidate nodes are compared.

Replacements are placed one after the other, each on the first node by name where it fits. The
victims stay in the snapshot, as the preemptor takes their room.
"""

from collections.abc import Sequence

import numpy as np

from podium.api.objects import (
    Object,
    controller_of,
    entries,
    name,
    spec_of,
    status_of,
    uid,
    without,
)
from podium.api.process.recent_values import Recent
from podium.scheduler.devices.allocated_devices import CLAIM
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.trial_changes import TrialChanges
from podium.scheduler.preemption.choice import choose
from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.preemption.policies.enabled_policies import policies_of, victim_tables
from podium.scheduler.snapshot.pod_classes import PodClass, PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod

SIZE_MAX = 64
"""Larger cascades count as this large."""
_RUNS_MAX = 16


def stranded_victims(
    handle: Handle, victims: Sequence[PodInfo], own_row: int
) -> tuple[int, set[int]]:
    """Count the victims without a controller, or whose replacement fits no node at present.

    Replacements are placed in the order of the victims, none on `own_row`; the rows of those that
    fit are returned, too.
    """
    stranded, taken = 0, set()
    with TrialChanges(handle) as changes:
        for victim in victims:
            if victim.cls.terminating:
                continue
            row = None
            if controller_of(victim.obj) is not None:
                pod = _replacement_in(handle, victim, changes)
                row = _place(handle, pod, own_row, changes)
            if row is None:
                stranded += 1
            else:
                taken.add(row)
    return stranded, taken


class Cascade:
    """Counts the victims, the pods that replacements of victims would preempt, and so on.

    Replacements are placed by descending priority, and then in the order of the victims. One that
    fits no node preempts on the best node by kube-scheduler's keys, unless an option forbids it.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._policies = policies_of(handle)
        self._tables = victim_tables(handle, self._policies.protection)
        self._runs: Recent[PodClass, DryRun] = Recent(_RUNS_MAX)

    def __call__(self, victims: Sequence[PodInfo], own_row: int) -> tuple[int, set[int]]:
        """Count a cascade, at most `SIZE_MAX`; arguments and result as of `stranded_victims`."""
        waiting, taken = [pod for pod in victims if not pod.cls.terminating], set[int]()
        size = len(waiting)
        with TrialChanges(self._handle) as changes:
            while waiting and size < SIZE_MAX:
                victim, *waiting = sorted(waiting, key=lambda pod: -pod.priority)
                if controller_of(victim.obj) is None:
                    continue
                pod = _replacement_in(self._handle, victim, changes)
                row, further = _place(self._handle, pod, own_row, changes), tuple[PodInfo, ...]()
                if row is None and pod.cls.preempts:
                    row, further = self._preempt(pod, own_row, changes)
                if row is not None:
                    taken.add(row)
                leaving = [pod for pod in further if not pod.cls.terminating]
                size += len(leaving)
                waiting += leaving
        return min(size, SIZE_MAX), taken

    def _preempt(
        self, pod: PodInfo, own_row: int, changes: TrialChanges
    ) -> tuple[int | None, tuple[PodInfo, ...]]:
        snapshot, filtering = self._handle.snapshot, self._handle.finder.filtering(pod)
        self._policies.update()
        run = self._runs.get(pod.cls)
        if run is None:
            run = DryRun(self._tables, self._handle.nominator)
            self._runs.put(pod.cls, run)
        is_closed = (filtering.outcome > 0) & (np.arange(snapshot.node_count) != own_row)
        run.update(pod, filtering, is_closed)
        candidates = np.flatnonzero(is_closed & run.is_candidate)
        if not len(candidates):
            return None, ()
        best = choose(run, candidates).selected
        row = int(best[snapshot.ranks[best].argmin()])
        victims = run.victims_on(row)
        if self._policies.objection(pod, victims) is not None:
            return row, ()
        changes.take(victims)
        changes.put(pod, snapshot.names[row])
        return row, victims


def _place(handle: Handle, pod: PodInfo, own_row: int, changes: TrialChanges) -> int | None:
    rows = handle.finder.rows(pod)
    rows = rows[rows != own_row]
    if not len(rows):
        return None
    row = int(rows[handle.snapshot.ranks[rows].argmin()])
    changes.put(pod, handle.snapshot.names[row])
    return row


def _replacement_in(handle: Handle, victim: PodInfo, changes: TrialChanges) -> PodInfo:
    # The replacement has claims of its own, made of the same templates.
    pod, made = replacement(victim, handle.snapshot.classes), list[Object]()
    statuses = []
    for status in entries(status_of(victim.obj), "resourceClaimStatuses"):
        claim = handle.listers.get(CLAIM, status.get("resourceClaimName") or "", victim.namespace)
        if claim is not None:
            named = {"name": f"{name(claim)}-again", "uid": f"{uid(claim)}-again"}
            owner = {"kind": "Pod", "name": victim.name, "uid": pod.uid, "controller": True}
            metadata = {**claim["metadata"], **named, "ownerReferences": [owner]}
            made.append({**claim, "metadata": metadata, "status": {}})
            statuses.append({**status, "resourceClaimName": named["name"]})
    if not made:
        return pod
    changes.add_claims(made)
    obj = {**pod.obj, "status": {"resourceClaimStatuses": statuses}}
    return pending_pod(obj, handle.snapshot.classes)


def replacement(victim: PodInfo, classes: PodClasses) -> PodInfo:
    """Make the pending pod that the controller of a victim creates in its place."""
    metadata = {**victim.obj["metadata"], "uid": f"{victim.uid}-again"}
    spec = without(spec_of(victim.obj), "nodeName")
    return pending_pod({**victim.obj, "metadata": metadata, "spec": spec, "status": {}}, classes)
