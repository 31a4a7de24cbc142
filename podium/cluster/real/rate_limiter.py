"""A token bucket: a rate of requests a second in the long run, and a burst at once."""

import asyncio
from collections.abc import Callable


class RateLimiter:
    """Lets requests pass, in the order in which they come, as client-go's limiter does.

    Args:
        qps: how many a second; not above 0 for any number.
        burst: how many at once after a pause.
        clock_s: seconds that pass evenly.
    """

    def __init__(self, qps: float, burst: int, clock_s: Callable[[], float]) -> None:
        self._qps = qps
        self._burst = max(burst, 1)
        self._clock_s = clock_s
        # When the bucket was, or will be, full; each request takes it 1/qps further away.
        self._full_s = 0.0

    def reserve_s(self) -> float:
        """Take a place in line; how many seconds to wait before the request may be made."""
        if self._qps <= 0:
            return 0.0
        now_s = self._clock_s()
        self._full_s = max(self._full_s, now_s) + 1.0 / self._qps
        return max(0.0, self._full_s - now_s - self._burst / self._qps)

    async def wait(self) -> float:
        """Wait until the next request may be made; how many seconds that had to be."""
        wait_s = self.reserve_s()
        if wait_s > 0.0:
            await asyncio.sleep(wait_s)
        return wait_s
