"""Latencies and injected faults in virtual time.

Rates are probabilities between 0 and 1. Draws use the driver's random generator, so that a seed
reproduces every fault. All of these faults happen with real API servers as well; once they are
over, every state machine must come to rest.
"""

from random import Random

import msgspec

from podium.machines.effects import Create, Effect
from podium.machines.events import UNKNOWN_OUTCOME, CallError


class Latency(msgspec.Struct, frozen=True):
    """Latencies of calls and watches, in seconds; means if they are distributed exponentially."""

    apply_s: float = 0.0
    """From a call until the API server carries it out."""
    answer_s: float = 0.0
    """From then until the state machine receives the outcome."""
    news_s: float = 0.0
    """From a write until a watch delivers it; each watch keeps the order of writes."""
    is_exponential: bool = False

    def drawn_s(self, mean_s: float, rng: Random) -> float:
        """Draw one delay whose mean is one of the latencies."""
        return rng.expovariate(1 / mean_s) if self.is_exponential and mean_s else mean_s


INSTANT = Latency()
"""Everything happens at one moment; `podium.cluster.drivers.virtual` documents the order."""

_REFUSALS = (
    CallError(409, "Conflict", "Operation cannot be fulfilled: the object has been modified"),
    CallError(429, "TooManyRequests", "Too many requests, please try again later.", 1.0),
    CallError(500, "InternalError", "Internal error occurred: etcdserver: leader changed"),
    CallError(503, "ServiceUnavailable", "the server is currently unable to handle the request"),
)
_UNKNOWN = CallError(504, UNKNOWN_OUTCOME, "Timeout: request did not complete within the time")


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """Rates of injected failures of calls, responses, watches and state machines."""

    refused: float = 0.0
    """Rate of calls that fail without effect (409, 429, 500 or 503)."""
    unanswered: float = 0.0
    """Rate of calls whose outcome stays unknown. They are carried out before the caller gives up,
    or later, or never."""
    slow: float = 0.0
    """Rate of calls and responses delayed by `slow_s` on average, so that later ones overtake
    them."""
    repeated: float = 0.0
    """Rate of outcomes that are delivered twice."""
    broken_watches: float = 0.0
    """Rate of watch deliveries that break the watch; its kind is listed again."""
    slow_watches: float = 0.0
    """Rate of watch deliveries delayed by `slow_s` on average."""
    restarts: float = 0.0
    """Rate of events after which the state machine crashes and is restarted; calls under way may be
    lost. Only machines with a `renew` function crash."""
    slow_s: float = 2.0
    """Mean delay of slow calls, responses and deliveries, and of the restart of a crashed machine,
    in seconds; also the timeout of calls."""


NO_FAULTS = Faults()


class CallPlan(msgspec.Struct, frozen=True):
    """The delays and injected faults of one call."""

    applied_after_s: float | None
    """Seconds until the call is carried out; None for never."""
    outcome_after_s: float
    """Seconds until the outcome is delivered, from when the call was carried out or, if `error` is
    set, from when it was sent."""
    error: CallError | None = None
    """Error to deliver instead of the true outcome; None for the true outcome."""
    repeated_after_s: float | None = None
    """Seconds until the outcome is delivered once more; None for never."""


_USUAL = CallPlan(0.0, 0.0)


class FaultInjector:
    """Draws the latencies and faults of calls, watches and state machines."""

    def __init__(self, latency: Latency, faults: Faults, rng: Random) -> None:
        self.latency = latency
        """May be replaced by another one, unless it is `INSTANT`."""
        self._rng = rng
        self.faults = faults

    @property
    def faults(self) -> Faults:
        """The rates of faults; can be set at any time, for instance to `NO_FAULTS`."""
        return self._faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._faults = faults
        self.is_calm = faults == Faults(slow_s=faults.slow_s)
        """Whether all fault rates are 0 at present."""
        self.is_instant = self.is_calm and self.latency is INSTANT
        """Whether all fault rates are 0 and there are no latencies."""

    def plan_call(self, effect: Effect) -> CallPlan:
        """Draw the delays and faults of a call."""
        if self.is_instant:
            return _USUAL
        faults, rng = self._faults, self._rng
        latency = self.latency
        apply_s, answer_s = (latency.drawn_s(s, rng) for s in (latency.apply_s, latency.answer_s))
        if self.is_calm:
            return _USUAL if apply_s == answer_s == 0 else CallPlan(apply_s, answer_s)
        if self._happens(faults.refused):
            # A creation can't conflict.
            refusals = _REFUSALS[1:] if isinstance(effect, Create) else _REFUSALS
            return CallPlan(None, apply_s + answer_s, rng.choice(refusals))
        apply_s += self._slowness_s(faults.slow)
        answer_s += self._slowness_s(faults.slow)
        if self._happens(faults.unanswered):
            given_up_s = apply_s + faults.slow_s
            applied_s = rng.choice((apply_s, given_up_s + self.pause_s(), None))
            return CallPlan(applied_s, given_up_s, _UNKNOWN)
        is_repeated = self._happens(faults.repeated)
        return CallPlan(apply_s, answer_s, repeated_after_s=self.pause_s() if is_repeated else None)

    def watch_delay_s(self) -> float:
        """Draw the delay of one watch delivery, in seconds, slow ones included."""
        delay_s = self.latency.drawn_s(self.latency.news_s, self._rng)
        return delay_s if self.is_calm else delay_s + self._slowness_s(self._faults.slow_watches)

    def breaks_watch(self) -> bool:
        return not self.is_calm and self._happens(self._faults.broken_watches)

    def restarts(self) -> bool:
        return self._happens(self._faults.restarts)

    def loses_calls(self) -> bool:
        """Draw whether a crash loses the calls that haven't been carried out yet."""
        return self._happens(0.5)

    def _happens(self, rate: float) -> bool:
        return rate > 0 and self._rng.random() < rate

    def _slowness_s(self, rate: float) -> float:
        return self.pause_s() if self._happens(rate) else 0.0

    def pause_s(self) -> float:
        """Draw a delay with the mean `slow_s`, in seconds."""
        return self._rng.expovariate(1 / self._faults.slow_s)
