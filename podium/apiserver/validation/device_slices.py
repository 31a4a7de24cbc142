"""Checks of ResourceSlices: pools, devices, and the counters that devices share.

Limits and messages are those of v1.36.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import entries, part
from podium.api.selectors.labels import validate_subdomain
from podium.api.values.quantity import nanos, parse_quantity, value
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, a_set, at_most, distinct, each, join
from podium.apiserver.validation.names import dns_label, label_key, label_value, subdomain
from podium.apiserver.validation.selectors import node_selector

DRIVER_LENGTH_MAX = 63
_POOL_LENGTH_MAX = 253
_IDENTIFIER_LENGTH_MAX = 32
_TEXT_LENGTH_MAX = 64
_DEVICES_MAX = 128
_ELABORATE_DEVICES_MAX = 64
_PROPERTIES_MAX = 32
_TAINTS_MAX = 16
_CONDITIONS_MAX = 4
_COUNTER_SETS_MAX = 8
_CONSUMED_SETS_MAX = 2
_COUNTERS_MAX = 32
_POLICY_VALUES_MAX = 10

EFFECTS = ("NoExecute", "NoSchedule", "None")

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_IDENTIFIER_RULE = (
    "a valid C identifier must start with alphabetic character or '_', followed by a string of "
    "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for "
    "validation is '[A-Za-z_][A-Za-z0-9_]*')"
)
_PRE_RELEASE = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_BUILD = "[0-9a-zA-Z-]+"
_VERSION = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    rf"(-{_PRE_RELEASE}(\.{_PRE_RELEASE})*)?(\+{_BUILD}(\.{_BUILD})*)?",
    re.ASCII,
)

driver_name = checks.both(
    checks.no_longer(DRIVER_LENGTH_MAX),
    checks.a_string(lambda name: validate_subdomain(name.lower())),
)


def _pool_parts(name: str, path: str) -> Faults:
    for piece in name.split("/"):
        for message in validate_subdomain(piece):
            yield FieldError(path, piece, message)


pool_name = checks.both(checks.no_longer(_POOL_LENGTH_MAX), _pool_parts)


@lru_cache(4096)
def _name_faults(name: str) -> Sequence[FieldError]:
    domain, slash, identifier = name.rpartition("/")
    if "/" in domain:
        return [FieldError("", name, "must not contain more than one slash")]
    faults: list[FieldError] = []
    if slash:
        empty = FieldError("", "", "the domain must not be empty")
        faults += driver_name(domain, "") if domain else [empty]
    if slash and not identifier:
        return [*faults, FieldError("", "", "the name must not be empty")]
    faults += checks.no_longer(_IDENTIFIER_LENGTH_MAX)(identifier, "")
    if not _IDENTIFIER.fullmatch(identifier):
        faults.append(FieldError("", identifier, _IDENTIFIER_RULE))
    return faults


def qualified_name(name: str, path: str) -> Faults:
    """Check the name of an attribute or capacity, which may have a domain."""
    return (fault.under(path) for fault in _name_faults(name))


def fully_qualified_name(name: str, path: str) -> Faults:
    """Check the name of an attribute that has to have a domain."""
    yield from qualified_name(name, path)
    if "/" not in name:
        message = "a fully qualified name must be a domain and a name separated by a slash"
        yield FieldError(path, name, message)


def _map_of(name: checks.Check, check: checks.Check = checks.anything) -> checks.Check:
    """Return a check of maps; faults of keys have the path of the map, as in kube-apiserver."""

    def check_map(value: Any, path: str) -> Faults:
        for key, entry in value.items():
            yield from name(key, path)
            yield from check(entry, f"{path}[{key}]")

    return check_map


_text = checks.no_longer(_TEXT_LENGTH_MAX)
_version = checks.both(
    checks.must(
        "must be a string compatible with semver.org spec 2.0.0",
        lambda text: bool(_VERSION.fullmatch(text)),
    ),
    _text,
)


def _one_value(attribute: Any, path: str) -> Faults:
    given = {field: value for field, value in attribute.items() if value is not None}
    if len(given) != 1:
        yield FieldError(path, given or "", "exactly one value must be specified")


_attribute = checks.fields(_one_value, string=_text, version=_version)


def _few_properties(device: Any, path: str) -> Faults:
    count = len(part(device, "attributes")) + len(part(device, "capacity"))
    if count > _PROPERTIES_MAX:
        what = "the total number of attributes and capacities"
        yield FieldError(path, count, f"{what} must not exceed {_PROPERTIES_MAX}")


def _exclusive(capacity: Any, path: str) -> Faults:
    if capacity.get("requestPolicy") is not None:
        yield checks.forbidden(join(path, "requestPolicy"), "allowMultipleAllocations must be true")


def _shared(capacity: Any, path: str) -> Faults:
    policy, where = capacity.get("requestPolicy"), join(path, "requestPolicy")
    if policy is None:
        return
    listed, bounds = policy.get("validValues"), policy.get("validRange")
    if listed and bounds is not None:
        rule = 'cannot specify "validValues" and "validRange" at the same time'
        yield checks.forbidden(where, f"exactly one policy can be specified, {rule}")
        return
    for field, given, check in (
        ("validValues", listed or None, _policy_values),
        ("validRange", bounds, _policy_range),
    ):
        if given is None:
            continue
        if policy.get("default") is None:
            yield checks.required(join(where, "default"), f"required when {field} is defined")
        else:
            yield from check(
                given, policy["default"], capacity.get("value") or 0, join(where, field)
            )


def _policy_values(listed: Any, default: Any, most: Any, path: str) -> Faults:
    amounts = [*map(nanos, listed)]
    for index in range(1, len(amounts)):
        if amounts[index - 1] > amounts[index]:
            shown = str(parse_quantity(listed[index]))
            yield FieldError(f"{path}[{index}]", shown, "values must be sorted in ascending order")

    def option(amount: Any, where: str) -> Faults:
        if nanos(amount) > nanos(most):
            message = f"option is larger than capacity value: {parse_quantity(most)}"
            yield FieldError(where, str(parse_quantity(amount)), message)

    yield from at_most(_POLICY_VALUES_MAX, each(option))(listed, path)
    yield from distinct()([str(value(amount)) for amount in listed], path)
    if nanos(default) not in amounts:
        message = "default value is not valid according to the requestPolicy"
        yield FieldError(path, str(parse_quantity(default)), message)


def _policy_range(bounds: Any, default: Any, most: Any, path: str) -> Faults:
    low, high, step = (
        None if bounds.get(field) is None else parse_quantity(bounds[field])
        for field in ("min", "max", "step")
    )
    default, most = parse_quantity(default), parse_quantity(most)
    if low is None:
        yield checks.required(join(path, "min"), "required when validRange is defined")
        return
    for field, shown, smaller, larger, message in (
        ("min", low, low, most, f"min is larger than capacity value: {most}"),
        ("default", default, low, default, f"default is less than min: {low}"),
        ("max", low, low, high, f"min is larger than max: {high}"),
        ("max", high, high, most, f"max is larger than capacity value: {most}"),
        ("default", default, default, high, f"default is more than max: {high}"),
    ):
        if smaller is not None and larger is not None and smaller > larger:
            yield FieldError(join(path, field), str(shown), message)
    if step is None:
        return
    if step.nanos <= 0:
        yield FieldError(join(path, "step"), str(step), "must be greater than zero")
        return
    if low + step > most:
        message = f"one step {low + step} is larger than capacity value: {most}"
        yield FieldError(join(path, "step"), str(step), message)
    for amount in (default, high):
        if amount is not None and (value(str(amount)) - value(str(low))) % value(str(step)):
            message = f"value is not a multiple of a given step ({step}) from ({low})"
            yield FieldError(join(path, "step"), str(amount), message)


def _capacities(device: Any, path: str) -> Faults:
    check = _shared if device.get("allowMultipleAllocations") else _exclusive
    yield from _map_of(qualified_name, check)(part(device, "capacity"), join(path, "capacity"))


def binding_conditions(value: Any, path: str) -> Faults:
    """Check the `bindingConditions` and `bindingFailureConditions` of a device or result."""
    lists = ("bindingConditions", "bindingFailureConditions")
    wanted, failing = (entries(value, field) for field in lists)
    for field in lists:
        listed = checks.both(at_most(_CONDITIONS_MAX, each(label_key)), distinct())
        yield from listed(entries(value, field), join(path, field))
    for index, condition in enumerate(failing):
        if condition in wanted:
            message = "bindingFailureConditions must not overlap with bindingConditions"
            yield FieldError(f"{join(path, lists[1])}[{index}]", condition, message)
    for field, other in (lists, lists[::-1]):
        if entries(value, other) and not entries(value, field):
            yield FieldError(join(path, field), None, f"{field} are required to use {other}")


def _one_place(places: Sequence[str], rule: str, several: str) -> checks.Check:
    def check(value: Any, path: str) -> Faults:
        chosen = [f"`{place}`" for place in places if value.get(place) not in (None, "", False)]
        if not chosen:
            yield checks.required(path, rule)
        elif len(chosen) > 1:
            yield FieldError(path, f"{{{', '.join(chosen)}}}", f"{rule}{several}")

    return check


_must_be_true = checks.must("must be either unset or set to true", bool)
_PLACES = ("nodeName", "nodeSelector", "allNodes")


def _no_place(device: Any, path: str) -> Faults:
    if any(device.get(place) is not None for place in _PLACES):
        message = (
            "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` "
            "is set to true in the ResourceSlice spec"
        )
        yield FieldError(path, "null", message)


_own_place = checks.fields(
    _one_place(
        _PLACES,
        "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
        "`perDeviceNodeSelection` is set to true in the ResourceSlice spec",
        "",
    ),
    nodeName=checks.both(checks.must("must not be empty", bool), checks.unless_empty(subdomain)),
    nodeSelector=node_selector,
    allNodes=_must_be_true,
)

_counters = checks.needed(at_most(_COUNTERS_MAX, _map_of(dns_label)))
_device = checks.both(
    checks.fields(name=checks.absent_as("", dns_label)),
    _few_properties,
    checks.fields(attributes=_map_of(qualified_name, _attribute)),
    _capacities,
    checks.fields(
        taints=at_most(
            _TAINTS_MAX,
            each(
                checks.fields(
                    key=checks.absent_as("", label_key),
                    value=checks.unless_empty(label_value),
                    effect=checks.needed(checks.one_of(*EFFECTS)),
                )
            ),
        ),
        consumesCounters=a_set(
            _CONSUMED_SETS_MAX,
            checks.fields(counterSet=checks.needed(dns_label), counters=_counters),
            "counterSet",
        ),
    ),
)


def _devices(spec: Any, path: str) -> Faults:
    if spec.get("sharedCounters") is not None and spec.get("devices") is not None:
        yield FieldError(path, "", "only one of `sharedCounters` or `devices` is allowed")
    devices = entries(spec, "devices")
    is_elaborate = any(device.get("taints") or device.get("consumesCounters") for device in devices)
    limit = _ELABORATE_DEVICES_MAX if is_elaborate else _DEVICES_MAX
    place = _own_place if spec.get("perDeviceNodeSelection") else _no_place
    one = checks.both(_device, place, binding_conditions)
    yield from a_set(limit, one, "name")(devices, join(path, "devices"))


def _one_term(selector: Any, path: str) -> Faults:
    terms = selector.get("nodeSelectorTerms")
    if len(terms or ()) != 1:
        where = join(path, "nodeSelectorTerms")
        yield FieldError(where, terms, "must have exactly one node selector term")


slice_spec = checks.both(
    checks.fields(
        driver=checks.needed(driver_name),
        pool=checks.absent_as(
            {},
            checks.fields(
                name=checks.needed(pool_name),
                resourceSliceCount=checks.absent_as(
                    0, checks.integer(1, rule="must be greater than zero")
                ),
                generation=checks.integer(rule="must be greater than or equal to zero"),
            ),
        ),
        nodeName=checks.both(
            checks.must("must be either unset or set to a non-empty string", bool),
            checks.unless_empty(subdomain),
        ),
        nodeSelector=checks.both(node_selector, _one_term),
        allNodes=_must_be_true,
        perDeviceNodeSelection=_must_be_true,
    ),
    _one_place(
        (*_PLACES, "perDeviceNodeSelection"),
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "
        "required",
        ", but multiple fields are set",
    ),
    _devices,
    checks.fields(
        sharedCounters=a_set(
            _COUNTER_SETS_MAX,
            checks.fields(name=checks.needed(dns_label), counters=_counters),
            "name",
        )
    ),
)
