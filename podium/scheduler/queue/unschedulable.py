"""Pods that wait for an event, grouped by the plugins that rejected them.

Groups that an event can't help are skipped. Within a group, hints are called once per class, but
those that depend on a pod's own claims for each pod.
"""

from collections.abc import Callable

from podium.scheduler.queue.heap import PodHeap
from podium.scheduler.queue.hints import NO_HINTS, QueueingHints, Strategy
from podium.scheduler.queue.in_flight import InFlightEvent
from podium.scheduler.queue.queued_pod import QueuedPod, QueueName, Rejection
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo


class Unschedulable:
    """The pods that are unschedulable or gated."""

    def __init__(self) -> None:
        self._groups: dict[Rejection, dict[PodClass, dict[str, QueuedPod]]] = {}
        self._oldest = PodHeap()
        self.gated = 0

    def __len__(self) -> int:
        return len(self._oldest)

    def add(self, queued: QueuedPod) -> None:
        queued.place = QueueName.GATED if queued.gated_by else QueueName.UNSCHEDULABLE
        self.gated += queued.place is QueueName.GATED
        rejection, cls = queued.bucket = queued.rejection, queued.pod.cls
        self._groups.setdefault(rejection, {}).setdefault(cls, {})[queued.uid] = queued
        self._oldest.push(queued, (queued.flush_from_s,))

    def remove(self, queued: QueuedPod) -> None:
        assert queued.bucket is not None
        rejection, cls = queued.bucket
        queued.bucket = None
        self.gated -= queued.place is QueueName.GATED
        group = self._groups[rejection]
        bucket = group[cls]
        del bucket[queued.uid]
        if not bucket:
            del group[cls]
        if not group:
            del self._groups[rejection]
        self._oldest.discard(queued)

    def helped(
        self, hints: QueueingHints, happened: InFlightEvent, among: Callable[[PodInfo], bool] | None
    ) -> list[tuple[QueuedPod, Strategy]]:
        """Return the pods that an event may help, each with its strategy, without removing them."""
        pairs: list[tuple[QueuedPod, Strategy]] = []
        what, old, new, _, except_uid = happened
        for rejection, group in self._groups.items():
            questions = hints.questions(rejection, what)
            if questions == NO_HINTS:
                continue
            for bucket in group.values():
                pod = next(iter(bucket.values())).pod
                if among is not None and not among(pod):
                    continue
                waiting = [queued for uid, queued in bucket.items() if uid != except_uid]
                if questions.by_pod:
                    answers = [(q, questions.answer(q.pod, old, new)) for q in waiting]
                    pairs += [pair for pair in answers if pair[1] is not Strategy.SKIP]
                    continue
                strategy = questions.answer(pod, old, new)
                if strategy is not Strategy.SKIP:
                    pairs += [(queued, strategy) for queued in waiting]
        return pairs

    def oldest(self) -> QueuedPod | None:
        return self._oldest.head()

    def take_older(self, time_s: float) -> list[QueuedPod]:
        taken = []
        while (queued := self._oldest.head()) is not None and queued.flush_from_s < time_s:
            self.remove(queued)
            taken.append(queued)
        return taken
