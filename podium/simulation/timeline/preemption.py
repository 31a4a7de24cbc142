"""Details of preemptions: victims, violated budgets, and why other nodes weren't chosen."""

from collections import Counter
from collections.abc import Callable
from typing import Annotated

import numpy as np

from podium.api.documents.report import (
    HIDDEN,
    IF_ANY,
    OrNull,
    PodReport,
    Report,
    pod_facts,
)
from podium.api.pods import node_name_of
from podium.api.values.message_words import count
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.preemption.record import NAME_KEY
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.pod_info import PodInfo


class VictimsBudget(Report):
    """A PodDisruptionBudget that covers a victim."""

    budget: str
    """The budget, `namespace/name`."""
    allowed: int
    """Disruptions that the budget allowed before the preemption."""
    is_broken: bool = False
    """Whether the victim's disruption violates the budget."""


class Victim(PodReport, kw_only=True):
    """A victim of a preemption."""

    node: str
    """Node of the victim, which may differ from the preemptor's."""
    pdb_violation: bool = False
    """Whether the victim's disruption violates a budget."""
    leaving: Annotated[bool, IF_ANY] = False
    """Whether it was terminating, or a victim of an earlier preemption, already."""

    budgets: Annotated[tuple[VictimsBudget, ...], HIDDEN]
    """Budgets that cover the victim."""

    @property
    def broken(self) -> tuple[str, ...]:
        return tuple(b.budget for b in self.budgets if b.is_broken)


class CandidateNode(Report):
    """A node on which preemption would help, and the key at which it lost the choice."""

    node: str
    """Name of the node."""
    victims: tuple[Victim, ...]
    """Victims on the node, the most important first."""
    pdb_violations: int
    """Number of victims whose disruption violates a budget."""
    values: Annotated[tuple[str, ...], HIDDEN]
    """Formatted values of the keys of the choice, in order."""
    lost_at: str | None = None
    """Name of the key at which the node lost, `NAME_KEY` if it lost only by its name; None for the
    chosen node."""


class PreemptionOutcome(Report, kw_only=True):
    """A preemption that a scheduler decided, with the candidates between which it chose."""

    preemptor: str
    """The preemptor, `namespace/name`."""
    namespace: str = ""
    """Namespace of the preemptor."""
    owner: Annotated[str, IF_ANY] = ""
    """Controller of the preemptor, `Kind namespace/name`; empty if it has none."""
    priority: int = 0
    """Priority of the preemptor."""
    priority_class: OrNull = ""
    """PriorityClass of the preemptor; empty if it names none."""
    node: str
    """The chosen node."""
    at: float
    """When it was decided, in seconds since the beginning."""
    victims: tuple[Victim, ...]
    """Victims on the chosen node."""
    devices: Annotated[int, IF_ANY] = 0
    """Number of devices for which the victims are preempted."""
    alternatives: tuple[CandidateNode, ...]
    """Other candidates; those that lost at a later key come first."""
    alternatives_left_out: Annotated[int, IF_ANY]
    """Number of further candidates."""
    chosen: Annotated[CandidateNode, HIDDEN]
    keys: Annotated[tuple[tuple[str, str], ...], HIDDEN]
    """Names and headings of the keys by which candidates were compared, in order."""

    @property
    def taken(self) -> tuple[Victim, ...]:
        """The victims that weren't leaving already."""
        return tuple(victim for victim in self.victims if not victim.leaving)

    @property
    def for_devices(self) -> str:
        """Such as ` for 2 devices`; empty if no devices are missing."""
        return f" for {count(self.devices, 'device')}" if self.devices else ""

    @property
    def candidate_count(self) -> int:
        return 1 + len(self.alternatives) + self.alternatives_left_out


Broken = dict[str, set[int]]
"""The numbers of the budgets that a pod's disruption breaks, by the pod's uid."""


class PreemptionRecorder:
    """Records preemptions at the decision, before the cluster changes."""

    def __init__(
        self, scheduler: Scheduler, alternatives_max: int, passed_s: Callable[[], float]
    ) -> None:
        self.outcomes: list[PreemptionOutcome] = []
        self.preemptors: dict[str, str] = {}
        """The uid of the first preemptor of each victim, by the victim's uid."""
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
            if not victim.leaving:
                self.preemptors[pod.uid] = decision.pod.uid

    def read(self, pod: PodInfo, preemption: Preemption, count_max: int) -> PreemptionOutcome:
        """Describe a preemption, with at most `count_max` candidates besides the chosen node."""
        choice, run = preemption.choice, preemption.run
        if choice is None or run is None:
            missing = "candidates" if choice is None else "dry run"
            raise ValueError(f"the preemption by {pod.key} has no {missing}")
        chosen_row = self._snapshot.row_of[preemption.node_name]
        names = [*(key.name for key in choice.keys), NAME_KEY]
        listed: dict[int, str | None] = {chosen_row: None}
        for row, lost_at in choice.runners_up(chosen_row, self._snapshot.ranks, count_max):
            listed[row] = names[-1 if lost_at is None else lost_at]
        rows = np.array([*listed], np.intp)
        broken = self._broken(pod, run, rows)
        columns = [key.values(run, rows).tolist() for key in choice.keys]
        chosen, *others = (
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
        )
        facts = pod_facts(pod.obj)
        return PreemptionOutcome(
            preemptor=facts.pop("pod"),
            **facts,
            node=chosen.node,
            at=self._passed_s(),
            victims=chosen.victims,
            devices=preemption.device_count,
            alternatives=tuple(others),
            alternatives_left_out=len(preemption.candidate_rows) - len(listed),
            chosen=chosen,
            keys=tuple((key.name, key.heading) for key in choice.keys),
        )

    def _victim(self, pod: PodInfo, broken: Broken) -> Victim:
        violated = broken.get(pod.uid, set())
        budgets = []
        for number in self._budgets.spent_by(pod):
            budget = self._budgets.budgets[number]
            named = f"{budget.namespace}/{budget.name}"
            budgets.append(VictimsBudget(named, budget.allowed, is_broken=number in violated))
        return Victim(
            **pod_facts(pod.obj),
            node=node_name_of(pod.obj),
            pdb_violation=bool(violated),
            budgets=tuple(budgets),
            # Until it is gone, the scheduler names a victim again.
            leaving=pod.cls.terminating or pod.uid in self.preemptors,
        )

    def _broken(self, preemptor: PodInfo, run: DryRun, rows: Rows) -> Broken:
        """Find the budgets that potential victims on rows violate.

        The pods of a row use up the disruptions that a budget allows in order of importance;
        further pods violate it. Pods in the group without violations have used one each, and pods
        that violate another budget the rest.
        """
        broken: Broken = {}
        if not self._budgets.budgets:
            return broken
        potential = run.tables.potential_victims(preemptor.priority, rows)
        pods = [self._snapshot.pods.pods[slot] for slot in potential.slots.tolist()]
        start = 0
        for pod_count in potential.counts.tolist():
            end = start + pod_count
            # On each row the violating pods come first.
            border = start + int(potential.violating[start:end].sum())
            violating, spared = pods[start:border], pods[border:end]
            broken.update((pod.uid, set()) for pod in violating)
            covered: dict[int, list[PodInfo]] = {}
            for pod in violating:
                for number in self._budgets.spent_by(pod):
                    covered.setdefault(number, []).append(pod)
            paid = Counter(number for pod in spared for number in self._budgets.spent_by(pod))
            for number, listed in covered.items():
                allowed = self._budgets.budgets[number].allowed
                for pod in listed[max(allowed - paid[number], 0) :]:
                    broken[pod.uid].add(number)
            start = end
        return broken
