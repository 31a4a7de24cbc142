"""Pods that rules protect from preemption, as columns by slot."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.framework.handle import Clock
from podium.scheduler.preemption.policies.preemption_rates import PreemptionRates
from podium.scheduler.preemption.policies.protection_rules import ProtectionPeriod, ProtectionRule
from podium.scheduler.preemption.policy import Objection, PreemptionPolicy, before
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.change_log import Log
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class ProtectedPods(PreemptionPolicy):
    """Which pods are protected from which preemptors at the moment; `Protection` of the engine.

    Attributes:
        log: the rows of pods whose protection has changed, be it only that time has passed.

    Args:
        rules: each may protect a pod; one that does is enough.
        listers: a change of any object that rules look up has all pods looked at again.
        rates: another epoch of it has all pods looked at again; None if no rule depends on it.
    """

    def __init__(
        self,
        rules: Sequence[ProtectionRule],
        snapshot: Snapshot,
        listers: Listers,
        rates: PreemptionRates | None,
        clock: Clock,
    ) -> None:
        self.protection = self
        self.log: Log[int] = Log()
        self._rules = rules
        self._snapshot = snapshot
        self._listers = listers
        self._rates = rates
        self._clock = clock
        self._changes = snapshot.log.cursor()
        self._restarts = snapshot.restarts.cursor()
        self._state: tuple[object, ...] = ()
        self._checked_s = -math.inf
        self._until_s: NDArray[np.float64] = np.zeros((len(rules), 0))
        self._below: Integers = np.zeros((len(rules), 0), np.int64)

    def update(self) -> None:
        """Bring everything up to date with the snapshot and the clock."""
        snapshot, rates = self._snapshot, self._rates
        missing = len(snapshot.pods.rows) - self._until_s.shape[1]
        if missing > 0:
            room = ((0, 0), (0, missing))
            self._until_s = np.pad(self._until_s, room, constant_values=-math.inf)
            self._below = np.pad(self._below, room)
        state = (self._listers.epoch, snapshot.node_epoch, 0 if rates is None else rates.epoch)
        changes, restarted = self._changes.new(), self._restarts.new()
        if state != self._state or changes is None or restarted is None:
            self._state = state
            stale = [*snapshot.row_of.values()]
        else:
            stale = sorted({*(row for row, _, _ in changes), *restarted})
        for row in stale:
            for pod in snapshot.pods_on[row]:
                for number, rule in enumerate(self._rules):
                    period = rule(pod)
                    self._until_s[number, pod.slot] = (
                        -math.inf if period is None else period.until_s
                    )
                    self._below[number, pod.slot] = 0 if period is None else period.below
        before_s, self._checked_s = self._checked_s, self._clock.now_s
        has_ended = (self._until_s > before_s) & (self._until_s <= self._checked_s)
        if has_ended.any():
            rows = np.unique(snapshot.pods.rows[has_ended.any(axis=0)])
            for row in rows[rows >= 0].tolist():
                self.log.append(row)
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

    def protected_on(self, rows: Rows, pod: PodInfo) -> list[Objection]:
        """Why the protected pods on `rows`, int[n], aren't victims, those of the next moment first.

        Of several rules the one that protects a pod for longest is told.
        """
        now_s, found = self._clock.now_s, list[tuple[float, str, str]]()
        for row in rows.tolist():
            for one in self._snapshot.pods_on[row]:
                holding = [period for period in self._of(one) if period.holds(pod.priority, now_s)]
                if holding and one.priority < pod.priority:
                    longest = max(holding, key=lambda period: period.until_s)
                    found.append((longest.until_s, one.key, longest.reason))
        return [
            Objection(f"{key} may not be preempted{before(until_s)}: {reason}", until_s)
            for until_s, key, reason in sorted(found, key=lambda one: one[:2])
        ]

    def _of(self, pod: PodInfo) -> list[ProtectionPeriod]:
        return [period for rule in self._rules if (period := rule(pod)) is not None]
