"""Checks of what DeviceClasses and ResourceClaims select, and of what is allocated for claims.

Limits and messages are those of v1.36.
"""

import re
from collections.abc import Collection
from typing import Any

import msgspec

from podium.api.cel.compiler import CompileError
from podium.api.cel.device_selectors import COST_MAX, device_selector
from podium.api.devices.resource_claims import (
    ALL,
    ALTERNATIVES_MAX,
    EXACT_COUNT,
    RESERVATIONS_MAX,
    RESULTS_MAX,
)
from podium.api.errors import FieldError, unsupported
from podium.api.objects import Object, entries, part
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, a_set, at_most, distinct, each, join
from podium.apiserver.validation.device_slices import (
    EFFECTS,
    binding_conditions,
    driver_name,
    fully_qualified_name,
    pool_name,
)
from podium.apiserver.validation.names import dns_label, label_key, label_value, subdomain
from podium.apiserver.validation.selectors import node_selector

_EXPRESSION_LENGTH_MAX = 10 * 1024
_PARAMETERS_LENGTH_MAX = 10 * 1024
_REQUESTS_MAX = 32
_CONFIG_MAX = 32
_TOLERATIONS_MAX = 16
_CONDITIONS_MAX = 8
_ADDRESSES_MAX = 16

_NOT_A_REQUEST = (
    "must be the name of a request in the claim or the name of a request and a subrequest "
    "separated by '/'"
)
_UID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UID_RULE = (
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with "
    "lowercase hexadecimal characters"
)


def _expression(text: str, path: str) -> Faults:
    too_long = [*checks.no_longer(_EXPRESSION_LENGTH_MAX)(text, path)]
    yield from too_long
    if not too_long:
        try:
            selector = device_selector(text)
        except CompileError as error:
            yield FieldError(path, text, str(error))
        else:
            if selector.program.cost_max > COST_MAX:
                yield checks.forbidden(path, "too complex, exceeds cost limit")


selectors = at_most(
    _REQUESTS_MAX,
    each(
        checks.fields(
            cel=checks.present(checks.fields(expression=checks.absent_as("", _expression)))
        )
    ),
)


def _json_object(value: Any, path: str) -> Faults:
    text = msgspec.json.encode(value).decode()
    too_long = [*checks.no_longer(_PARAMETERS_LENGTH_MAX)(text, path)]
    yield from too_long
    if not too_long and not isinstance(value, dict):
        yield FieldError(path, "<value omitted>", "must be a valid JSON object")


opaque = checks.present(
    checks.fields(driver=checks.needed(driver_name), parameters=checks.present(_json_object))
)
configs = at_most(_CONFIG_MAX, each(checks.fields(opaque=opaque)))


def _fits_operator(toleration: Any, path: str) -> Faults:
    operator, value = toleration.get("operator") or "", toleration.get("value") or ""
    if operator == "Exists" and value:
        message = "must be empty for operator `Exists`"
        yield FieldError(join(path, "value"), value, message)
    elif operator == "Equal":
        yield from label_value(value, join(path, "value"))


_tolerations = at_most(
    _TOLERATIONS_MAX,
    each(
        checks.fields(
            _fits_operator,
            key=checks.unless_empty(label_key),
            operator=checks.needed(checks.one_of("Equal", "Exists")),
            effect=checks.unless_empty(checks.one_of(*EFFECTS)),
        )
    ),
)


def _mode_and_count(request: Any, path: str) -> Faults:
    # An exported claim may lack the defaults, which it gets when its state is loaded.
    mode = request.get("allocationMode") or EXACT_COUNT
    count = request.get("count") or (1 if mode == EXACT_COUNT else 0)
    where = join(path, "count")
    if mode == ALL and count:
        message = f"must not be specified when allocationMode is '{mode}'"
        yield FieldError(where, count, message)
    elif mode == EXACT_COUNT and count <= 0:
        yield FieldError(where, count, "must be greater than zero")
    elif mode not in (ALL, EXACT_COUNT):
        yield unsupported(join(path, "allocationMode"), mode, (ALL, EXACT_COUNT))


_exact_request = checks.both(
    checks.fields(deviceClassName=checks.needed(subdomain), selectors=selectors),
    _mode_and_count,
    checks.fields(tolerations=_tolerations),
)
_name = checks.fields(name=checks.absent_as("", dns_label))
_alternatives = a_set(ALTERNATIVES_MAX, checks.both(_name, _exact_request), "name")


