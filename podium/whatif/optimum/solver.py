"""The search for the least disruption that gives pending pods a place, verified by the filters."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from podium.api.objects import controller_of
from podium.api.pods import scheduler_name_of
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.interface import FITS
from podium.scheduler.preemption.policies.candidate_keys import keys_of
from podium.scheduler.preemption.policies.replacements import replacement
from podium.scheduler.rehearsal import rehearsal
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.trial_changes import TrialChanges
from podium.whatif.optimum.constraints import constrain
from podium.whatif.optimum.model import Model, PodPlace, Solution, solution_of
from podium.whatif.optimum.objectives import NOT_MINIMISED, UNPLACED, objectives
from podium.whatif.optimum.optimum_report import (
    OptimalPlacement,
    OptimalVictim,
    Optimum,
    OptimumGap,
    OptimumStep,
    OptimumTally,
)
from podium.whatif.optimum.problem import ProblemReader


class Placing:
    """Places pods in a snapshot one after the other, by the scheduler's filters and scores."""

    def __init__(self, scheduler: Scheduler, changes: TrialChanges) -> None:
        self._scheduler = scheduler
        self._changes = changes
        self._evaluations: dict[tuple[int, str], Evaluation] = {}

    def fits(self, pod: PodInfo, scheduler_name: str, row: int) -> bool:
        """Whether a pod fits the node of a row."""
        filtering = self._evaluation(pod, scheduler_name).filtering
        return filtering.pre_filter.is_success and bool(filtering.outcome[row] == FITS)

    def best_row(self, pod: PodInfo, scheduler_name: str) -> int | None:
        """Return the row of the node that a pod would get; None if no node fits."""
        preference = self._evaluation(pod, scheduler_name).preference
        row = int(preference.argmax())
        return row if preference[row] >= 0 else None

    def add(self, pod: PodInfo, row: int) -> None:
        """Place a pod on the node of a row."""
        self._changes.put(pod, self._scheduler.snapshot.names[row])

    def _evaluation(self, pod: PodInfo, scheduler_name: str) -> Evaluation:
        scheduler, key = self._scheduler, (pod.cls.id, scheduler_name)
        evaluation = self._evaluations.get(key)
        if evaluation is None:
            pipeline = scheduler.pipelines[scheduler_name]
            evaluation = self._evaluations[key] = Evaluation(
                pipeline, scheduler.snapshot, scheduler.listers, scheduler.nominator, pod
            )
        evaluation.refresh(pod)
        return evaluation


class Verdict(msgspec.Struct, frozen=True):
    """The verdict of the filters on a solution.

    Attributes:
        order: an order in which the pods fit their nodes, one after the other.
        misfits: the pods that don't fit their nodes.
        moves: the nodes of the victims' replacements, by uid of the victim.
    """

    order: Sequence[PodPlace]
    misfits: Sequence[PodPlace]
    moves: Mapping[str, str]


def verify(scheduler: Scheduler, solution: Solution) -> Verdict:
    """Try in the snapshot whether the pods fit without the victims, and where replacements go."""
    gone = [victim for victim, _ in solution.victims]
    leaving = [pod for pods in scheduler.snapshot.pods_on for pod in pods if pod.cls.terminating]
    with TrialChanges(scheduler.snapshot) as changes:
        placing = Placing(scheduler, changes)
        changes.take([*gone, *leaving])
        order, left, more = list[PodPlace](), [*solution.places], True
        # Each placed pod may make room for another one, as by affinity.
        while left and more:
            waiting = []
            for place in left:
                if placing.fits(place.pod, place.scheduler_name, place.row):
                    placing.add(place.pod, place.row)
                    order.append(place)
                else:
                    waiting.append(place)
            more, left = len(waiting) < len(left), waiting
        moves = {}
        for victim in () if left else sorted(gone, key=lambda one: (-one.priority, one.key)):
            name = scheduler_name_of(victim.obj)
            if controller_of(victim.obj) is not None and name in scheduler.pipelines:
                pod = replacement(victim, scheduler.snapshot.classes)
                row = placing.best_row(pod, name)
                if row is not None:
                    placing.add(pod, row)
                    moves[victim.uid] = scheduler.snapshot.names[row]
        return Verdict(order, left, moves)


