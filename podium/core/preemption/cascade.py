"""How many pods lose their places in turn, if the victims of a preemption come again elsewhere."""

from collections.abc import Sequence

import numpy as np

from podium.api.objects import controller_of
from podium.core.handle import Handle
from podium.core.pods import PodInfo, pending_pod
from podium.core.preemption.choice import choose
from podium.core.preemption.cross_node.absence import Absence
from podium.core.preemption.dry_run import DryRun
from podium.core.preemption.importance import IMPORTANCE
from podium.core.preemption.policy import policy_of
from podium.core.preemption.stranding import replacement

SIZE_MAX = 64
"""Larger cascades count as this large."""


class Cascade:
    """Counts victims, those whom their replacements would preempt, and so on.

    Replacements are placed one after the other, the most important first. One that fits nowhere
    preempts on the best node by kube-scheduler's keys, unless an option forbids that. The first
    victims are still there meanwhile: their room is the preemptor's.

    Args:
        handle: the cluster, with its nodes as the scheduling cycle filters them.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._importance = IMPORTANCE[handle.options.victim_order]
        self._policy = policy_of(handle)

    def __call__(self, node_name: str, victims: Sequence[PodInfo]) -> int:
        own_row = self._handle.snapshot.row_of[node_name]
        fresh = [victim for victim in victims if not victim.cls.terminating]
        size, waiting = len(fresh), fresh
        with Absence(self._handle.snapshot) as absence:
            while waiting and size < SIZE_MAX:
                victim, *waiting = sorted(waiting, key=lambda one: (-one.priority, one.key))
                if controller_of(victim.obj) is None:
                    continue
                further = self._replace(victim, own_row, absence)
                size += len(further)
                waiting += further
        return min(size, SIZE_MAX)

    def _replace(self, victim: PodInfo, own_row: int, absence: Absence) -> Sequence[PodInfo]:
        """Place a victim's replacement; who has to go for it."""
        snapshot = self._handle.snapshot
        pod = pending_pod(replacement(victim.obj), snapshot.classes)
        rows = [row for row in self._handle.finder.rows(pod).tolist() if row != own_row]
        if rows:
            absence.put(pod, min(snapshot.names[row] for row in rows))
            return ()
        if not pod.cls.preempts:
            return ()
        filtering = self._handle.finder.filtering(pod)
        closed = np.flatnonzero(filtering.outcome > 0)
        closed = closed[closed != own_row]
        run = self._new_run()
        run.update(pod, filtering, closed)
        candidates = closed[run.is_candidate[closed]]
        if not len(candidates):
            return ()
        best = choose(run, candidates).selected.tolist()
        row = min(best, key=lambda one: snapshot.names[one])
        further = run.victims[row]
        if self._policy is not None and self._policy.wall(pod, further) is not None:
            return ()
        absence.take(further)
        absence.put(pod, snapshot.names[row])
        return [one for one in further if not one.cls.terminating]

    def _new_run(self) -> DryRun:
        handle, shields = self._handle, None
        if self._policy is not None:
            self._policy.update()
            shields = self._policy.shields
        return DryRun(
            handle.snapshot, handle.nominator, handle.budgets, self._importance, shields=shields
        )
