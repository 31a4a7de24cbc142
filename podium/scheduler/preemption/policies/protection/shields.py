"""The shields of all pods on nodes, as columns by slot."""

import math
from collections.abc import Sequence
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.scheduler.framework.handle import Clock
from podium.scheduler.preemption.policies.protection.shield import Shield, ShieldOf
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.change_log import Log
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Shielded(msgspec.Struct, frozen=True):
    """A pod that would have been a potential victim, and what protects it."""

    pod: PodInfo
    shield: Shield


class Followed(Protocol):
    """Something that rules depend on."""

    @property
    def epoch(self) -> int:
        """Raised whenever it changes."""
        ...


class Shields:
    """Which pods are protected from which preemptors at the moment.

    Attributes:
        log: the rows of pods whose protection has changed, be it that time has passed.

    Args:
        rules: each may give a pod a shield; one that holds is enough.
        snapshot: the pods.
        listers: a change of any object that rules look up has all pods looked at anew.
        followed: another epoch of it has all pods looked at anew, as rules depend on it.
        clock: the time.
    """

    def __init__(
        self,
        rules: Sequence[ShieldOf],
        snapshot: Snapshot,
        listers: Listers,
        followed: Followed | None,
        clock: Clock,
    ) -> None:
        self.log: Log[int] = Log()
        self._rules = rules
        self._snapshot = snapshot
        self._listers = listers
        self._followed = followed
        self._clock = clock
        self._changes = snapshot.log.cursor()
        self._restarts = snapshot.restarts.cursor()
        self._state: tuple[object, ...] = ()
        self._checked_s = -math.inf
        self._until_s: NDArray[np.float64] = np.zeros((len(rules), 0))
        self._below: Integers = np.zeros((len(rules), 0), np.int64)

    def update(self) -> None:
        """Bring everything up to date with the snapshot and the clock."""
        self._grow()
        stale = self._changed_rows()
        for row in stale:
            for pod in self._snapshot.pods_on[row]:
                self._look_at(pod)
        self._pass_time()
        for row in stale:
            self.log.append(row)

    def protects(self, pod: PodInfo, priority: int) -> bool:
        """Whether a pod on a node is protected from preemptors of a priority."""
        return any(one.holds(priority, self._clock.now_s) for one in self._of(pod))

    def protected(self, slots: Integers, priority: int) -> Mask:
        """The same for many pods at once, bool[n] for slots int64[n] of the snapshot."""
        until_s, below = self._until_s[:, slots], self._below[:, slots]
        held: Mask = np.logical_or.reduce((until_s > self._clock.now_s) & (below > priority))
        return held

    def on(self, rows: Rows, priority: int) -> list[Shielded]:
        """The pods of lower priority on `rows`, int[n], that are protected, and by what longest."""
        now_s, found = self._clock.now_s, []
        for row in rows.tolist():
            for pod in self._snapshot.pods_on[row]:
                holding = [one for one in self._of(pod) if one.holds(priority, now_s)]
                if holding and pod.priority < priority:
                    found.append(Shielded(pod, max(holding, key=lambda one: one.until_s)))
        return found

    def _of(self, pod: PodInfo) -> list[Shield]:
        return [shield for rule in self._rules if (shield := rule(pod)) is not None]

    def _look_at(self, pod: PodInfo) -> None:
        for number, rule in enumerate(self._rules):
            shield = rule(pod)
            self._until_s[number, pod.slot] = -math.inf if shield is None else shield.until_s
            self._below[number, pod.slot] = 0 if shield is None else shield.below

    def _changed_rows(self) -> list[int]:
        snapshot, followed = self._snapshot, self._followed
        epoch = 0 if followed is None else followed.epoch
        state = (self._listers.epoch, snapshot.node_epoch, epoch)
        changes, restarted = self._changes.new(), self._restarts.new()
        if state != self._state or changes is None or restarted is None:
            self._state = state
            return [*snapshot.row_of.values()]
        return sorted({*(row for row, _, _ in changes), *restarted})

    def _pass_time(self) -> None:
        """Note the rows with a shield that was up when it was last looked, and isn't any more."""
        before_s, self._checked_s = self._checked_s, self._clock.now_s
        ended = (self._until_s > before_s) & (self._until_s <= self._checked_s)
        if ended.any():
            rows = np.unique(self._snapshot.pods.rows[ended.any(axis=0)])
            for row in rows[rows >= 0].tolist():
                self.log.append(row)

    def _grow(self) -> None:
        missing = len(self._snapshot.pods.rows) - self._until_s.shape[1]
        if missing > 0:
            room = ((0, 0), (0, missing))
            self._until_s = np.pad(self._until_s, room, constant_values=-math.inf)
            self._below = np.pad(self._below, room)
