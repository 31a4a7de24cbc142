"""The search for the least disruption that places pending pods, verified by the filters."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from podium.api.objects import controller_of
from podium.api.pods import scheduler_name_of
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.interface import FITS
from podium.scheduler.framework.trial_changes import TrialChanges
from podium.scheduler.preemption.policies.candidate_keys import keys_of
from podium.scheduler.preemption.policies.replacements import replacement
from podium.scheduler.rehearsal import rehearsal
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.whatif.optimum.constraints import constrain
from podium.whatif.optimum.model import Model, PodPlace, solution_of
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
    """Trial placements of pods, one after the other."""

    def __init__(self, scheduler: Scheduler, changes: TrialChanges) -> None:
        self._scheduler = scheduler
        self._changes = changes
        self._evaluations: dict[tuple[int, str], Evaluation] = {}

    def fits(self, pod: PodInfo, scheduler_name: str, row: int) -> bool:
        """Return whether a pod passes all filters on the node of a row."""
        filtering = self._evaluation(pod, scheduler_name).filtering
        return filtering.pre_filter.is_success and bool(filtering.outcome[row] == FITS)

    def best_row(self, pod: PodInfo, scheduler_name: str) -> int | None:
        """Return the row to which the scheduler would bind a pod; None if it fits no node."""
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


def verify(
    scheduler: Scheduler, places: Sequence[PodPlace], victims: Sequence[PodInfo]
) -> tuple[list[PodPlace], list[PodPlace], dict[str, str]]:
    """Check a solution by the scheduler's filters, in trial changes that are undone.

    All victims are deleted first; then the pods are placed, then the replacements of the victims.
    Returns the placements that pass the filters, in an order in which they do, the rejected
    placements, and the node of each victim's replacement, by the victim's uid.
    """
    leaving = [pod for pods in scheduler.snapshot.pods_on for pod in pods if pod.cls.terminating]
    with TrialChanges(scheduler.handle) as changes:
        placing = Placing(scheduler, changes)
        changes.take([*victims, *leaving])
        order, left, more = list[PodPlace](), [*places], True
        # Each placed pod may make another one feasible, by affinity or spread.
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
        for victim in () if left else sorted(victims, key=lambda pod: (-pod.priority, pod.key)):
            name = scheduler_name_of(victim.obj)
            if controller_of(victim.obj) is not None and name in scheduler.pipelines:
                pod = replacement(victim, scheduler.snapshot.classes)
                row = placing.best_row(pod, name)
                if row is not None:
                    placing.add(pod, row)
                    moves[victim.uid] = scheduler.snapshot.names[row]
        return order, left, moves


def solve(scheduler: Scheduler, pending: Sequence[PodInfo], seconds: float) -> Optimum:
    """Find the least disruption that places pending pods, within a number of seconds."""
    problem = ProblemReader(scheduler, pending).read()
    model = Model(problem, scheduler)
    constrain(model)
    listed = [*objectives(model)]
    program, nodes, budgets = model.program, scheduler.snapshot.names, scheduler.budgets
    values = program.completed(first_solution(model)) or [0] * len(program.limits)
    order = scheduler.handle.options.candidate_keys
    names: dict[str, str] = {UNPLACED: UNPLACED}
    names |= {key: by.name for key, by in zip(order, keys_of(scheduler.handle), strict=True)}
    gaps, left_s = list[OptimumGap](), seconds
    for objective in listed:
        # An objective that takes long leaves some of the time to the next ones.
        solved = program.minimise(objective.costs, left_s / 2, values)
        values, left_s = solved.values, left_s - solved.seconds
        program.at_most(objective.costs.items(), solved.value)
        if solved.value > solved.bound:
            key = names[objective.name]
            gaps.append(OptimumGap(key, objective.level, solved.value, solved.bound))
    places, preempted = solution_of(model, values)
    placed, misfits, moves = verify(scheduler, places, [victim for victim, _ in preempted])
    allowed = [max(budget.allowed, 0) for budget in budgets.budgets]
    victims = []
    for victim, preemptor in sorted(preempted, key=lambda pods: (-pods[0].priority, pods[0].key)):
        is_violating = False
        for number in budgets.spent_by(victim):
            allowed[number] -= 1
            is_violating |= allowed[number] < 0
        moves_to = moves.get(victim.uid, "")
        node, priority = nodes[victim.row], victim.priority
        victims.append(
            OptimalVictim(victim.key, node, priority, preemptor.key, is_violating, moves_to)
        )
    victims.sort(key=lambda victim: (victim.node, victim.pod))
    notes = [
        f"not minimised, as it is no sum over victims: {names[key]}"
        for key in order
        if key in NOT_MINIMISED
    ]
    notes += [
        f"the filters don't let {place.pod.key} onto {nodes[place.row]} in any order that was tried"
        for place in misfits
    ]
    return Optimum(
        proven=not gaps,
        verified=not misfits,
        pods=len(pending),
        tally=tally(len(places), [(one.priority, one.pdb_violation) for one in victims]),
        ordinary=None,
        placements=tuple(
            OptimalPlacement(place.pod.key, nodes[place.row], place.pod.priority)
            for place in sorted(places, key=lambda place: place.pod.key)
        ),
        victims=tuple(victims),
        steps=tuple(_steps(nodes, placed, victims)),
        gaps=tuple(gaps),
        unexpressed=tuple(sorted(problem.unexpressed, key=lambda pod: pod.pod)),
        notes=tuple(notes),
    )


def tally(placed: int, victims: Sequence[tuple[int, bool]]) -> OptimumTally:
    """Sum up victims, given as priority and whether the disruption violates a budget."""
    priorities = [priority for priority, _ in victims]
    return OptimumTally(
        placed,
        sum(is_violating for _, is_violating in victims),
        max(priorities, default=None),
        sum(priorities),
        len(victims),
    )


def _steps(
    nodes: Sequence[str], places: Sequence[PodPlace], victims: Sequence[OptimalVictim]
) -> Iterator[OptimumStep]:
    # All victims are deleted before any pod is bound, as a place may depend on several of them.
    for place in places:
        own = [victim for victim in victims if victim.by == place.pod.key]
        if own:
            yield OptimumStep("Nominate", place.pod.key, nodes[place.row])
        for victim in own:
            yield OptimumStep("Delete", victim.pod, victim.node)
    for place in places:
        yield OptimumStep("Bind", place.pod.key, nodes[place.row])
    for victim in victims:
        if victim.moves_to:
            yield OptimumStep("Move", victim.pod, victim.moves_to)


def first_solution(model: Model) -> Mapping[int, int]:
    """Return the values of variables that describe the scheduler's own decisions.

    Pods are decided by descending priority, and their victims are deleted at once. A pod with a
    victim that isn't in the model is skipped.
    """
    scheduler, values = model.scheduler, Counter[int]()
    rows, on_nodes = scheduler.snapshot.row_of, scheduler.snapshot.pods_on
    gone = {
        pod.uid: variable
        for number, variable in model.gone.items()
        for pod in model.occupants[number].pods
    }
    pending = [(pod, number) for number, demand in enumerate(model.demands) for pod in demand.pods]
    pending.sort(key=lambda pair: (-pair[0].priority, pair[0].key))
    with rehearsal(scheduler, ()) as rehearsed:
        rehearsed.changes.take([p for pods in on_nodes for p in pods if p.cls.terminating])
        for pod, number in pending:
            decision = scheduler.decide(pod, model.demands[number].scheduler_name)
            preemption = decision.post_filter
            victims = () if preemption is None else preemption.victims
            if any(victim.uid not in gone for victim in victims):
                continue
            row = rows.get(rehearsed.carry_out(decision), -1)
            if row in model.placed[number]:
                values[model.placed[number][row]] += 1
                values.update(gone[victim.uid] for victim in victims)
    return values
