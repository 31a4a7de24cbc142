"""How many pods lose their places in turn, if the victims of a preemption come again elsewhere."""

from collections.abc import Sequence

import numpy as np

from podium.api.objects import controller_of
from podium.api.process.recent_values import Recent
from podium.scheduler.framework.handle import Handle
from podium.scheduler.preemption.choice import choose
from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.preemption.policies.enabled_policies import policies_of, victim_tables
from podium.scheduler.preemption.policies.stranded_victims import place, replacement
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.trial_changes import TrialChanges

SIZE_MAX = 64
"""Larger cascades count as this large."""
_RUNS_MAX = 16


class Cascade:
    """Counts victims, those whom their replacements would preempt, and so on.

    Replacements are placed one after the other, those of a higher priority first, and otherwise as
    their pods had to go. One that fits nowhere preempts on the best node by kube-scheduler's keys,
    unless an option forbids that. The first victims are still there meanwhile: their room is the
    preemptor's.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._policies = policies_of(handle)
        self._tables = victim_tables(handle, self._policies.protection)
        self._runs: Recent[PodClass, DryRun] = Recent(_RUNS_MAX)

    def __call__(self, victims: Sequence[PodInfo], own_row: int) -> tuple[int, set[int]]:
        """The size of the cascade, and the rows that replacements come to.

        Args:
            own_row: theirs, to which no replacement comes; -1 if any row will do.
        """
        waiting, taken = [one for one in victims if not one.cls.terminating], set[int]()
        size = len(waiting)
        with TrialChanges(self._handle.snapshot) as changes:
            while waiting and size < SIZE_MAX:
                victim, *waiting = sorted(waiting, key=lambda one: -one.priority)
                if controller_of(victim.obj) is None:
                    continue
                pod = replacement(victim, self._handle.snapshot.classes)
                row, further = place(self._handle, pod, own_row, changes), tuple[PodInfo, ...]()
                if row is None and pod.cls.preempts:
                    row, further = self._preempt(pod, own_row, changes)
                if row is not None:
                    taken.add(row)
                leaving = [one for one in further if not one.cls.terminating]
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
        row = int(best[snapshot.ranks()[best].argmin()])
        victims = run.victims[row]
        if self._policies.objection(pod, victims) is not None:
            return row, ()
        changes.take(victims)
        changes.put(pod, snapshot.names[row])
        return row, victims
