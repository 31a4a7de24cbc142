"""Reads each preemption out of the scheduler that has just decided it."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from podium.api.documents.report import pod_facts
from podium.api.pods import node_name_of
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.preemption.choice import Choice, Preemption
from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.simulation.timeline.preemption import (
    NAME_KEY,
    CandidateNode,
    PreemptionOutcome,
    Victim,
    VictimsBudget,
)

Broken = dict[str, set[int]]
"""The numbers of the budgets that a pod's disruption breaks, by the pod's uid."""


class PreemptionRecorder:
    """Records preemptions when they are decided, before anything changes.

    Attributes:
        preemptors: by the uid of a victim, the uid of the first pod that it gives way to.
    """

    def __init__(
        self, scheduler: Scheduler, alternatives_max: int, passed_s: Callable[[], float]
    ) -> None:
        self.outcomes: list[PreemptionOutcome] = []
        self.preemptors: dict[str, str] = {}
        self._snapshot = scheduler.snapshot
        self._budgets = scheduler.budgets
        self._alternatives_max = alternatives_max
        self._passed_s = passed_s

    def record(self, decision: Decision) -> None:
        preemption = decision.preemption
        if not isinstance(preemption, Preemption) or not preemption.node_name:
            return
        outcome = self.read(decision.pod, preemption, self._alternatives_max)
        self.outcomes.append(outcome)
        for pod, victim in zip(preemption.victims, outcome.chosen.victims, strict=True):
            if not victim.is_leaving:
                self.preemptors[pod.uid] = decision.pod.uid

    def read(self, pod: PodInfo, preemption: Preemption, count_max: int) -> PreemptionOutcome:
        """A preemption with the chosen node and up to `count_max` of the others."""
        if preemption.choice is None:
            raise ValueError(f"the preemption by {pod.key} has no candidates")
        choice, row = preemption.choice, self._snapshot.row_of[preemption.node_name]
        names = [*(key.name for key in choice.keys), NAME_KEY]
        listed: dict[int, str | None] = {row: None}
        for other, lost_at in choice.runners_up(row, self._snapshot.ranks, count_max):
            listed[other] = names[-1 if lost_at is None else lost_at]
        chosen, *others = self._candidates(pod, preemption, choice, listed)
        facts = pod_facts(pod.obj)
        return PreemptionOutcome(
            preemptor=facts.pop("pod"),
            **facts,
            node=chosen.node,
            at_s=self._passed_s(),
            victims=chosen.victims,
            alternatives=tuple(others),
            left_out=len(preemption.candidate_rows) - len(listed),
            chosen=chosen,
            keys=tuple((key.name, key.heading) for key in choice.keys),
        )

    def _candidates(
        self,
        pod: PodInfo,
        preemption: Preemption,
        choice: Choice,
        listed: Mapping[int, str | None],
    ) -> list[CandidateNode]:
        run = preemption.run
        if run is None:
            raise ValueError(f"the preemption by {pod.key} has no dry run")
        rows = np.array([*listed], np.intp)
        broken = self._broken(pod, run, rows)
        columns = [key.values(run, rows).tolist() for key in choice.keys]
        return [
            CandidateNode(
                node=self._snapshot.names[row],
                victims=tuple(self._victim(victim, broken) for victim in run.victims_on(row)),
                pdb_violations=int(run.violations[row]),
                values=tuple(
                    key.words(value, int(run.victim_count[row]))
                    for key, value in zip(choice.keys, values, strict=True)
                ),
                lost_at=lost_at,
            )
            for (row, lost_at), *values in zip(listed.items(), *columns, strict=True)
        ]

    def _victim(self, pod: PodInfo, broken: Broken) -> Victim:
        budgets = self._budgets.budgets
        return Victim(
            **pod_facts(pod.obj),
            node=node_name_of(pod.obj),
            budgets=tuple(
                VictimsBudget(
                    f"{budgets[number].namespace}/{budgets[number].name}",
                    budgets[number].allowed,
                    is_broken=number in broken.get(pod.uid, ()),
                )
                for number in self._budgets.covering(pod.cls)
                if pod.name not in budgets[number].disrupted
            ),
            # Until it is gone, the scheduler names a victim again.
            is_leaving=pod.cls.terminating or pod.uid in self.preemptors,
        )

    def _broken(self, preemptor: PodInfo, run: DryRun, rows: Rows) -> Broken:
        if not self._budgets.budgets:
            return {}
        potential = run.tables.potential_victims(preemptor.priority, rows)
        pods = [self._snapshot.pods.pods[slot] for slot in potential.slots.tolist()]
        result: Broken = {}
        start = 0
        for count in potential.counts.tolist():
            end = start + count
            # On each row the violating pods come first.
            border = start + int(potential.violating[start:end].sum())
            result.update(self._broken_on_row(pods[start:border], pods[border:end]))
            start = end
        return result

    def _broken_on_row(self, violating: Sequence[PodInfo], spared: Sequence[PodInfo]) -> Broken:
        """Which budgets the violating pods of one row break.

        The pods of a row spend a budget in order of importance, and whoever comes when it is spent
        breaks it. None of the spared ones did: all that is left of it went to them, and to as many
        of the violating ones, which break another budget, as there was enough for.
        """
        broken: Broken = {pod.uid: set() for pod in violating}
        numbers = {n for pod in violating for n in self._budgets.covering(pod.cls)}
        for number in numbers:
            budget = self._budgets.budgets[number]
            paid = sum(self._pays(pod, number) for pod in spared)
            covered = [pod for pod in violating if self._pays(pod, number)]
            for pod in covered[max(budget.allowed - paid, 0) :]:
                broken[pod.uid].add(number)
        return broken

    def _pays(self, pod: PodInfo, number: int) -> bool:
        """Whether the pod's disruption costs one of those that a budget allows."""
        granted = self._budgets.budgets[number].disrupted
        return number in self._budgets.covering(pod.cls) and pod.name not in granted
