"""Has the scheduler's own filters judge a solution, step by step, and finds victims new places."""

from collections.abc import Mapping, Sequence

import msgspec

from podium.api.objects import controller_of
from podium.api.pods import scheduler_name_of
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.interface import FITS
from podium.scheduler.preemption.policies.replacements import replacement
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.trial_changes import TrialChanges
from podium.whatif.optimum.model import PodPlace, Solution


class Placing:
    """Places pods one after the other."""

    def __init__(self, scheduler: Scheduler, changes: TrialChanges) -> None:
        self._scheduler = scheduler
        self._changes = changes
        self._evaluations: dict[tuple[int, str], Evaluation] = {}

    def fits(self, pod: PodInfo, scheduler_name: str, row: int) -> bool:
        """Whether a pod fits a row."""
        filtering = self._evaluation(pod, scheduler_name).filtering
        return filtering.pre_filter.is_success and bool(filtering.outcome[row] == FITS)

    def best_row(self, pod: PodInfo, scheduler_name: str) -> int | None:
        """The row that a pod would get; None if it fits nowhere."""
        preference = self._evaluation(pod, scheduler_name).preference
        row = int(preference.argmax())
        return row if preference[row] >= 0 else None

    def add(self, pod: PodInfo, row: int) -> None:
        """Place a pod."""
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
        order: in which the pods fit their nodes, one after the other.
        moves: by uid of a victim, the node that its replacement then goes to.
    """

    order: Sequence[PodPlace]
    misfits: Sequence[PodPlace]
    moves: Mapping[str, str]


def verify(scheduler: Scheduler, solution: Solution) -> Verdict:
    """Take all victims off, place the pods, then the victims' replacements; undo all of it."""
    gone = [victim for victim, _ in solution.victims]
    leaving = [pod for pods in scheduler.snapshot.pods_on for pod in pods if pod.cls.terminating]
    with TrialChanges(scheduler.snapshot) as changes:
        placing = Placing(scheduler, changes)
        changes.take([*gone, *leaving])
        order, left, more = list[PodPlace](), [*solution.places], True
        # Each that is placed may let another one in.
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
