"""Gangs that are preempted as a whole: if one of their pods is a victim, all are."""

import numpy as np

from podium.scheduler.framework.evaluation.filtering import NO_FILTER
from podium.scheduler.framework.interface import FITS
from podium.scheduler.framework.pod_groups import PodGroups
from podium.scheduler.preemption.dry_run import DryRun, RowResult, grouped
from podium.scheduler.preemption.policies.victim_sets import VictimSets
from podium.scheduler.preemption.policy import PreemptionPolicy
from podium.scheduler.snapshot.arrays import Mask
from podium.scheduler.snapshot.pod_info import PodInfo


class WholeGangs(PreemptionPolicy):
    """Adds all pods of a victim's gang to the victims, on whichever node they are.

    A row is no longer a candidate if a pod of the gang may not be preempted.
    """

    def __init__(self, gangs: PodGroups) -> None:
        self._gangs = gangs

    def extend(self, run: DryRun, pod: PodInfo, wanted: Mask) -> DryRun:
        if not self._gangs.has_wholes:
            return run
        sets, lost, tables = dict[int, RowResult](), [], run.tables
        for row in np.flatnonzero(wanted & run.is_candidate).tolist():
            victims = run.victims_on(row)
            more = self._gangs.whole(victims)
            if not all(tables.may_go(one, pod.priority) for one in more):
                lost.append(row)
            elif more:
                ordered = [*victims, *more]
                tables.importance.sort(ordered)
                violating, _ = grouped(ordered, tables.budgets)
                sets[row] = RowResult(FITS, NO_FILTER, tuple(ordered), len(violating))
        return VictimSets(run, sets, lost) if sets or lost else run
