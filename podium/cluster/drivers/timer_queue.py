"""The queue of timers that virtual time goes by."""

import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

Action = Callable[[Any], None]


class Timer(msgspec.Struct, eq=False):
    """An action that runs once, unless it is cancelled before."""

    action: Action | None
    argument: Any
    comes_last: bool

    def cancel(self) -> None:
        self.action = self.argument = None

    def run(self) -> None:
        action = self.action
        if action is not None:
            self.action = None
            action(self.argument)


class TimerQueue:
    """Keeps timers by time; those of one time run in the order in which they were put there.

    Attributes:
        now_s: the time, in seconds since the epoch. Entries due by now come before any later one.
    """

    def __init__(self, start_s: float) -> None:
        self.now_s = start_s
        self._due: deque[Timer] = deque()
        self._last: deque[Timer] = deque()
        self._later: list[tuple[float, int, Timer]] = []
        self._count = 0

    def put(
        self, time_s: float, action: Action, argument: Any, *, comes_last: bool = False
    ) -> Timer:
        """Schedule an action; one for a time that has come runs after all that is due.

        Args:
            comes_last: whether it waits until nothing else is due, what came up meanwhile included.
        """
        entry = Timer(action, argument, comes_last)
        if time_s <= self.now_s:
            (self._last if comes_last else self._due).append(entry)
        else:
            self._count += 1
            heapq.heappush(self._later, (time_s, self._count, entry))
        return entry

    def next_s(self) -> float | None:
        """Time of the next entry, `now_s` at the earliest; None if there is none."""
        for due in (self._due, self._last):
            while due:
                if due[0].action is not None:
                    return self.now_s
                due.popleft()
        while self._later:
            if self._later[0][2].action is not None:
                return self._later[0][0]
            heapq.heappop(self._later)
        return None

    def run_next(self) -> bool:
        """Do what is due now, one entry; whether there was one."""
        for due in (self._due, self._last):
            while due:
                entry = due.popleft()
                if entry.action is not None:
                    entry.run()
                    return True
        return False

    def run_due(self, limit: int) -> bool:
        """Do what is due now, and what that brings about now; whether that was all."""
        due, last = self._due, self._last
        for _ in range(limit):
            if due:
                due.popleft().run()
            elif last:
                last.popleft().run()
            else:
                return True
        return not (due or last)

    def advance_to(self, time_s: float) -> None:
        """Let time pass; entries that fall due on the way come after all that was due before."""
        self.now_s = max(self.now_s, time_s)
        while self._later and self._later[0][0] <= self.now_s:
            entry = heapq.heappop(self._later)[2]
            (self._last if entry.comes_last else self._due).append(entry)
