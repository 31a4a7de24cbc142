"""The clock of an embedded cluster, which steps the virtual driver by the wall clock.

The driver runs in slices of a few milliseconds, so that the event loop serves requests in between.
A busy cluster is late, as a busy computer would be.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from podium.api.errors import PodiumError
from podium.cluster.drivers.virtual import VirtualDriver

SLICE_S = 0.004
"""Duration of a slice, after which requests have their turn."""

QUIET_S = 0.03
"""Time jumps only after a period of the wall clock without requests."""

MOMENT_S_MAX = 5.0
"""Where time jumps, it stands still while timers are due, for at most this wall-clock time."""

REST_S = 3600.0
"""Time jumps no more once nothing was written for this long in the cluster's time."""


class ClockSpeed(msgspec.Struct, frozen=True):
    """Speed of a cluster's time relative to the wall clock."""

    factor: float = 1.0
    """Seconds in the cluster for each second of the wall clock; 0 if time stands still."""
    jumps: bool = False
    """Whether time also jumps to the next timer whenever the cluster is idle."""


STOPPED = ClockSpeed(0.0)
REAL_TIME = ClockSpeed()
SPEEDS = {"1x": REAL_TIME, "10x": ClockSpeed(10.0), "max": ClockSpeed(jumps=True)}
"""Speeds by their names on the command line."""


def parse_speed(text: str) -> ClockSpeed:
    """Return the speed with a name such as `10x`; raises PodiumError."""
    if text not in SPEEDS:
        raise PodiumError(f"--speed: {text}: must be one of {', '.join(SPEEDS)}")
    return SPEEDS[text]


@dataclass(eq=False)
class ClusterClock:
    """Advances the time of a cluster at a given speed, and steps its driver."""

    driver: VirtualDriver
    """Driver of the cluster, which nothing else may step."""
    speed: ClockSpeed
    revision: Callable[[], int]
    """Returns the store's revision, which each write changes."""
    passed: Callable[[float], None] | None = None
    """Called with the new time, in seconds since the epoch, after each advance."""
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._awake = asyncio.Event()
        self._anchor_s = self._wrote_s = self.driver.now_s
        self._anchored_s = self._asked_s = self.clock()
        self._seen_revision = self.revision()
        self._goal_s: float | None = None
        self._reached: asyncio.Future[None] | None = None
        self._advancing = asyncio.Lock()

    @property
    def quiet_s(self) -> float:
        """Seconds since the last write, in the cluster's time."""
        return self.driver.now_s - self._wrote_s

    async def run(self) -> None:
        """Drive the cluster, until cancelled; raises JournalError or MachineError."""
        while True:
            self.catch_up()
            if self._work() or self._jump():
                await asyncio.sleep(0)
            else:
                await self._sleep()

    def catch_up(self) -> None:
        """Advance the cluster to the time of the wall clock.

        At a speed that jumps, time stands still while timers are due, so that the consequences of a
        change happen at the same times as in a plan or simulation.
        """
        passed_s = (self.clock() - self._anchored_s) * self.speed.factor
        if passed_s > MOMENT_S_MAX or not (self.speed.jumps and self._is_busy()):
            self._pass(self._anchor_s + passed_s)

    def request_made(self) -> None:
        """Note that a request was made, and wake the cluster for its consequences."""
        self._asked_s = self.clock()
        self._note_writes()
        self._awake.set()

    async def advance(self, duration_s: float) -> None:
        """Run the cluster for a duration of its time without waiting; 0 runs all due timers."""
        async with self._advancing:
            self._reached = asyncio.get_running_loop().create_future()
            self._goal_s = self.driver.now_s + duration_s
            self._awake.set()
            try:
                await self._reached
            finally:
                self._goal_s = self._reached = None

    def _work(self) -> bool:
        end_s, was_busy = self.clock() + SLICE_S, self._is_busy()
        while self.driver.step_now():
            if self.clock() >= end_s:
                return True
        if was_busy and self.speed.jumps:
            self._move(self.driver.now_s)
        self._note_writes()
        return False

    def _is_busy(self) -> bool:
        next_s = self.driver.next_s()
        return next_s is not None and next_s <= self.driver.now_s

    def _jump(self) -> bool:
        """Advance to the next timer without waiting, if allowed; return whether one is due now."""
        next_s = self.driver.next_s()
        if self._goal_s is not None:
            if next_s is not None and next_s <= self._goal_s:
                return self._move(next_s)
            self._move(self._goal_s)
            if self._reached is not None and not self._reached.done():
                self._reached.set_result(None)
            return False
        if next_s is None or not self.speed.jumps or next_s - self._wrote_s > REST_S:
            return False
        return self._wait_for_quiet_s() <= 0 and self._move(next_s)

    def _move(self, time_s: float) -> bool:
        self._pass(time_s)
        self._anchor_s, self._anchored_s = self.driver.now_s, self.clock()
        return True

    def _pass(self, time_s: float) -> None:
        if time_s > self.driver.now_s:
            self.driver.pass_time(time_s)
            if self.passed is not None:
                self.passed(time_s)

    def _note_writes(self) -> None:
        revision = self.revision()
        if revision != self._seen_revision:
            self._seen_revision, self._wrote_s = revision, self.driver.now_s

    def _wait_for_quiet_s(self) -> float:
        return self._asked_s + QUIET_S - self.clock()

    async def _sleep(self) -> None:
        self._awake.clear()
        next_s = self.driver.next_s()
        # Without a timeout, the cluster waits for the next request.
        wait_s = None
        if next_s is not None and self.speed.factor:
            wait_s = (next_s - self.driver.now_s) / self.speed.factor
            if self.speed.jumps and next_s - self._wrote_s <= REST_S:
                wait_s = min(wait_s, self._wait_for_quiet_s())
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._awake.wait()
