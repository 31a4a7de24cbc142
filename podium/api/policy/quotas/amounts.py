"""Quantities by resource name, and the sums, differences and comparisons that quotas need."""

from collections.abc import Collection, Mapping

from podium.api.objects import Object, part, spec_of
from podium.api.pod_specs import all_containers_of
from podium.api.resources import Amounts
from podium.api.values.quantity import Format, Quantity, parse_quantity

Quantities = dict[str, Quantity]

ONE = Quantity(10**9)
NONE = Quantity(0)


def read(raw: Object | None) -> Quantities:
    """A resource list as it stands in JSON."""
    return {name: parse_quantity(amount) for name, amount in raw.items()} if raw else {}


def written(quantities: Mapping[str, Quantity]) -> dict[str, str]:
    """The same as it is stored."""
    return {name: str(quantities[name]) for name in sorted(quantities)}


def pretty(quantities: Mapping[str, Quantity]) -> str:
    """The same in a sentence: `cpu=1,pods=2`."""
    return ",".join(f"{name}={quantities[name]}" for name in sorted(quantities))


def masked(quantities: Mapping[str, Quantity], names: Collection[str]) -> Quantities:
    """What of them is named."""
    return {name: amount for name, amount in quantities.items() if name in names}


def added(first: Mapping[str, Quantity], second: Mapping[str, Quantity]) -> Quantities:
    """The sum; what is in one list only counts as it is."""
    total = dict(first)
    for name, amount in second.items():
        total[name] = total[name] + amount if name in total else amount
    return total


def increase(new: Mapping[str, Quantity], old: Mapping[str, Quantity]) -> Quantities:
    """How much more the new amounts are; what has become less or is gone counts as nothing."""
    more = {}
    for name, amount in new.items():
        rest = amount - old[name] if name in old else amount
        more[name] = rest if rest.nanos > 0 else NONE
    return more


def without_zeros(quantities: Mapping[str, Quantity]) -> Quantities:
    """What isn't nothing."""
    return {name: amount for name, amount in quantities.items() if amount}


def exceeding(amounts: Mapping[str, Quantity], bounds: Mapping[str, Quantity]) -> list[str]:
    """The names of the amounts that are above their bounds."""
    return [name for name, bound in bounds.items() if name in amounts and amounts[name] > bound]


def as_written_by(pod: Object, amounts: Amounts, field: str) -> Quantities:
    """A pod's summed `requests` or `limits` (nanos) in the formats in which it states them."""
    formats: dict[str, Format] = {}
    spec = spec_of(pod)
    lists = [part(owner, "resources", field) for owner in (spec, *all_containers_of(spec))]
    for stated in (*lists, part(spec, "overhead")):
        for name, amount in stated.items():
            quantity = parse_quantity(amount)
            if quantity:
                formats.setdefault(name, quantity.format)
    return {
        name: Quantity(nanos, formats.get(name, Format.DECIMAL_SI))
        for name, nanos in amounts.items()
    }