def _request(request: Any, path: str) -> Faults:
    yield from _name(request, path)
    exactly, alternatives = request.get("exactly"), request.get("firstAvailable")
    rule = "exactly one of `exactly` or `firstAvailable` is required"
    if alternatives and exactly is not None:
        yield FieldError(path, "null", f"{rule}, but multiple fields are set")
    elif alternatives:
        yield from _alternatives(alternatives, join(path, "firstAvailable"))
    elif exactly is not None:
        yield from _exact_request(exactly, join(path, "exactly"))
    else:
        yield checks.required(path, rule)


_requests = a_set(_REQUESTS_MAX, _request, "name")


def _needs_attribute(constraint: Any, path: str) -> Faults:
    if constraint.get("matchAttribute") is None and constraint.get("distinctAttribute") is None:
        rule = 'exactly one of "matchAttribute" or "distinctAttribute" is required'
        yield checks.required(path, f"{rule}, but multiple fields are set")


def request_names(claim_spec: Object) -> set[str]:
    """Return the names by which a claim refers to its requests, such as `gpu` or `gpu/large`."""
    names = set()
    for request in entries(part(claim_spec, "devices"), "requests"):
        name = request.get("name") or ""
        alternatives = entries(request, "firstAvailable")
        names |= {name, *(f"{name}/{one.get('name') or ''}" for one in alternatives)}
    return names


def _reference(names: Collection[str]) -> checks.Check:
    def check(name: str, path: str) -> Faults:
        pieces = name.split("/")
        for piece in pieces if len(pieces) <= 2 else ():
            yield from dns_label(piece, path)
        if name not in names:
            yield FieldError(path, name, _NOT_A_REQUEST)

    return check


def _references(names: Collection[str]) -> checks.Check:
    return a_set(_REQUESTS_MAX, _reference(names))


def claim_spec(spec: Any, path: str) -> Faults:
    """Check the spec of a claim, or of the claims that are made from a template."""
    devices, where = part(spec, "devices"), join(path, "devices")
    yield from checks.fields(requests=_requests)(devices, where)
    if devices.get("constraints") or devices.get("config"):
        references = _references(request_names(spec))
        constraint = checks.both(
            checks.fields(requests=references),
            checks.fields(
                _needs_attribute,
                matchAttribute=fully_qualified_name,
                distinctAttribute=fully_qualified_name,
            ),
        )
        yield from checks.fields(
            constraints=at_most(_REQUESTS_MAX, each(constraint)),
            config=at_most(_CONFIG_MAX, each(checks.fields(requests=references, opaque=opaque))),
        )(devices, where)


_share = checks.must(_UID_RULE, lambda uid: bool(_UID.fullmatch(uid)))
_device: dict[str, checks.Part] = {
    "driver": checks.needed(driver_name),
    "pool": checks.needed(pool_name),
    "device": checks.absent_as("", dns_label),
    "shareID": _share,
}


def allocation(names: Collection[str]) -> checks.Check:
    """Return a check of an allocation for requests of these names."""
    result = checks.both(
        checks.fields(request=checks.absent_as("", _reference(names)), **_device),
        binding_conditions,
        checks.fields(tolerations=_tolerations),
    )
    config = checks.fields(
        source=checks.needed(checks.one_of("FromClaim", "FromClass")),
        requests=_references(names),
        opaque=opaque,
    )
    return checks.fields(
        devices=checks.fields(
            results=at_most(RESULTS_MAX, each(result)),
            # Those of the claim, and those of its classes.
            config=at_most(2 * _CONFIG_MAX, each(config)),
        ),
        nodeSelector=node_selector,
    )


reservations = a_set(
    RESERVATIONS_MAX,
    checks.fields(resource=checks.needed(), name=checks.needed(), uid=checks.needed()),
    "uid",
)


def device_key(device: Object) -> str:
    """Return what identifies an allocated device: driver, pool, name and, if it has one, share."""
    return "/".join(str(device[field]) for field in _device if device.get(field))


_status_of_device = checks.fields(
    **_device,
    conditions=at_most(_CONDITIONS_MAX, checks.anything),
    data=_json_object,
    networkData=checks.fields(
        interfaceName=checks.no_longer(256),
        hardwareAddress=checks.no_longer(128),
        ips=at_most(_ADDRESSES_MAX, distinct()),
    ),
)


def device_statuses(allocated: Collection[str]) -> checks.Check:
    """Return a check of what drivers say about the devices of a claim, given their keys."""

    def is_allocated(device: Any, path: str) -> Faults:
        if device_key(device) not in allocated:
            message = "must be an allocated device in the claim"
            yield FieldError(path, device_key(device), message)

    def are_distinct(devices: Any, path: str) -> Faults:
        yield from distinct()([*map(device_key, devices)], path)

    return checks.both(each(checks.both(_status_of_device, is_allocated)), are_distinct)
