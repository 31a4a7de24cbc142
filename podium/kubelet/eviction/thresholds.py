"""Thresholds: how little of a resource may be left, which are met since when, and what follows.

The arithmetic is that of `pkg/kubelet/eviction` in v1.36: shares of a capacity are held as float32,
multiplied as float64 and cut off. What is tracked is a pure function of what was observed and what
was known before.
"""

import math
from collections.abc import Iterable, Mapping

import msgspec

from podium.api.values.quantity import INT64_MIN, NANOS_PER_UNIT, Format, Quantity
from podium.kubelet.eviction.node_statistics import Observation, Observations
from podium.kubelet.eviction.signals import MEMORY, Signal


class Value(msgspec.Struct, frozen=True):
    """An amount, or a share of the capacity.

    Attributes:
        quantity: the amount; None if it is a share.
        share: from 0 to 1, or above where more than everything may be asked for; a float32.
    """

    quantity: Quantity | None = None
    share: float = 0.0

    def of(self, capacity: int) -> Quantity:
        """The amount, given the capacity in units."""
        if self.quantity is not None:
            return self.quantity
        amount = float(capacity) * self.share
        # What is no number becomes, on the kubelet's machines, the least there is.
        units = INT64_MIN if math.isnan(amount) else int(amount)
        return Quantity(units * NANOS_PER_UNIT, Format.BINARY_SI)

    def __str__(self) -> str:
        if self.quantity is not None:
            return str(self.quantity)
        return "NaN%" if math.isnan(self.share) else f"{self.share * 100:.6g}%"


class Threshold(msgspec.Struct, frozen=True):
    """A threshold of an eviction signal: how little may be left before the node acts.

    Attributes:
        value: it is met while less than this is available.
        grace_period_s: how long it must have been met before pods are evicted; 0: hard.
        min_reclaim: once met, how much more than the value has to be available again.
        is_set: False for one that is only there to fill a place, and is never met.
    """

    signal: Signal
    value: Value
    grace_period_s: float = 0.0
    min_reclaim: Value | None = None
    is_set: bool = True

    @property
    def is_hard(self) -> bool:
        """Whether pods are evicted at once."""
        return self.grace_period_s == 0

    @property
    def order(self) -> tuple[bool, bool, int]:
        """The order in which thresholds are looked after: memory, hard ones, by signal.

        The kubelet has memory first, too, and leaves the rest to chance.
        """
        return self.signal.resource != MEMORY, not self.is_hard, self.signal.rank


def unset(signal: Signal) -> Threshold:
    """A threshold that is never met."""
    return Threshold(signal, Value(), is_set=False)


Since = Mapping[Threshold, float]
"""When each threshold was first observed as met, in seconds since the epoch."""


def thresholds_met(
    thresholds: Iterable[Threshold], observations: Observations, *, with_min_reclaim: bool
) -> list[Threshold]:
    """The thresholds below which what is available has fallen, whatever their grace periods.

    Args:
        thresholds: to look after; one whose signal wasn't observed isn't met.
        with_min_reclaim: whether they count as met until their minimum reclaim is there, too.
    """
    met = []
    for one in thresholds:
        observed = observations.get(one.signal)
        if not one.is_set or observed is None:
            continue
        wanted = one.value.of(observed.capacity).nanos
        if with_min_reclaim and one.min_reclaim is not None:
            wanted += one.min_reclaim.of(observed.capacity).nanos
        if wanted > observed.available * NANOS_PER_UNIT:
            met.append(one)
    return met


def merged(met: Iterable[Threshold], unresolved: Iterable[Threshold]) -> list[Threshold]:
    """Both, each threshold once."""
    return list(dict.fromkeys((*met, *unresolved)))


def first_observed(met: Iterable[Threshold], before: Since, now_s: float) -> Since:
    """Since when these thresholds have been met without a break."""
    return {one: before.get(one, now_s) for one in met}


def past_grace(since: Since, now_s: float) -> list[Threshold]:
    """Those that have been met for their grace period, in the order of looking after them."""
    found = [one for one, at_s in since.items() if now_s - at_s >= one.grace_period_s]
    return sorted(found, key=lambda one: one.order)


def updated(
    thresholds: Iterable[Threshold], observations: Observations, before: Observations
) -> list[Threshold]:
    """Those whose signal was observed anew: no pods are evicted twice for one observation."""
    return [
        one
        for one in thresholds
        if (observed := observations.get(one.signal)) is not None
        and _is_newer(observed, before.get(one.signal))
    ]


def conditions_observed(
    met: Iterable[Threshold], before: Mapping[str, float], now_s: float
) -> Mapping[str, float]:
    """When each node condition was last observed, by type."""
    return {**before, **{one.signal.starved.condition: now_s for one in met}}


def conditions_present(
    observed: Mapping[str, float], transition_period_s: float, now_s: float
) -> list[str]:
    """The conditions that the node is in: those observed within the transition period, sorted."""
    return sorted(kind for kind, at_s in observed.items() if now_s - at_s < transition_period_s)


def starved_quantities(
    resource: str, thresholds: Iterable[Threshold], observations: Observations
) -> tuple[Quantity, Quantity] | None:
    """Threshold and what is available, of the first of these thresholds for a resource."""
    for one in thresholds:
        observed = observations.get(one.signal)
        if one.signal.resource == resource and observed is not None:
            available = Quantity(observed.available * NANOS_PER_UNIT, one.signal.starved.unit)
            return one.value.of(observed.capacity), available
    return None


def _is_newer(observed: Observation, before: Observation | None) -> bool:
    if before is None or observed.observed_s is None:
        return True
    return before.observed_s is None or observed.observed_s > before.observed_s
