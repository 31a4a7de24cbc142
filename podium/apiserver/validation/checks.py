"""The words that validation is written in: checks of values, and ways to put them together.

A check takes a value as read and the path where it stands, and yields the faults it finds; an
absent or null field isn't checked unless it is required. Messages are worded like those of
kube-apiserver v1.36, with plain words where that answers with a decoder's complaint.
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_interface
from ipaddress import ip_address as IPAddress  # noqa: N812 - it makes one
from typing import Any

import msgspec

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.values.quantity import INT64_MAX, INT64_MIN, QuantityError, parse_quantity
from podium.api.values.times import TimeError, parse_time

Faults = Iterator[FieldError]
Check = Callable[[Any, str], Faults]


class MinorFieldError(FieldError, frozen=True):
    """A fault for which kube-apiserver refuses an object, but on which no decision hangs."""


INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)

NOT_NEGATIVE = "must be greater than or equal to 0"

_PERCENT = re.compile("[0-9]+%")
_PERCENT_RULE = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


def wrong_type(path: str, value: object, expected: str) -> FieldError:
    """The fault of a value of the wrong JSON type; `expected` is such as `a string`."""
    return FieldError(path, value, f"must be {expected}")


def required(path: str, message: str = "") -> FieldError:
    """The fault of a field that is missing."""
    return FieldError(path, None, message, ErrorKind.REQUIRED)


def forbidden(path: str, message: str) -> FieldError:
    """The fault of a field that may not be set, or changed, like that."""
    return FieldError(path, None, message, ErrorKind.FORBIDDEN)


def duplicate(path: str, value: object) -> FieldError:
    """The fault of a value that stands twice."""
    return FieldError(path, value, "", ErrorKind.DUPLICATE)


def anything(value: object, path: str) -> Faults:
    """No demands."""
    return iter(())


def decisive(check: Check) -> Check:
    """The same check, without the details that it finds."""

    def check_decisive(value: object, path: str) -> Faults:
        return (fault for fault in check(value, path) if not isinstance(fault, MinorFieldError))

    return check_decisive


def detail(check: Check) -> Check:
    """The same check, whose faults are details."""

    def check_detail(value: object, path: str) -> Faults:
        for fault in check(value, path):
            yield MinorFieldError(fault.field, fault.value, fault.message, fault.kind)

    return check_detail


def of_type(kind: type, expected: str) -> Callable[[Check], Check]:
    """Have a check judge values of a JSON type alone; of others, just that is said."""

    def decorate(check: Check) -> Check:
        def check_typed(value: Any, path: str) -> Faults:
            if isinstance(value, kind):
                return check(value, path)
            hint = ", so quote it" if kind is str and isinstance(value, int | float) else ""
            return iter((wrong_type(path, value, f"{expected}{hint}"),))

        return check_typed

    return decorate


of_list = of_type(list, "a list")
of_object = of_type(dict, "an object")
of_text = of_type(str, "a string")


def both(*checks: Check) -> Check:
    """A value that passes all the checks."""

    def check(value: object, path: str) -> Faults:
        for one in checks:
            yield from one(value, path)

    return check


boolean = of_type(bool, "true or false")(anything)
text = of_text(anything)


def a_string(rule: Callable[[str], Collection[str]]) -> Check:
    """A string in which the rule finds nothing wrong."""

    @of_text
    def check(value: Any, path: str) -> Faults:
        for message in rule(value):
            yield FieldError(path, value, message)

    return check


def must(message: str, is_right: Callable[[Any], bool]) -> Check:
    """A value for which something holds."""

    def check(value: Any, path: str) -> Faults:
        if not is_right(value):
            yield FieldError(path, value, message)

    return check


def one_of(*choices: str, empty: bool = False) -> Check:
    """One of a closed set of strings; with `empty`, the empty string too."""

    @of_text
    def check(value: Any, path: str) -> Faults:
        if value not in choices and not (empty and not value):
            yield unsupported(path, value, choices)

    return check


def not_empty(check: Check) -> Check:
    """The same check; the empty string is as good as absent, and that isn't allowed."""
    return lambda value, path: iter((required(path),)) if value == "" else check(value, path)


def choice(*choices: str) -> Check:
    """One of a closed set of strings, not empty."""
    return not_empty(one_of(*choices))


some_text = not_empty(text)
"""A string that isn't empty."""


def unless_empty(check: Check) -> Check:
    """What may be the empty string, which is as good as absent."""
    return lambda value, path: iter(()) if value == "" else check(value, path)


def integer(low: int = INT64_MIN, high: int = INT64_MAX, rule: str = "") -> Check:
    """A whole number within bounds; `rule` is what is said of one outside them."""
    message = rule or (NOT_NEGATIVE if low == 0 else f"must be between {low} and {high}, inclusive")

    def check(value: object, path: str) -> Faults:
        if isinstance(value, bool) or not isinstance(value, int):
            yield wrong_type(path, value, "an integer")
        elif not low <= value <= high:
            yield FieldError(path, value, message)

    return check


count = integer(0, INT32_MAX)
user_id = integer(0, INT32_MAX, f"must be between 0 and {INT32_MAX}, inclusive")


