"""What a device doesn't meet of a request, as text: selectors with the values that they saw."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from podium.api.cel.compiler import CompileError
from podium.api.cel.device_selectors import Read, device_selector
from podium.api.cel.syntax import Call
from podium.api.cel.values import CelError
from podium.api.devices.resource_slices import qualified
from podium.api.values.quantity import Format, Quantity
from podium.scheduler.devices.capacities import is_enough
from podium.scheduler.devices.claim_requests import CompiledSelector, Request
from podium.scheduler.devices.published_devices import PublishedDevice

_EXPRESSION_MAX = 120


def unmet_selector(
    selectors: Iterable[CompiledSelector], device: PublishedDevice, claim_name: str
) -> str:
    """Return which selector doesn't select a device, with the values it saw; empty if all do."""
    for selector in selectors:
        origin = selector.origin.replace("{claim}", claim_name)
        if selector.selector is None:
            why = selector.error.partition("\n")[0]
            return f"{origin}: {why} in {_shortened(selector.expression)}"
        try:
            if selector.selector.matches(device.for_selectors):
                continue
        except CelError as error:
            place = selector.selector.program.failure(device.for_selectors)
            where = f"{f'at {place} ' if place else ''}in {_shortened(selector.expression)}"
            return f"{origin} fails {where}: {error}"
        failing = _failing_part(selector, device)
        return f"{origin} wants {_shortened(failing)}{_seen(failing, device)}"
    return ""


def unmet_capacity(
    request: Request, device: PublishedDevice, taken: Mapping[str, int]
) -> Iterator[str]:
    """Explain which capacities of a device don't suffice for a request.

    `taken` is what claims have consumed of each capacity, in nanos.
    """
    rules = device.amounts.capacities
    if not (request.amounts or device.needs_capacity_check):
        return
    for capacity, wanted in request.amounts.items():
        if capacity not in rules:
            yield f"no capacity {capacity}, of which {amount_text(wanted)} is requested"
    for capacity, of in rules.items():
        asked = {one: n for one, n in request.amounts.items() if one == capacity}
        if is_enough(asked, {capacity: of}, taken, {}):
            continue
        needed = of.consumed(request.amounts.get(capacity))
        if of.forbids(needed):
            yield f"the request policy of {capacity} forbids {amount_text(needed)}"
        else:
            left = amount_text(of.value - taken.get(capacity, 0))
            total = amount_text(of.value)
            yield f"{capacity} has {left} left of {total}, {amount_text(needed)} is needed"


def amount_text(nanos: int) -> str:
    """Return an amount of a capacity or counter, in nanos, as the shorter quantity: 80Gi or 25G."""
    forms = Format.BINARY_SI, Format.DECIMAL_SI
    return min((str(Quantity(nanos, form)) for form in forms), key=len)


def _failing_part(selector: CompiledSelector, device: PublishedDevice) -> str:
    """Return the first of the conditions joined by `&&` that isn't true, or the whole expression.

    Where `&&` is the outermost operator, a part that is an expression of its own is a condition.
    """
    assert selector.selector is not None
    tree = selector.selector.program.tree
    if not isinstance(tree, Call) or tree.function != "_&&_":
        return selector.expression
    parts = [part.strip() for part in selector.expression.split("&&")]
    try:
        conditions = [device_selector(part) for part in parts]
        return next(
            part
            for part, condition in zip(parts, conditions, strict=True)
            if not condition.matches(device.for_selectors)
        )
    except (CompileError, CelError, StopIteration):
        return selector.expression


def _seen(expression: str, device: PublishedDevice) -> str:
    reads = device_selector(expression).reads
    seen = [_value(read, device) for read in sorted(reads or ())]
    return f"; {', '.join(seen)}" if seen else ""


def _value(read: Read, device: PublishedDevice) -> str:
    if read == ("driver",):
        return f"driver is {json.dumps(device.spec.driver)}"
    if len(read) < 3:
        return f"{read[0]} is {device.for_selectors[read[0]]}"
    kind, domain, own = read
    named: Mapping[str, Any] = getattr(device.device, kind) or {}
    called = own if domain == device.spec.driver else f"{domain}/{own}"
    for full_name, found in named.items():
        if qualified(full_name, device.spec.driver) == (domain, own):
            value = found.value if kind == "capacity" else (found.typed or ("", None))[1]
            return f"{called} is {json.dumps(value)}"
    return f"there is no {called}"


def _shortened(expression: str) -> str:
    text = " ".join(expression.split())
    return text if len(text) <= _EXPRESSION_MAX else f"{text[:_EXPRESSION_MAX]}…"
