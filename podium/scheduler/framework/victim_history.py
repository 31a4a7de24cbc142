"""The pods that were preempted recently, and the victims that still exist."""

from bisect import insort
from collections import deque
from collections.abc import Iterable

import msgspec

from podium.api.objects import controller_of, metadata_of
from podium.api.pods import priority_class_of
from podium.api.process.recent_values import Recent
from podium.api.values.times import epoch_s
from podium.scheduler.snapshot.pod_info import PodInfo

_VICTIMS_MAX = 100_000


class PastVictim(msgspec.Struct, frozen=True):
    """A pod that was preempted, at a time in seconds since the epoch."""

    at_s: float
    namespace: str
    priority_class: str


class VictimHistory:
    """Recent victims, and the preemption times that their replacements inherit.

    A new pod inherits the times of one victim of its controller, of the victim with the most. A pod
    without a controller inherits from a victim of its own name. If not `is_kept`, all stays empty.
    """

    def __init__(self, *, is_kept: bool = True) -> None:
        self._is_kept = is_kept
        self.victims: deque[PastVictim] = deque(maxlen=_VICTIMS_MAX)
        """The last victims, the oldest first."""
        self.leaving: dict[str, str] = {}
        """Uids of victims that still exist, with the uids of their preemptors."""
        self.epoch = 0
        """Raised by every preemption."""
        self._inherited: dict[str, tuple[float, ...]] = {}
        self._to_inherit: Recent[str, list[tuple[float, ...]]] = Recent(_VICTIMS_MAX)

    def preempted(self, victims: Iterable[PodInfo], now_s: float, preemptor_uid: str = "") -> None:
        """Record the victims of a preemption, except those of earlier ones that still exist."""
        if not self._is_kept:
            return
        for pod in victims:
            if pod.uid in self.leaving:
                continue
            self.leaving[pod.uid] = preemptor_uid
            self.victims.append(PastVictim(now_s, pod.namespace, priority_class_of(pod.obj)))
            moments, lineage = (*self.moments(pod), now_s), _lineage(pod)
            waiting = self._to_inherit.get(lineage) or []
            insort(waiting, moments, key=len)
            self._to_inherit.put(lineage, waiting)
            self.epoch += 1

    def spared(self, pod: PodInfo) -> None:
        """Undo the record of a victim that couldn't be removed."""
        if self.leaving.pop(pod.uid, None) is not None:
            before, waiting = self.moments(pod), self._to_inherit.get(_lineage(pod)) or []
            undone = next((one for one in reversed(waiting) if one[:-1] == before), None)
            if undone is not None:
                waiting.remove(undone)

    def gone(self, pod_uid: str) -> None:
        self.leaving.pop(pod_uid, None)
        self._inherited.pop(pod_uid, None)

    def moments(self, pod: PodInfo) -> tuple[float, ...]:
        """Return when the pods that a pod replaces were preempted, in seconds since the epoch.

        The times are ascending. A pod replaces an earlier victim of its controller.
        """
        known = self._inherited.get(pod.uid)
        if known is None:
            waiting = self._to_inherit.get(_lineage(pod))
            created = metadata_of(pod.obj).get("creationTimestamp")
            created_s = epoch_s(created) if created else 0.0
            is_heir = waiting and created_s >= int(waiting[-1][-1])
            known = self._inherited[pod.uid] = waiting.pop() if waiting and is_heir else ()
        return known


def _lineage(pod: PodInfo) -> str:
    controller = controller_of(pod.obj)
    return pod.key if controller is None else str(controller.get("uid"))
