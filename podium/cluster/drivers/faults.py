"""The latencies and faults of virtual time: how long things take, and what goes wrong.

Rates are probabilities between 0 and 1, drawn from the driver's generator, so that a seed repeats
every fault. All of this happens with real API servers as well; a machine must come to rest all the
same once the faults are over.
"""

from random import Random
from typing import Protocol

import msgspec

from podium.machines.effects import Create, Effect
from podium.machines.events import UNKNOWN_OUTCOME, CallError


class Latency(Protocol):
    """Says how long things take; by chance, if at all, only from the generator it is handed."""

    def call_s(self, effect: Effect, rng: Random) -> tuple[float, float]:
        """Seconds until the API has carried a call out, and from then until its answer is there."""
        ...

    def watch_s(self, kind: str, rng: Random) -> float:
        """Seconds until a watch delivers a write; writes stay in order."""
        ...


class ConstantLatency(msgspec.Struct, frozen=True):
    """A constant latency for each kind of delay.

    Attributes:
        apply_s: until a call is carried out, in seconds.
        answer_s: from then until its answer is there.
        news_s: until a watch tells of it.
    """

    apply_s: float = 0.0
    answer_s: float = 0.0
    news_s: float = 0.0

    def call_s(self, effect: Effect, rng: Random) -> tuple[float, float]:
        return self.apply_s, self.answer_s

    def watch_s(self, kind: str, rng: Random) -> float:
        return self.news_s


class ExponentialLatency(ConstantLatency, frozen=True):
    """Has most things be quick and few take long, with these times on average."""

    def call_s(self, effect: Effect, rng: Random) -> tuple[float, float]:
        return _exponential(self.apply_s, rng), _exponential(self.answer_s, rng)

    def watch_s(self, kind: str, rng: Random) -> float:
        return _exponential(self.news_s, rng)


INSTANT = ConstantLatency()
"""Everything happens at the same moment; in which order, `podium.cluster.drivers.virtual` says."""


def _exponential(mean_s: float, rng: Random) -> float:
    return rng.expovariate(1 / mean_s) if mean_s else 0.0


_REFUSALS = (
    CallError(409, "Conflict", "Operation cannot be fulfilled: the object has been modified"),
    CallError(429, "TooManyRequests", "Too many requests, please try again later.", 1.0),
    CallError(500, "InternalError", "Internal error occurred: etcdserver: leader changed"),
    CallError(503, "ServiceUnavailable", "the server is currently unable to handle the request"),
)
_UNKNOWN = CallError(504, UNKNOWN_OUTCOME, "Timeout: request did not complete within the time")


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """Says how often calls, answers, watches and machines fail.

    Attributes:
        refused: of calls, that fail and do nothing (409, 429, 500 or 503).
        unanswered: of calls, of which nobody learns whether they were carried out; they are
            before the caller gives up, or after that, or never.
        slow: of calls and of answers, that take `slow_s` longer on average, so that later ones
            overtake them.
        repeated: of answers, that come twice.
        broken_watches: of deliveries by a watch, instead of which everything is listed anew.
        slow_watches: of deliveries by a watch, that come `slow_s` later on average.
        restarts: of steps, after which the machine crashes and is started anew; its calls on the
            way are lost or not. Only machines are concerned that came with a way to renew them.
        slow_s: how long slow things take on average; also how long a crashed machine is away, and
            how long a caller waits for an answer.
    """

    refused: float = 0.0
    unanswered: float = 0.0
    slow: float = 0.0
    repeated: float = 0.0
    broken_watches: float = 0.0
    slow_watches: float = 0.0
    restarts: float = 0.0
    slow_s: float = 2.0

    @property
    def is_none(self) -> bool:
        return self == Faults(slow_s=self.slow_s)


NO_FAULTS = Faults()


class CallPlan(msgspec.Struct, frozen=True):
    """The times at which a call is carried out and answered, and its injected faults.

    Attributes:
        applied_after_s: when it is carried out; None if it never is.
        told_after_s: when the machine learns of it, counted from when it was carried out, or from
            when it was asked for if `error` is set.
        error: what the machine learns instead of what became of the call.
        repeated_after_s: how long after that it learns so once more; None if it doesn't.
    """

    applied_after_s: float | None
    told_after_s: float
    error: CallError | None = None
    repeated_after_s: float | None = None


_USUAL = CallPlan(0.0, 0.0)


class FaultInjector:
    """Delays, refuses and loses calls, breaks watches and crashes machines, by chance.

    Attributes:
        faults: may be exchanged at any time, such as by `NO_FAULTS` to let things come to rest.
        is_calm: whether nothing goes wrong at present.
        is_instant: whether nothing takes any time either.
    """

    def __init__(self, latency: Latency, faults: Faults, rng: Random) -> None:
        self._latency = latency
        self._rng = rng
        self.faults = faults

    @property
    def faults(self) -> Faults:
        return self._faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._faults = faults
        self.is_calm = faults.is_none
        self.is_instant = self.is_calm and self._latency is INSTANT

    def plan_call(self, effect: Effect) -> CallPlan:
        if self.is_instant:
            return _USUAL
        apply_s, answer_s = self._latency.call_s(effect, self._rng)
        if self.is_calm:
            return _USUAL if apply_s == answer_s == 0 else CallPlan(apply_s, answer_s)
        faults = self._faults
        if self._happens(faults.refused):
            refusals = _REFUSALS[1:] if isinstance(effect, Create) else _REFUSALS
            return CallPlan(None, apply_s + answer_s, self._rng.choice(refusals))
        apply_s += self._slowness_s(faults.slow)
        answer_s += self._slowness_s(faults.slow)
        if self._happens(faults.unanswered):
            given_up_s = apply_s + faults.slow_s
            applied_s = self._rng.choice((apply_s, given_up_s + self.pause_s(), None))
            return CallPlan(applied_s, given_up_s, _UNKNOWN)
        is_repeated = self._happens(faults.repeated)
        return CallPlan(apply_s, answer_s, repeated_after_s=self.pause_s() if is_repeated else None)

    def watch_delay_s(self, kind: str) -> float:
        delay_s = self._latency.watch_s(kind, self._rng)
        return delay_s if self.is_calm else delay_s + self._slowness_s(self._faults.slow_watches)

    def breaks_watch(self) -> bool:
        return not self.is_calm and self._happens(self._faults.broken_watches)

    def restarts(self) -> bool:
        return self._happens(self._faults.restarts)

    def loses_calls(self) -> bool:
        """Whether the calls on the way are lost as well."""
        return self._happens(0.5)

    def _happens(self, rate: float) -> bool:
        return rate > 0 and self._rng.random() < rate

    def _slowness_s(self, rate: float) -> float:
        return self.pause_s() if self._happens(rate) else 0.0

    def pause_s(self) -> float:
        """Draw how long something slow takes, in seconds."""
        return self._rng.expovariate(1 / self._faults.slow_s)
