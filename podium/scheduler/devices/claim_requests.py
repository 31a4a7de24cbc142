"""What claims request, ready for allocation: classes looked up, selectors compiled, amounts read.

Claims with equal requests share a `ClaimRequests`, and so what is found out about nodes for them.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from podium.api.cel.compiler import CompileError
from podium.api.cel.device_selectors import Read, Selector, device_selector
from podium.api.devices.resource_claims import (
    DeviceClaim,
    DeviceConstraint,
    DeviceRequest,
    DeviceToleration,
)
from podium.api.devices.resource_slices import DeviceTaint
from podium.api.objects import Object, part, spec_of
from podium.api.objects import entries as entries_of
from podium.api.values.quantity import nanos

ClassOf = Callable[[str], Object | None]
"""Returns a DeviceClass by name."""


class AllocationError(Exception):
    """The allocation of claims failed for good, so that the pod's scheduling cycle fails."""

    def __init__(
        self, message: str, claim: int = -1, device: tuple[int, int] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.claim = claim
        """Index of the claim, which the message names where it has `{claim}`; -1 for none."""
        self.device = device
        """The device that the message names where it has `{device}` or `{pool}`, as the positions
        of its pool and of itself; None for none."""


class CompiledSelector(msgspec.Struct, frozen=True, eq=False):
    """A selector of a class or a request."""

    origin: str
    """What messages call it, such as `class gpu: selector #0`."""
    expression: str
    selector: Selector | None
    error: str = ""
    """Why the expression can't be compiled; empty if it can."""


class Request(msgspec.Struct, frozen=True, eq=False):
    """One request for devices, or one alternative of a request."""

    entry: str
    """Name of the claim's entry, which constraints name."""
    alternative: str
    """Name of the alternative; empty if the entry has only this request."""
    fault: str
    """Why the request can't be judged; empty if it can."""
    class_name: str
    device_class: Object | None
    mode: str
    count: int
    is_admin: bool
    selectors: tuple[CompiledSelector, ...]
    """Those of the class, then the request's own."""
    tolerations: tuple[DeviceToleration, ...]
    amounts: Mapping[str, int]
    """Requested capacities in nanos."""

    @property
    def own_name(self) -> str:
        """The name of the alternative, or of the entry."""
        return self.alternative or self.entry

    @property
    def full_name(self) -> str:
        """The name by which results refer to the request."""
        return f"{self.entry}/{self.alternative}" if self.alternative else self.entry

    def tolerates(self, taints: tuple[DeviceTaint, ...]) -> bool:
        """Return whether the request tolerates all taints."""
        return all(any(t.tolerates(taint) for t in self.tolerations) for taint in taints)


class Entry(msgspec.Struct, frozen=True, eq=False):
    """An entry of a claim: alternatives, of which one is allocated; one if it isn't a list."""

    is_list: bool
    alternatives: tuple[Request, ...]


class ClaimRequests(msgspec.Struct, frozen=True, eq=False):
    """Everything that a claim requests."""

    entries: tuple[Entry, ...]
    constraints: tuple[DeviceConstraint, ...]
    reads: frozenset[Read] | None
    """What selectors and constraints read of devices; None if they may read anything."""
    refusal: str = ""
    """Why no node can have the claim; empty if one may. It names the claim where it has
    `{claim}`."""
    is_error: bool = False
    """Whether the refusal is an error."""


def claim_requests(claim: DeviceClaim, class_of: ClassOf) -> ClaimRequests:
    """Prepare a claim for allocation; raises InvalidValueError if an amount isn't a quantity."""
    entries = []
    for entry in claim.requests or ():
        listed = entry.first_available or ()
        if listed:
            made = tuple(_request(entry.name, one.name, one, class_of) for one in listed)
        else:
            made = (_request(entry.name, "", entry.exactly or DeviceRequest(), class_of),)
        entries.append(Entry(bool(listed), made))
    constraints = claim.constraints or ()
    reads: set[Read] = set()
    knows_all = True
    for selector in (
        selector for e in entries for request in e.alternatives for selector in request.selectors
    ):
        if selector.selector is not None:
            if selector.selector.reads is None:
                knows_all = False
            else:
                reads |= selector.selector.reads
    for constraint in constraints:
        attribute = constraint.match_attribute or constraint.distinct_attribute or ""
        domain, _, own = attribute.partition("/")
        reads.add(("attributes", domain, own))
    refusal, is_error = _refusal(claim, entries)
    known_reads = frozenset(reads) if knows_all else None
    return ClaimRequests(tuple(entries), constraints, known_reads, refusal, is_error)


def _refusal(claim: DeviceClaim, entries: Sequence[Entry]) -> tuple[str, bool]:
    """Return why no node can have a claim, and whether that is an error (PreFilter of v1.36)."""
    for raw, entry in zip(claim.requests or (), entries, strict=True):
        if raw.exactly is None and not entry.is_list:
            return f"resource claim {{claim}}, request {raw.name}: unknown request type", False
        for request in entry.alternatives:
            if not request.class_name:
                return f"request {request.full_name}: unsupported request type", True
            if request.device_class is None:
                missing = f"device class {request.class_name} does not exist"
                return f"request {request.full_name}: {missing}", False
    return "", False


def _request(entry: str, alternative: str, raw: DeviceRequest, class_of: ClassOf) -> Request:
    own = raw.selectors or ()
    fault = next(
        (
            f"selector #{index}: CEL expression empty (unsupported selector type?)"
            for index, selector in enumerate(own)
            if selector.cel is None
        ),
        "",
    )
    device_class = class_of(raw.device_class_name)
    selectors = [
        _compiled(f"class {raw.device_class_name}: selector #{index}", part(selector, "cel"))
        for index, selector in enumerate(entries_of(spec_of(device_class or {}), "selectors"))
    ]
    selectors += [
        _compiled(f"claim {{claim}}: selector #{index}", {"expression": selector.cel.expression})
        for index, selector in enumerate(own)
        if selector.cel is not None
    ]
    requested = (raw.capacity.requests if raw.capacity else None) or {}
    return Request(
        entry=entry,
        alternative=alternative,
        fault=fault,
        class_name=raw.device_class_name,
        device_class=device_class,
        mode=raw.allocation_mode,
        count=raw.count,
        # Alternatives have no access for administrators.
        is_admin=bool(raw.admin_access) and not alternative,
        selectors=tuple(selectors),
        tolerations=raw.tolerations or (),
        amounts={capacity: nanos(amount) for capacity, amount in requested.items()},
    )


def _compiled(origin: str, cel: Object) -> CompiledSelector:
    expression = str(cel.get("expression") or "")
    try:
        return CompiledSelector(origin, expression, device_selector(expression))
    except CompileError as error:
        return CompiledSelector(origin, expression, None, f"CEL compile error: {error}")
