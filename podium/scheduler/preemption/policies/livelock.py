"""Livelocks: a pod makes room on a node again and again, and other schedulers fill it.

Other schedulers may not know that the room is meant for somebody, or give it to pods that the
victims' controllers make anew. Then pods are removed one after the other, and nothing comes of it.
kube-scheduler goes on forever; here the preemptor waits before it removes more of them.
"""

from collections.abc import Iterable

import msgspec

from podium.api.objects import uid
from podium.api.pods import is_finished, node_name_of, scheduler_name_of
from podium.machines.backoff import Backoff
from podium.machines.events import Change
from podium.machines.reconciler.work_queue import DelayedKeys
from podium.scheduler.snapshot.pod_info import PodInfo

ROUNDS = 2
"""How often others have to take the room on a node: the next time would be the third."""
_DOUBLINGS = 4


class Livelock(msgspec.Struct, frozen=True):
    """Room that others have taken again and again.

    Attributes:
        rounds: how often it was taken.
        takers: pods that have it now, and would have to go next.
        wait_s: for how long the preemptor removes nobody; 0 if it goes on.
    """

    node_name: str
    rounds: int
    takers: tuple[PodInfo, ...]
    wait_s: float

    @property
    def note(self) -> str:
        """What an event says of it."""
        schedulers = ", ".join(sorted({scheduler_name_of(pod.obj) for pod in self.takers}))
        said = (
            f"Room made on node {self.node_name} was taken {self.rounds} times by pods of "
            f"{schedulers}, the last time by {self.takers[0].key}"
        )
        return f"{said}; preempting no pods for {self.wait_s:g}s" if self.wait_s else said


class _Rooms(msgspec.Struct):
    """What one preemptor has done so far.

    By node, the uids of the pods that were there when room was last made, and how often it was
    taken; and how often the preemptor had to wait.
    """

    seen: dict[str, frozenset[str]] = msgspec.field(default_factory=dict)
    rounds: dict[str, int] = msgspec.field(default_factory=dict)
    backoffs: int = 0


class LivelockGuard:
    """Notices livelocks of preemptors, and has them wait, `backoff_s` the first time (0: not)."""

    def __init__(self, own: Iterable[str], backoff_s: float) -> None:
        self._own = frozenset(own)
        self._backoff = Backoff(backoff_s, backoff_s * 2.0**_DOUBLINGS)
        self._rooms: dict[str, _Rooms] = {}
        self._waiting = DelayedKeys[str]()

    def __len__(self) -> int:
        return len(self._rooms)

    def holds(self, preemptor_uid: str) -> bool:
        """Whether nobody may be removed for a pod at present."""
        return preemptor_uid in self._waiting

    def asked(
        self, preemptor: PodInfo, node_name: str, victims: Iterable[PodInfo], now_s: float
    ) -> Livelock | None:
        """A pod wants victims to go; the livelock that it is in, if this shows one."""
        rooms = self._rooms.get(preemptor.uid)
        seen = None if rooms is None else rooms.seen.get(node_name)
        if rooms is None or seen is None:
            return None
        takers = tuple(
            pod
            for pod in victims
            if pod.uid not in seen and scheduler_name_of(pod.obj) not in self._own
        )
        if not takers:
            return None
        rounds = rooms.rounds[node_name] = rooms.rounds.get(node_name, 0) + 1
        if rounds < ROUNDS:
            return None
        rooms.backoffs += 1
        wait_s = self._backoff.wait_s(rooms.backoffs)
        if wait_s:
            self._waiting.add(preemptor.uid, now_s + wait_s)
            # The room is lost, and isn't to be counted again when the wait is over.
            del rooms.seen[node_name]
        return Livelock(node_name, rounds, takers, wait_s)

    def follow(self, change: Change) -> None:
        """Forget a preemptor that is on a node, or gone."""
        pod = change.obj
        if uid(pod) not in self._rooms:
            return
        if change.new is None or node_name_of(pod) or is_finished(pod):
            del self._rooms[uid(pod)]
            self._waiting.discard(uid(pod))

    def made_room(self, preemptor: PodInfo, node_name: str, there: Iterable[PodInfo]) -> None:
        """Victims go from a node, on which there are these pods."""
        rooms = self._rooms.setdefault(preemptor.uid, _Rooms())
        rooms.seen[node_name] = frozenset(pod.uid for pod in there)

    def take_due(self, now_s: float) -> list[str]:
        """The uids of the pods that have waited long enough."""
        return [*self._waiting.take_due(now_s)]

    def next_wakeup_s(self) -> float | None:
        """When the first of them has waited long enough."""
        return self._waiting.next_s() if self._waiting else None
