"""The latencies of virtual time: of calls, of their answers, and of watches."""

from random import Random
from typing import Protocol

import msgspec

from podium.machines.effects import Effect


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