def solve(scheduler: Scheduler, pending: Sequence[PodInfo], seconds: float) -> Optimum:
    """Find the least disruption that gives pods a place, by a search of so many seconds."""
    problem = ProblemReader(scheduler, pending).read()
    model = Model(problem, scheduler)
    constrain(model)
    listed = [*objectives(model)]
    values = model.program.completed(first_solution(model)) or [0] * model.program.size
    names, gaps, left_s = _names(scheduler), list[OptimumGap](), seconds
    for objective in listed:
        # An objective that takes long leaves half of the time to the following ones.
        solved = model.program.minimise(objective.costs, left_s / 2, values)
        values, left_s = solved.values, left_s - solved.seconds
        model.program.at_most(objective.costs.items(), solved.value)
        if not solved.is_proven:
            which = names[objective.name]
            gaps.append(OptimumGap(which, objective.level, solved.value, solved.bound))
    solution = solution_of(model, values)
    verdict = verify(scheduler, solution)
    left = [max(budget.allowed, 0) for budget in scheduler.budgets.budgets]
    found = []
    for victim, preemptor in sorted(
        solution.victims, key=lambda one: (-one[0].priority, one[0].key)
    ):
        is_violating = False
        for number in scheduler.budgets.covering(victim.cls):
            budget = scheduler.budgets.budgets[number]
            if victim.name not in budget.disrupted:
                left[number] -= 1
                is_violating |= left[number] < 0
        node = scheduler.snapshot.names[victim.row]
        moves_to = verdict.moves.get(victim.uid, "")
        found.append(
            OptimalVictim(victim.key, node, victim.priority, preemptor.key, is_violating, moves_to)
        )
    victims = sorted(found, key=lambda one: (one.node, one.pod))
    return Optimum(
        is_proven=not gaps,
        is_verified=not verdict.misfits,
        pods=len(pending),
        tally=tally(len(solution.places), [(one.priority, one.is_violating) for one in victims]),
        ordinary=None,
        placements=tuple(
            OptimalPlacement(one.pod.key, scheduler.snapshot.names[one.row], one.pod.priority)
            for one in sorted(solution.places, key=lambda one: one.pod.key)
        ),
        victims=tuple(victims),
        steps=tuple(_steps(scheduler, verdict, victims)),
        gaps=tuple(gaps),
        unexpressed=tuple(sorted(problem.unexpressed, key=lambda one: one.pod)),
        notes=tuple(_notes(scheduler, verdict)),
    )


def tally(placed: int, victims: Sequence[tuple[int, bool]]) -> OptimumTally:
    """Sum up victims, each given by its priority and whether it violates a budget."""
    priorities = [priority for priority, _ in victims]
    return OptimumTally(
        placed,
        sum(is_violating for _, is_violating in victims),
        max(priorities, default=None),
        sum(priorities),
        len(victims),
    )


def _names(scheduler: Scheduler) -> dict[str, str]:
    order = scheduler.handle.options.candidate_order
    keys = zip(order, keys_of(scheduler.handle), strict=True)
    return {UNPLACED: UNPLACED, **{which: key.name for which, key in keys}}


def _steps(
    scheduler: Scheduler, verdict: Verdict, victims: Sequence[OptimalVictim]
) -> Iterator[OptimumStep]:
    # All victims are deleted before any pod is bound, as a place may depend on several of them.
    names = scheduler.snapshot.names
    for place in verdict.order:
        given_up = [victim for victim in victims if victim.by == place.pod.key]
        if given_up:
            yield OptimumStep("Nominate", place.pod.key, names[place.row])
        for victim in given_up:
            yield OptimumStep("Delete", victim.pod, victim.node)
    for place in verdict.order:
        yield OptimumStep("Bind", place.pod.key, names[place.row])
    for victim in victims:
        if victim.moves_to:
            yield OptimumStep("Move", victim.pod, victim.moves_to)


def _notes(scheduler: Scheduler, verdict: Verdict) -> Iterator[str]:
    names = _names(scheduler)
    for key in scheduler.handle.options.candidate_order:
        if key in NOT_MINIMISED:
            yield f"not minimised, as it is no sum over victims: {names[key]}"
    for place in verdict.misfits:
        node = scheduler.snapshot.names[place.row]
        yield f"the filters don't let {place.pod.key} onto {node} in any order that was tried"


def first_solution(model: Model) -> Mapping[int, int]:
    """Return the values of places and victims if the scheduler decides on pods one by one.

    The most important pods come first, and victims are gone at once. A pod whose victims have no
    variables is skipped.
    """
    scheduler, chosen = model.scheduler, Counter[int]()
    rows, on_nodes = scheduler.snapshot.row_of, scheduler.snapshot.pods_on
    occupants = {
        pod.uid: variable
        for number, variable in model.gone.items()
        for pod in model.occupants[number].pods
    }
    numbered = [(pod, number) for number, one in enumerate(model.demands) for pod in one.pods]
    numbered.sort(key=lambda one: (-one[0].priority, one[0].key))
    with rehearsal(scheduler, ()) as rehearsed:
        rehearsed.changes.take([p for pods in on_nodes for p in pods if p.cls.terminating])
        for pod, number in numbered:
            decision = scheduler.decide(pod, model.demands[number].scheduler_name)
            found = decision.post_filter
            victims = () if found is None else found.victims
            if any(one.uid not in occupants for one in victims):
                continue
            row = rows.get(rehearsed.carry_out(decision), -1)
            if row in model.placed[number]:
                chosen[model.placed[number][row]] += 1
                chosen.update(occupants[one.uid] for one in victims)
    return chosen
