"""The pods that a real node has taken, and the question whether it takes another one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.api.meta import uid
from podium.api.priority import is_critical
from podium.core.pod_classes import PodClasses
from podium.core.pods import PodInfo, placed_pod
from podium.node.admission import Objection, objection, shortages
from podium.node.life import Why
from podium.node.load import Load
from podium.node.preemption import CONDITION_MESSAGE, MESSAGE, REASON, victims
from podium.node.real.machine import MachineInfo
from podium.node.real.pod_life import PodLife
from podium.node.real.refusing import unsupported

Object = Mapping[str, Any]

_PREEMPTED = Why(REASON, MESSAGE, CONDITION_MESSAGE)
_LEAVING = Objection("NodeShutdown", "Pod was rejected as the node is shutting down.")
_NO_ROOM = (
    "Unexpected error while attempting to recover from admission failure: preemption: error "
    "finding a set of pods to preempt: no set of running pods found to reclaim resources: [{}]"
)


@dataclass(slots=True)
class Resident:
    """A pod that the node has taken.

    Attributes:
        info: the pod as it counts on the node.
        life: its life.
        counts: whether it takes room.
        is_gone: whether the cluster has forgotten it already.
    """

    info: PodInfo
    life: PodLife
    counts: bool = True
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """What has come of a pod.

    Attributes:
        objection: why it isn't taken; None if it is.
        victims: pods that are stopped to make room for it, each with what is to be told.
    """

    objection: Objection | None = None
    victims: Sequence[tuple[Resident, str]] = ()


class Household:
    """All of them.

    Args:
        machine: about the machine.
    """

    def __init__(self, machine: MachineInfo) -> None:
        self._facts = machine
        self._classes = PodClasses()
        self._load = Load()
        self._by_uid: dict[str, Resident] = {}
        self._left_behind: dict[str, Object] = {}

    def get(self, pod_uid: str) -> Resident | None:
        """A pod that was taken."""
        return self._by_uid.get(pod_uid)

    def pod(self, pod_uid: str) -> Object | None:
        """A pod, whether it was taken or not."""
        resident = self._by_uid.get(pod_uid)
        return self._left_behind.get(pod_uid) if resident is None else resident.life.pod

    def all(self) -> list[Resident]:
        """All, in the order in which they came."""
        return list(self._by_uid.values())

    def active(self) -> Iterator[Resident]:
        """Those that haven't ended."""
        return (one for one in self.all() if not one.life.is_over)

    def next_s(self) -> float:
        """When there is something to do for any of them."""
        return min((one.life.next_s() for one in self.active()), default=float("inf"))

    def take(
        self, pod: Object, node: Object, pressures: Sequence[str], is_leaving: bool, now_s: float
    ) -> Taken:
        """Take a pod, or say why not.

        Args:
            pod: the pod.
            node: the node.
            pressures: the conditions of pressure that it is in.
            is_leaving: whether its agent is about to end.
            now_s: the time.
        """
        info = placed_pod(pod, self._classes)
        was_taken = bool((pod.get("status") or {}).get("startTime"))
        refused = self._objection(info, node, pressures, is_leaving, was_taken)
        if refused is not None:
            return Taken(refused)
        short = [] if was_taken else [*shortages(node, self._load, info)]
        chosen: list[Resident] = []
        if short and is_critical(pod):
            active = {id(one.info): one for one in self.active()}
            found = victims(info, [one.info for one in active.values()], short)
            if found is None:
                needs = (f"(res: {one.resource}, q: {one.missing}), " for one in short)
                message = _NO_ROOM.format("".join(needs))
                return Taken(Objection("UnexpectedAdmissionError", message))
            chosen = [active[id(one)] for one in found]
        life = PodLife.begun(pod, self._facts.memory_bytes, now_s)
        for victim in chosen:
            victim.life.stop(_PREEMPTED, victim.life.own_grace_period_s(), now_s)
            life.waits_for.add(victim.life.uid)
        self._by_uid[uid(pod)] = Resident(info, life)
        self._load.add(info)
        return Taken(victims=[(one, MESSAGE) for one in chosen])

    def _objection(
        self,
        info: PodInfo,
        node: Object,
        pressures: Sequence[str],
        is_leaving: bool,
        was_taken: bool,
    ) -> Objection | None:
        if was_taken:
            return unsupported(info.obj, self._facts.uid)
        if is_leaving:
            return _LEAVING
        first = objection(node, self._load, info, pressures)
        return first or unsupported(info.obj, self._facts.uid)

    def renew(self, resident: Resident, pod: Object) -> None:
        """Take in how a pod is now; what it requests may change as it runs."""
        if pod["spec"] != resident.life.pod["spec"] and resident.counts:
            self._load.remove(resident.info)
            resident.info = placed_pod(pod, self._classes)
            self._load.add(resident.info)
        resident.life.see(pod)

    def leave_behind(self, pod: Object) -> None:
        """Take note of a pod that isn't taken, so that it can be removed."""
        self._left_behind[uid(pod)] = pod

    def forget_left_behind(self, pod_uid: str) -> None:
        """A pod that wasn't taken is gone."""
        self._left_behind.pop(pod_uid, None)

    def ended(self, resident: Resident) -> None:
        """Count a pod no more that has ended; who has waited for its room may begin."""
        if not resident.counts:
            return
        self._load.remove(resident.info)
        resident.counts = False
        for one in self._by_uid.values():
            one.life.waits_for.discard(resident.life.uid)

    def forget(self, pod_uid: str) -> None:
        """A pod is gone."""
        self._by_uid.pop(pod_uid, None)
