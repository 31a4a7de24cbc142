"""The queue of timers from which drivers run everything that is scheduled."""

import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

Action = Callable[[Any], None]


class Timer(msgspec.Struct, eq=False):
    """An action that runs once, unless it is cancelled first."""

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
    """Runs timers in order of time; timers of equal time, in the order of insertion."""

    def __init__(self, start_s: float) -> None:
        self.now_s = start_s
        self._due: deque[Timer] = deque()
        self._last: deque[Timer] = deque()
        self._later: list[tuple[float, int, Timer]] = []
        self._count = 0

    def put(
        self, time_s: float, action: Action, argument: Any, *, comes_last: bool = False
    ) -> Timer:
        """Schedule an action; one that `comes_last` or is late runs after all due timers."""
        entry = Timer(action, argument, comes_last)
        if time_s <= self.now_s:
            (self._last if comes_last else self._due).append(entry)
        else:
            self._count += 1
            heapq.heappush(self._later, (time_s, self._count, entry))
        return entry

    def next_s(self) -> float | None:
        """Return the time of the next timer, `now_s` at the earliest; None without timers."""
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
        """Run one timer that is due; return whether there was one."""
        for due in (self._due, self._last):
            while due:
                entry = due.popleft()
                if entry.action is not None:
                    entry.run()
                    return True
        return False

    def run_due(self, limit: int) -> bool:
        """Run up to `limit` due timers, also newly added ones; return whether none is left."""
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
        """Advance the time; newly due timers are queued after those that were due before."""
        self.now_s = max(self.now_s, time_s)
        while self._later and self._later[0][0] <= self.now_s:
            entry = heapq.heappop(self._later)[2]
            (self._last if entry.comes_last else self._due).append(entry)
