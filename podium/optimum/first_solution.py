"""What the scheduler's own way would do all at once, for the solver to begin with."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from podium.core.pods import PodInfo
from podium.core.preemption.cross_node.absence import Absence
from podium.optimum.model import Model
from podium.optimum.placing import Placing


def first_solution(model: Model) -> Mapping[int, int]:
    """The variables of who goes where and who has to go, if pods are decided one by one.

    The most important come first; victims are gone at once. A pod whose victims the model doesn't
    have is passed over.
    """
    scheduler, chosen = model.scheduler, Counter[int]()
    occupants = {
        pod.uid: variable
        for number, variable in model.gone.items()
        for pod in model.occupants[number].pods
    }
    numbered = [(pod, number) for number, one in enumerate(model.demands) for pod in one.pods]
    numbered.sort(key=lambda one: (-one[0].priority, one[0].key))
    budgets, watch, scheduler.watch = scheduler.budgets.budgets, scheduler.watch, None
    with Absence(scheduler.snapshot) as absence, Placing(scheduler) as placing:
        absence.take([p for pods in scheduler.snapshot.pods_on for p in pods if p.cls.terminating])
        try:
            for pod, number in numbered:
                row, victims = _place(model, pod, number)
                if row in model.placed[number] and all(one.uid in occupants for one in victims):
                    absence.take(victims)
                    placing.add(pod, row)
                    chosen[model.placed[number][row]] += 1
                    chosen.update(occupants[one.uid] for one in victims)
                    _charge(model, victims)
        finally:
            scheduler.watch = watch
            scheduler.set_budgets(budgets)
    return chosen


def _place(model: Model, pod: PodInfo, number: int) -> tuple[int, Sequence[PodInfo]]:
    """Where a pod goes, and who has to go for it; -1 if it gets no place."""
    rows = model.scheduler.snapshot.row_of
    decision = model.scheduler.decide(pod, model.demands[number].scheduler_name)
    found = decision.post_filter
    if decision.node_name:
        return rows[decision.node_name], ()
    if found is None or not found.nominated_node_name or not found.victims:
        return -1, ()
    return rows[found.nominated_node_name], found.victims


def _charge(model: Model, victims: Sequence[PodInfo]) -> None:
    """Have budgets allow less after some have gone."""
    columns = model.scheduler.budgets
    spent = Counter(number for one in victims for number in columns.covering(one.cls))
    if spent:
        columns.replace(
            replace(budget, allowed=budget.allowed - spent[number])
            for number, budget in enumerate(columns.budgets)
        )
