"""Pods that have a place for as long as a question is asked, as the scheduler's filters allow."""

from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.interface import FITS
from podium.scheduler.preemption.policies.cross_node.absence import Absence
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo


class Placing:
    """Places pods one after the other.

    Args:
        scheduler: with its nodes and pods.
        absence: takes the pods away again.
    """

    def __init__(self, scheduler: Scheduler, absence: Absence) -> None:
        self._scheduler = scheduler
        self._absence = absence
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
        self._absence.put(pod, self._scheduler.snapshot.names[row])

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