def positive_int_or_percent(value: object, path: str) -> Faults:
    """A number of pods, or a percentage."""
    if isinstance(value, str):
        if not _PERCENT.fullmatch(value):
            yield FieldError(path, value, _PERCENT_RULE)
    elif isinstance(value, bool) or not isinstance(value, int):
        yield wrong_type(path, value, "an integer or a percentage")
    elif not 0 <= value <= INT32_MAX:
        yield FieldError(path, value, NOT_NEGATIVE)


def at_most_all(value: object, path: str) -> Faults:
    """If a percentage, then of at most 100."""
    if isinstance(value, str) and _PERCENT.fullmatch(value) and int(value[:-1]) > 100:
        yield FieldError(path, value, "must not be greater than 100%")


int_or_percent = both(positive_int_or_percent, at_most_all)
"""A number of pods, or a percentage of at most 100."""


def quantity(value: Any, path: str) -> Faults:
    """A quantity, not negative."""
    try:
        amount = parse_quantity(value)
    except QuantityError as error:
        yield error.under(path).error
        return
    if amount.nanos < 0:
        yield FieldError(path, value, NOT_NEGATIVE)


def time(value: Any, path: str) -> Faults:
    """A time as RFC 3339 text."""
    try:
        parse_time(value)
    except TimeError as error:
        yield error.under(path).error


_LEADING_ZEROS = re.compile(r"\b0+(?=\d)", re.ASCII)
_ADDRESS_LENGTH_MAX = len("0000:0000:0000:0000:0000:ffff:255.255.255.255")


@lru_cache(4096)
def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """An IP address, read as decimal numbers despite leading zeros; None for other texts."""
    if "%" in text or len(text) > _ADDRESS_LENGTH_MAX:
        return None
    try:
        return IPAddress(text if ":" in text else _LEADING_ZEROS.sub("", text))
    except ValueError:
        return None


def ip_address(value: object, path: str) -> Faults:
    """An IP address of either family, which all parsers of addresses read alike."""
    found = parse_address(value) if isinstance(value, str) else None
    if found is None:
        rule = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
        yield FieldError(path, value, rule)
    elif isinstance(found, IPv4Address):
        if str(found) != value:
            yield FieldError(path, value, "must not have leading 0s")
    elif found.ipv4_mapped:
        yield FieldError(path, value, "must not be an IPv4-mapped IPv6 address")


def network(value: object, path: str) -> Faults:
    """A range of IP addresses, named by its first."""
    try:
        found = ip_interface(value if isinstance(value, str) and "/" in value else "")
    except ValueError:
        rule = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
        yield FieldError(path, value, rule)
        return
    if found.ip != found.network.network_address:
        yield FieldError(path, value, "must not have bits set beyond the prefix length")


def each(check: Check) -> Check:
    """A list whose entries all pass the check."""

    @of_list
    def check_list(value: Any, path: str) -> Faults:
        for index, entry in enumerate(value):
            yield from check(entry, f"{path}[{index}]")

    return check_list


def mapping(values: Check, keys: Check = anything) -> Check:
    """An object with any keys; faults of keys stand at the object, as kube-apiserver has it."""

    @of_object
    def check(value: Any, path: str) -> Faults:
        for key, entry in value.items():
            yield from keys(key, path)
            yield from values(entry, f"{path}[{key}]")

    return check


class OfAbsent(msgspec.Struct, frozen=True):
    """A check of a field that sees None where the field is absent."""

    check: Check


def needed(check: Check, message: str = "") -> OfAbsent:
    """A field that may be neither absent nor empty, with the message for one that is."""

    def check_needed(value: object, path: str) -> Faults:
        is_there = value not in (None, "", [], {})
        return check(value, path) if is_there else iter((required(path, message),))

    return OfAbsent(check_needed)


def absent_as(empty: object, check: Check) -> OfAbsent:
    """A field that is judged as some empty value where it is absent."""
    return OfAbsent(lambda value, path: check(empty if value is None else value, path))


Part = Check | OfAbsent
"""How a field is judged."""


def fields(*rules: Check, **checks: Part) -> Check:
    """An object with known fields; others are let be.

    Args:
        rules: checks of the object as a whole; they see it however wrong its fields may be.
        checks: by field, in the order of the faults.
    """
    known = [
        (name, part.check, True) if isinstance(part, OfAbsent) else (name, part, False)
        for name, part in checks.items()
    ]

    @of_object
    def check(value: Any, path: str) -> Faults:
        for name, field_check, sees_absence in known:
            found = value.get(name)
            if found is not None or sees_absence:
                yield from field_check(found, join(path, name))
        for rule in rules:
            yield from rule(value, path)

    return check


def in_turn(*checks: Check) -> Check:
    """An object that passes all the checks, with the faults of one after those of another."""
    return of_object(both(*checks))


def join(path: str, name: str) -> str:
    """The path of a field under a path that may be empty."""
    return f"{path}.{name}" if path else name


def dicts(value: object) -> Iterator[tuple[int, dict[str, Any]]]:
    """The entries of a list that are objects, with their positions; none of anything else."""
    if isinstance(value, list):
        for index, entry in enumerate(value):
            if isinstance(entry, dict):
                yield index, entry


def a_dict(value: object) -> dict[str, Any]:
    """The value if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}
