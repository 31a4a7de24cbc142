"""Detection of livelocks: other schedulers repeatedly fill the room that a preemptor has made.

Other schedulers may not respect nominations, or may place the replacements of the victims in the
room, so that preemption goes on without effect. kube-scheduler never stops; here the preemptor
waits before it preempts more of these pods.
"""

from collections.abc import Iterable

import msgspec

from podium.api.objects import uid
from podium.api.pods import is_finished, node_name_of, scheduler_name_of
from podium.machines.events import Change
from podium.machines.reconciler.work_queue import Backoff, DelayedKeys
from podium.scheduler.snapshot.pod_info import PodInfo

ROUNDS = 2
"""How often other pods have to take the room on a node before a preemptor is in a livelock."""
_DOUBLINGS = 4


class Livelock(msgspec.Struct, frozen=True):
    """A node on which other pods have repeatedly taken the room that a preemptor made."""

    node_name: str
    rounds: int
    """How often the room was taken."""
    takers: tuple[PodInfo, ...]
    """The pods that have the room now, and would be the next victims."""
    wait_s: float
    """For how many seconds the preemptor preempts no pods; 0 if it doesn't wait."""

    @property
    def note(self) -> str:
        schedulers = ", ".join(sorted({scheduler_name_of(pod.obj) for pod in self.takers}))
        said = (
            f"Room made on node {self.node_name} was taken {self.rounds} times by pods of "
            f"{schedulers}, the last time by {self.takers[0].key}"
        )
        return f"{said}; preempting no pods for {self.wait_s:g}s" if self.wait_s else said


class _Rooms(msgspec.Struct):
    # Of one preemptor: by node, the uids of the pods that were there when room was last made, and
    # how often the room was taken; and how often the preemptor had to wait.
    seen: dict[str, frozenset[str]] = msgspec.field(default_factory=dict)
    rounds: dict[str, int] = msgspec.field(default_factory=dict)
    backoffs: int = 0


class LivelockGuard:
    """Detects livelocks, and makes preemptors wait, at first for `backoff_s` seconds (0: never).

    Pods of the profiles in `own` don't count as takers.
    """

    def __init__(self, own: Iterable[str], backoff_s: float) -> None:
        self._own = frozenset(own)
        self._backoff = Backoff(backoff_s, backoff_s * 2.0**_DOUBLINGS)
        self._rooms: dict[str, _Rooms] = {}
        self._waiting = DelayedKeys[str]()

    def __len__(self) -> int:
        return len(self._rooms)

    def holds(self, preemptor_uid: str) -> bool:
        return preemptor_uid in self._waiting

    def detect(
        self, preemptor: PodInfo, node_name: str, victims: Iterable[PodInfo], now_s: float
    ) -> Livelock | None:
        """Count a round if a preemptor's next victims took its room, and return the livelock.

        None if no other scheduler's pods took the room, or fewer than `ROUNDS` times.
        """
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
        pod = change.obj
        if uid(pod) not in self._rooms:
            return
        if change.new is None or node_name_of(pod) or is_finished(pod):
            del self._rooms[uid(pod)]
            self._waiting.discard(uid(pod))

    def made_room(self, preemptor: PodInfo, node_name: str, there: Iterable[PodInfo]) -> None:
        """Record the pods on a node when the victims of a preemptor are deleted there."""
        rooms = self._rooms.setdefault(preemptor.uid, _Rooms())
        rooms.seen[node_name] = frozenset(pod.uid for pod in there)

    def take_due(self, now_s: float) -> list[str]:
        return [*self._waiting.take_due(now_s)]

    def next_wakeup_s(self) -> float | None:
        return self._waiting.next_s() if self._waiting else None
