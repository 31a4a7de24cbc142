"""Makes the time of a virtual cluster pass by the clock, in an event loop that serves requests too.

The driver is the one of simulations. What is due is done in slices of a few milliseconds, so that
requests have their turn between them; a busy cluster does things late, as a busy computer would.
"""

import asyncio
import time
from collections.abc import Callable

import msgspec

from podium.api.errors import PodiumError
from podium.cluster.drivers.virtual import VirtualDriver

SLICE_S = 0.004
"""How long requests have to wait at most, but for one thing that takes longer by itself."""

QUIET_S = 0.03
"""Time doesn't jump before nobody has asked for anything for so long, by the clock."""

MOMENT_S_MAX = 5.0
"""Where time jumps, a moment takes no time, unless it goes on for longer by the clock."""

REST_S = 3600.0
"""Nor once nothing was written for so long in the cluster: from then on it passes by the clock."""


class UnknownSpeedError(PodiumError):
    """Somebody asks for a speed of time that doesn't exist."""


class ClockSpeed(msgspec.Struct, frozen=True):
    """Speed of a cluster's time relative to the clock on the wall.

    Attributes:
        factor: seconds in the cluster for each second of the clock; 0 if time stands still.
        jumps: whether time jumps to what is due next when nothing else is to be done.
    """

    factor: float = 1.0
    jumps: bool = False


STOPPED = ClockSpeed(0.0)
REAL_TIME = ClockSpeed()
SPEEDS = {"1x": REAL_TIME, "10x": ClockSpeed(10.0), "max": ClockSpeed(jumps=True)}
"""By the names that the command line has for them."""


def parse_speed(text: str) -> ClockSpeed:
    """The speed of a name; raises UnknownSpeedError if there is none."""
    if text not in SPEEDS:
        raise UnknownSpeedError(f"--speed: {text}: must be one of {', '.join(SPEEDS)}")
    return SPEEDS[text]


class ClusterClock:
    """Lets the time of a cluster pass at a given speed, and steps its driver.

    Args:
        driver: of the cluster, which nobody else steps.
        revision: tells the store's revision, which is another one after each write.
        passed: told of the time whenever it has passed; None if nobody cares.
    """

    def __init__(
        self,
        driver: VirtualDriver,
        speed: ClockSpeed,
        revision: Callable[[], int],
        passed: Callable[[float], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._driver = driver
        self._speed = speed
        self._revision = revision
        self._passed = passed
        self._clock = clock
        self._awake = asyncio.Event()
        self._anchor_s = driver.now_s
        self._anchored_s = clock()
        self._asked_s = clock()
        self._seen_revision = revision()
        self._wrote_s = driver.now_s
        self._goal_s: float | None = None
        self._reached: asyncio.Future[None] | None = None
        self._advancing = asyncio.Lock()

    @property
    def quiet_s(self) -> float:
        """For how many seconds of the cluster nothing has been written."""
        return self._driver.now_s - self._wrote_s

    async def run(self) -> None:
        """Drive the cluster, until cancelled.

        Raises:
            JournalError, MachineError: the cluster can't go on.
        """
        while True:
            self.catch_up()
            if self._work() or self._jump():
                await asyncio.sleep(0)
            else:
                await self._sleep()

    def catch_up(self) -> None:
        """Advance the cluster to the time of the clock.

        Where time jumps, it stands still while something is to be done, so that what follows from
        a change happens at the moments at which a plan or a simulation has it.
        """
        passed_s = (self._clock() - self._anchored_s) * self._speed.factor
        if passed_s > MOMENT_S_MAX or not (self._speed.jumps and self._is_busy()):
            self._pass(self._anchor_s + passed_s)

    def request_made(self) -> None:
        """Somebody has made a request, which may have brought something about."""
        self._asked_s = self._clock()
        self._note_writes()
        self._awake.set()

    async def advance(self, duration_s: float) -> None:
        """Let time pass at once, 0 s for all that is left to do now; return when it is done."""
        async with self._advancing:
            self._reached = asyncio.get_running_loop().create_future()
            self._goal_s = self._driver.now_s + duration_s
            self._awake.set()
            try:
                await self._reached
            finally:
                self._goal_s = self._reached = None

    def _work(self) -> bool:
        end_s, was_busy = self._clock() + SLICE_S, self._is_busy()
        while self._driver.step_now():
            if self._clock() >= end_s:
                return True
        if was_busy and self._speed.jumps:
            self._move(self._driver.now_s)
        self._note_writes()
        return False

    def _is_busy(self) -> bool:
        next_s = self._driver.next_s()
        return next_s is not None and next_s <= self._driver.now_s

    def _jump(self) -> bool:
        """Let time pass without waiting for the clock, if it may; whether something is due now."""
        next_s = self._driver.next_s()
        if self._goal_s is not None:
            if next_s is not None and next_s <= self._goal_s:
                return self._move(next_s)
            self._move(self._goal_s)
            if self._reached is not None and not self._reached.done():
                self._reached.set_result(None)
            return False
        if next_s is None or not self._speed.jumps or next_s - self._wrote_s > REST_S:
            return False
        return self._wait_for_quiet_s() <= 0 and self._move(next_s)

    def _move(self, time_s: float) -> bool:
        self._pass(time_s)
        self._anchor_s, self._anchored_s = self._driver.now_s, self._clock()
        return True

    def _pass(self, time_s: float) -> None:
        if time_s > self._driver.now_s:
            self._driver.pass_time(time_s)
            if self._passed is not None:
                self._passed(time_s)

    def _note_writes(self) -> None:
        revision = self._revision()
        if revision != self._seen_revision:
            self._seen_revision, self._wrote_s = revision, self._driver.now_s

    def _wait_for_quiet_s(self) -> float:
        return self._asked_s + QUIET_S - self._clock()

    async def _sleep(self) -> None:
        self._awake.clear()
        next_s = self._driver.next_s()
        if next_s is None or not self._speed.factor:
            # Only a request can bring anything about.
            await self._awake.wait()
            return
        wait_s = (next_s - self._driver.now_s) / self._speed.factor
        if self._speed.jumps and next_s - self._wrote_s <= REST_S:
            wait_s = min(wait_s, self._wait_for_quiet_s())
        timer = asyncio.get_running_loop().call_later(wait_s, self._awake.set)
        try:
            await self._awake.wait()
        finally:
            timer.cancel()
