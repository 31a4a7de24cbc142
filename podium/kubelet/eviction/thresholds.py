"""The eviction thresholds, with the arithmetic of the kubelet v1.36.

Shares of a capacity are float32 numbers, multiplied as float64 and truncated.
"""

import math
from collections.abc import Iterable

import msgspec

from podium.api.values.quantity import INT64_MIN, NANOS_PER_UNIT, Format, Quantity
from podium.kubelet.eviction.node_statistics import Observations
from podium.kubelet.eviction.signals import MEMORY, Signal


class Value(msgspec.Struct, frozen=True):
    """The value of an eviction threshold: a quantity, or a share of the capacity if it has none."""

    quantity: Quantity | None = None
    share: float = 0.0

    def of(self, capacity: int) -> Quantity:
        """Return the threshold's amount for a capacity in whole units such as bytes."""
        if self.quantity is not None:
            return self.quantity
        amount = float(capacity) * self.share
        # In Go on amd64, NaN becomes the smallest integer.
        units = INT64_MIN if math.isnan(amount) else int(amount)
        return Quantity(units * NANOS_PER_UNIT, Format.BINARY_SI)

    def __str__(self) -> str:
        if self.quantity is not None:
            return str(self.quantity)
        return "NaN%" if math.isnan(self.share) else f"{self.share * 100:.6g}%"


class Threshold(msgspec.Struct, frozen=True):
    """A threshold of an eviction signal."""

    signal: Signal
    value: Value
    """Available amount below which the threshold is met."""
    grace_period_s: float = 0.0
    """Seconds for which it is met before pods are evicted; 0 if it is hard."""
    min_reclaim: Value | None = None
    """Amount above `value` that must be available before it is resolved."""
    is_set: bool = True
    """False for a placeholder that is never met."""

    @property
    def is_hard(self) -> bool:
        return self.grace_period_s == 0

    @property
    def order(self) -> tuple[bool, bool, int]:
        """Return the sort key: memory first, then hard before soft, then by signal."""
        return self.signal.resource != MEMORY, not self.is_hard, self.signal.rank


def thresholds_met(
    thresholds: Iterable[Threshold], observations: Observations, *, with_min_reclaim: bool
) -> list[Threshold]:
    """Return the thresholds that are met, regardless of their grace periods.

    With `with_min_reclaim`, thresholds are met until their minimum reclaim is available, too.
    """
    met = []
    for threshold in thresholds:
        observed = observations.get(threshold.signal)
        if not threshold.is_set or observed is None:
            continue
        wanted = threshold.value.of(observed.capacity).nanos
        if with_min_reclaim and threshold.min_reclaim is not None:
            wanted += threshold.min_reclaim.of(observed.capacity).nanos
        if wanted > observed.available * NANOS_PER_UNIT:
            met.append(threshold)
    return met


def updated(
    thresholds: Iterable[Threshold], observations: Observations, before: Observations
) -> list[Threshold]:
    """Return the thresholds whose signal has a newer observation than in `before`.

    So the manager doesn't act twice on one observation.
    """

    def is_new(threshold: Threshold) -> bool:
        observed, last = observations.get(threshold.signal), before.get(threshold.signal)
        if observed is None or last is None or observed.observed_s is None:
            return observed is not None
        return last.observed_s is None or observed.observed_s > last.observed_s

    return [threshold for threshold in thresholds if is_new(threshold)]
