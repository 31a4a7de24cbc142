"""Consumable capacity: what a request takes of a device's capacities, and whether it is there.

Amounts are nanos. The rules are those of v1.36 (CmpRequestOverCapacity).
"""

from collections.abc import Mapping

import msgspec

from podium.api.devices.resource_slices import Device, RequestPolicy, ValidRange
from podium.api.values.quantity import NANOS_PER_UNIT, ceil_value, nanos

Amounts = Mapping[str, int]
"""Nanos by the name of a capacity."""


class CapacityRules(msgspec.Struct, frozen=True):
    """A capacity of a device with its request policy, in nanos.

    Attributes:
        steps: the least amount and the step, in whole units; None if requests aren't rounded so.
        has_range: whether requests are rounded up to the least amount.
    """

    value: int
    has_policy: bool = False
    default: int | None = None
    valid_values: tuple[int, ...] = ()
    has_range: bool = False
    least: int | None = None
    most: int | None = None
    step: int | None = None

    def consumed(self, requested: int | None) -> int:
        """Return what is taken for a request, or without one."""
        if requested is None:
            return self.value if self.default is None else self.default
        if self.least is not None:
            if requested < self.least:
                return self.least
            if self.step is None:
                return requested
            over = ceil_value(requested) - ceil_value(self.least)
            steps = -(-over // self.step)
            return (ceil_value(self.least) + steps * self.step) * NANOS_PER_UNIT
        return next((valid for valid in self.valid_values if requested <= valid), requested)

    def forbids(self, amount: int) -> bool:
        """Return whether the policy doesn't allow an amount."""
        if not self.has_policy or amount == self.default:
            return False
        if self.has_range:
            if self.most is not None and amount > self.most:
                return True
            over = ceil_value(amount) - ceil_value(self.least or 0)
            return self.step is not None and over % self.step != 0
        return bool(self.valid_values) and amount not in self.valid_values


def capacity_rules(device: Device) -> dict[str, CapacityRules]:
    """Return a device's capacities by name; raises InvalidValueError."""
    return {
        name: _rules(nanos(capacity.value), capacity.request_policy)
        for name, capacity in (device.capacity or {}).items()
    }


def consumption(requested: Amounts, rules: Mapping[str, CapacityRules]) -> dict[str, int]:
    """Return what a request takes of each capacity of a device."""
    return {name: of.consumed(requested.get(name)) for name, of in rules.items()}


def is_enough(
    requested: Amounts, rules: Mapping[str, CapacityRules], taken: Amounts, being_taken: Amounts
) -> bool:
    """Return whether a request fits what is left of a device's capacities.

    Args:
        taken: by claims that have been allocated.
        being_taken: by the claims that are being allocated.
    """
    if any(name not in rules for name in requested):
        return False
    for name, of in rules.items():
        amount = of.consumed(requested.get(name))
        if of.forbids(amount):
            return False
        if amount + taken.get(name, 0) + being_taken.get(name, 0) > of.value:
            return False
    return True


def _rules(value: int, policy: RequestPolicy | None) -> CapacityRules:
    if policy is None:
        return CapacityRules(value)
    valid_range = policy.valid_range or ValidRange()
    written = (policy.default, valid_range.min, valid_range.max, valid_range.step)
    default, least, most, step = (None if one is None else nanos(one) for one in written)
    return CapacityRules(
        value,
        has_policy=True,
        default=default,
        valid_values=tuple(map(nanos, policy.valid_values or ())),
        has_range=policy.valid_range is not None,
        least=least,
        most=most,
        step=None if step is None else ceil_value(step),
    )
