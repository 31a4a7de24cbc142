"""Constraints between the devices of a claim, as a search adds and removes devices.

What upstream v1.36 remembers is kept, and no more: of the devices of one request, the last one's
attribute is what others must differ from.
"""

from podium.api.devices.resource_claims import DeviceConstraint
from podium.api.devices.resource_slices import Attribute, attribute_of
from podium.scheduler.devices.claim_requests import Request
from podium.scheduler.devices.published_devices import PublishedDevice


class Constraint:
    """A constraint, and the devices that have been added to it."""

    def __init__(self, raw: DeviceConstraint) -> None:
        self._requests = frozenset(raw.requests or ())
        self._attribute = raw.match_attribute or raw.distinct_attribute or ""
        self._count = 0

    def add(self, request: Request, device: PublishedDevice) -> bool:
        """Add a device if the constraint allows it; return whether it does."""
        if not self._concerns(request):
            return True
        attribute = attribute_of(device.device.attributes, device.spec.driver, self._attribute)
        if attribute is None or (self._count and not self._allows(attribute)):
            return False
        self._note(request, attribute, is_first=not self._count)
        self._count += 1
        return True

    def remove(self, request: Request) -> None:
        """Remove the device that was last added for a request."""
        if self._concerns(request):
            self._count -= 1
            self._forget(request)

    def _concerns(self, request: Request) -> bool:
        return (
            not self._requests
            or request.entry in self._requests
            or (bool(request.alternative) and request.full_name in self._requests)
        )

    def _allows(self, attribute: Attribute) -> bool:
        raise NotImplementedError

    def _note(self, request: Request, attribute: Attribute, *, is_first: bool) -> None:
        raise NotImplementedError

    def _forget(self, request: Request) -> None: ...


class MatchAttribute(Constraint):
    """All devices have one value of an attribute."""

    _value: object = None

    def _allows(self, attribute: Attribute) -> bool:
        return attribute.typed is not None and attribute.typed == self._value

    def _note(self, request: Request, attribute: Attribute, *, is_first: bool) -> None:
        if is_first:
            self._value = attribute.typed


class DistinctAttribute(Constraint):
    """No two requests have devices with one value of an attribute."""

    def __init__(self, raw: DeviceConstraint) -> None:
        super().__init__(raw)
        self._values: dict[str, object] = {}

    def _allows(self, attribute: Attribute) -> bool:
        if not self._values:
            return True
        return attribute.typed is not None and attribute.typed not in self._values.values()

    def _note(self, request: Request, attribute: Attribute, *, is_first: bool) -> None:
        self._values[request.entry] = attribute.typed

    def _forget(self, request: Request) -> None:
        self._values.pop(request.entry, None)


def constraint(raw: DeviceConstraint) -> Constraint | None:
    """Return a constraint without devices; None if it isn't of a known type."""
    if raw.match_attribute is not None:
        return MatchAttribute(raw)
    return None if raw.distinct_attribute is None else DistinctAttribute(raw)
