"""Eviction thresholds: their values, which are met since when, and what follows.

The arithmetic is that of `pkg/kubelet/eviction` in v1.36: shares of a capacity are float32 numbers,
multiplied as float64 and truncated.
"""

import math
from collections.abc import Iterable

import msgspec

from podium.api.values.quantity import INT64_MIN, NANOS_PER_UNIT, Format, Quantity
from podium.kubelet.eviction.node_statistics import Observations
from podium.kubelet.eviction.signals import MEMORY, Signal


class Value(msgspec.Struct, frozen=True):
    """An amount, or a share of the capacity.

    Attributes:
        quantity: the amount; None if it is a share.
        share: a float32, mostly from 0 to 1.
    """

    quantity: Quantity | None = None
    share: float = 0.0

    def of(self, capacity: int) -> Quantity:
        """The amount, given the capacity in units."""
        if self.quantity is not None:
            return self.quantity
        amount = float(capacity) * self.share
        # NaN becomes, on the kubelet's machines, the smallest integer.
        units = INT64_MIN if math.isnan(amount) else int(amount)
        return Quantity(units * NANOS_PER_UNIT, Format.BINARY_SI)

    def __str__(self) -> str:
        if self.quantity is not None:
            return str(self.quantity)
        return "NaN%" if math.isnan(self.share) else f"{self.share * 100:.6g}%"


class Threshold(msgspec.Struct, frozen=True):
    """A threshold of an eviction signal.

    Attributes:
        value: the threshold is met while less than this is available.
        grace_period_s: how long it must have been met before pods are evicted; 0 if it is hard.
        min_reclaim: once it is met, how much more than the value has to be available again.
        is_set: False for a placeholder that is never met.
    """

    signal: Signal
    value: Value
    grace_period_s: float = 0.0
    min_reclaim: Value | None = None
    is_set: bool = True

    @property
    def is_hard(self) -> bool:
        return self.grace_period_s == 0

    @property
    def order(self) -> tuple[bool, bool, int]:
        """The sort key of thresholds: memory first, as upstream, then hard ones, by signal."""
        return self.signal.resource != MEMORY, not self.is_hard, self.signal.rank


def unset(signal: Signal) -> Threshold:
    """A threshold that is never met."""
    return Threshold(signal, Value(), is_set=False)


def thresholds_met(
    thresholds: Iterable[Threshold], observations: Observations, *, with_min_reclaim: bool
) -> list[Threshold]:
    """The thresholds that are met, whatever their grace periods.

    Args:
        with_min_reclaim: whether they count as met until their minimum reclaim is available, too.
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


def updated(
    thresholds: Iterable[Threshold], observations: Observations, before: Observations
) -> list[Threshold]:
    """The thresholds with new observations, so that none causes two evictions."""

    def is_new(threshold: Threshold) -> bool:
        observed, last = observations.get(threshold.signal), before.get(threshold.signal)
        if observed is None or last is None or observed.observed_s is None:
            return observed is not None
        return last.observed_s is None or observed.observed_s > last.observed_s

    return [threshold for threshold in thresholds if is_new(threshold)]
