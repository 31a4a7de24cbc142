"""Pods that have a place for as long as a question is asked, as the scheduler's filters allow."""

from types import TracebackType
from typing import Self

from podium.core.evaluation import Evaluation
from podium.core.framework import FITS
from podium.core.pods import PodInfo, placed_pod
from podium.scheduler import Scheduler


class Placing:
    """Places pods one after the other; at the end none of them has a place any more.

    Args:
        scheduler: with its nodes and pods.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._evaluations: dict[tuple[int, str], Evaluation] = {}
        self._placed: list[PodInfo] = []

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
        snapshot = self._scheduler.snapshot
        placed = placed_pod(pod.obj, snapshot.classes)
        snapshot.add_pod(placed, snapshot.names[row])
        self._placed.append(placed)

    def __enter__(self) -> Self:
        """The same object."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take away all that was placed."""
        for pod in reversed(self._placed):
            self._scheduler.snapshot.remove_pod(pod)

    def _evaluation(self, pod: PodInfo, scheduler_name: str) -> Evaluation:
        scheduler, key = self._scheduler, (pod.cls.id, scheduler_name)
        evaluation = self._evaluations.get(key)
        if evaluation is None:
            pipeline = scheduler.pipelines[scheduler_name]
            evaluation = self._evaluations[key] = Evaluation(pipeline, scheduler.handle, pod)
        evaluation.refresh(pod)
        return evaluation
