"""Gangs that are preempted as a whole: a preemptor that takes one of their pods takes all."""

import numpy as np

from podium.scheduler.framework.handle import Handle
from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.preemption.one_row import grouped
from podium.scheduler.preemption.policies.cross_node.victim_sets import VictimSet, VictimSets
from podium.scheduler.snapshot.arrays import Mask
from podium.scheduler.snapshot.pod_info import PodInfo


def with_whole_gangs(run: DryRun, preemptor: PodInfo, wanted: Mask, handle: Handle) -> DryRun:
    """A dry run in which those go, too, that go with the victims, on whatever nodes they are.

    A row is no candidate any more if one of them may not be preempted.

    Args:
        run: of single pods.
        preemptor: for whom it was made.
        wanted: bool[nodes], the rows that are of interest.
        handle: the cluster.
    """
    gangs = handle.gangs
    if gangs is None or not gangs.has_wholes:
        return run
    sets, lost = dict[int, VictimSet](), []
    for row in np.flatnonzero(wanted & run.is_candidate).tolist():
        victims = run.victims[row]
        more = gangs.whole(victims)
        if any(not _may_go(pod, preemptor, run) for pod in more):
            lost.append(row)
        elif more:
            ordered = [*victims, *more]
            run.importance.sort(ordered)
            violating, _ = grouped(ordered, handle.budgets)
            sets[row] = VictimSet(row, tuple(ordered), len(violating))
    if not sets and not lost:
        return run
    return VictimSets(run, sets, lost)


def _may_go(pod: PodInfo, preemptor: PodInfo, run: DryRun) -> bool:
    shielded = run.shields is not None and run.shields.protects(pod, preemptor.priority)
    return pod.priority < preemptor.priority and not shielded
