"""Thresholds: how little of a resource may be left before the node acts.

The arithmetic is that of `pkg/kubelet/eviction` in v1.36: shares of a capacity are held as float32,
multiplied as float64 and cut off.
"""

import math

import msgspec

from podium.api.values.quantity import INT64_MIN, NANOS_PER_UNIT, Format, Quantity
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
        signal: what is observed.
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
