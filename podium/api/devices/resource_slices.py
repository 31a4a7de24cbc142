"""ResourceSlices: the devices that drivers publish, with what tells them apart.

A pool is all slices of one driver with one pool name, in their latest generation.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from podium.api.objects import Object, name

Amount = str | int | float
"""A quantity as it is written."""

DeviceKey = tuple[str, str, str]
"""A device's driver, pool and name."""

PoolKey = tuple[str, str]
"""A pool's driver and name."""

TAINT_EFFECTS = frozenset({"NoSchedule", "NoExecute"})
"""The effects of taints that keep claims off a device; others do nothing."""


class _Part(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    pass


class Attribute(msgspec.Struct, frozen=True):
    """An attribute of a device, which has one value."""

    string: str | None = None
    int_: int | None = msgspec.field(default=None, name="int")
    bool_: bool | None = msgspec.field(default=None, name="bool")
    version: str | None = None

    @property
    def typed(self) -> tuple[str, str | int | bool] | None:
        """The name of the value's type, and the value; None for a type that isn't known."""
        if self.string is not None:
            return "string", self.string
        if self.int_ is not None:
            return "int", self.int_
        if self.bool_ is not None:
            return "bool", self.bool_
        return None if self.version is None else ("version", self.version)


class ValidRange(_Part, frozen=True):
    """The amounts that may be requested of a capacity: multiples of `step` from `min` on."""

    min: Amount | None = None
    max: Amount | None = None
    step: Amount | None = None


class RequestPolicy(_Part, frozen=True):
    """How a request for a capacity is rounded, and what is consumed without a request."""

    default: Amount | None = None
    valid_values: tuple[Amount, ...] | None = None
    valid_range: ValidRange | None = None


class Capacity(_Part, frozen=True):
    """An amount of something that a device has, such as memory."""

    value: Amount = "0"
    request_policy: RequestPolicy | None = None


class Counter(_Part, frozen=True):
    """An amount of something that devices share."""

    value: Amount = "0"


class CounterSet(_Part, frozen=True):
    """Counters from which the devices of a pool are taken."""

    name: str = ""
    counters: dict[str, Counter] | None = None


class CounterConsumption(_Part, frozen=True):
    """What a device takes from a counter set."""

    counter_set: str = ""
    counters: dict[str, Counter] | None = None


class DeviceTaint(_Part, frozen=True):
    """A taint of a device, which claims have to tolerate."""

    key: str = ""
    value: str = ""
    effect: str = ""


class Device(_Part, frozen=True):
    """A device of a slice."""

    name: str = ""
    attributes: dict[str, Attribute] | None = None
    capacity: dict[str, Capacity] | None = None
    consumes_counters: tuple[CounterConsumption, ...] | None = None
    node_name: str | None = None
    node_selector: dict[str, Any] | None = None
    all_nodes: bool | None = None
    taints: tuple[DeviceTaint, ...] | None = None
    binds_to_node: bool | None = None
    binding_conditions: tuple[str, ...] | None = None
    binding_failure_conditions: tuple[str, ...] | None = None
    allow_multiple_allocations: bool | None = None


class Pool(_Part, frozen=True):
    """The pool that a slice is part of."""

    name: str = ""
    generation: int = 0
    resource_slice_count: int = 0


class SliceSpec(_Part, frozen=True):
    """The spec of a ResourceSlice."""

    driver: str = ""
    pool: Pool = Pool()
    node_name: str | None = None
    node_selector: dict[str, Any] | None = None
    all_nodes: bool | None = None
    per_device_node_selection: bool | None = None
    devices: tuple[Device, ...] | None = None
    shared_counters: tuple[CounterSet, ...] | None = None

    @property
    def pool_key(self) -> PoolKey:
        """Driver and name of the slice's pool."""
        return self.driver, self.pool.name


class ResourceSlice(msgspec.Struct, frozen=True):
    """A ResourceSlice: its name and spec."""

    name: str
    spec: SliceSpec


def resource_slice(obj: Object) -> ResourceSlice:
    """Read a ResourceSlice; raises msgspec.ValidationError if a field is of another type."""
    return ResourceSlice(name(obj), msgspec.convert(obj.get("spec") or {}, SliceSpec))


def qualified(attribute: str, driver: str) -> tuple[str, str]:
    """Split the name of an attribute or capacity into domain and name; the driver's by default."""
    domain, slash, own = attribute.partition("/")
    return (domain, own) if slash else (driver, attribute)


def attribute_of(
    attributes: Mapping[str, Attribute] | None, driver: str, full_name: str
) -> Attribute | None:
    """Return the attribute of a fully qualified name, as constraints name attributes."""
    known = (attributes or {}).get(full_name)
    domain, slash, own = full_name.partition("/")
    if known is None and slash and domain == driver:
        known = (attributes or {}).get(own)
    return known
