"""Checks of values, and functions that make and combine checks.

A check takes a decoded value of its schema's type, and the path of the value, and yields faults. A
check of a field isn't called if the field is absent, unless it is `OfAbsent`. Messages are those of
kube-apiserver v1.36.
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_interface
from ipaddress import ip_address as IPAddress  # noqa: N812 - it makes one
from itertools import chain
from typing import Any

import msgspec

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.values.quantity import INT64_MAX, parse_quantity
from podium.apiserver.memories import Memory, key_of

Faults = Iterator[FieldError]
Check = Callable[[Any, str], Faults]


class MinorFieldError(FieldError, frozen=True):
    """A fault for which kube-apiserver refuses an object, but which doesn't affect decisions."""


INT32_MAX = 2**31 - 1

NOT_NEGATIVE = "must be greater than or equal to 0"

_PERCENT = re.compile("[0-9]+%")
_PERCENT_RULE = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


def required(path: str, message: str = "") -> FieldError:
    """Return the fault of a missing field."""
    return FieldError(path, None, message, ErrorKind.REQUIRED)


def forbidden(path: str, message: str) -> FieldError:
    """Return the fault of a field that may not be set, or not be changed."""
    return FieldError(path, None, message, ErrorKind.FORBIDDEN)


def duplicate(path: str, value: object) -> FieldError:
    """Return the fault of a value that occurs twice."""
    return FieldError(path, value, "", ErrorKind.DUPLICATE)


def anything(_value: object, _path: str) -> Faults:
    """Check that accepts any value."""
    return iter(())


def detail(check: Check) -> Check:
    """Return a check that yields the faults of another check as minor faults."""
    return lambda value, path: (
        MinorFieldError(fault.field, fault.value, fault.message, fault.kind)
        for fault in check(value, path)
    )


def remembered(check: Check, part: Callable[[Any], Any] | None = None) -> Check:
    """Return a check that caches faults by value, or by what `part` leaves of it for the check."""
    known = Memory[tuple[FieldError, ...]]()

    def check_once(value: Any, path: str) -> Faults:
        examined = value if part is None else part(value)
        key = key_of(examined)
        if key is None:
            return check(examined, path)
        faults = known.get(key)
        if faults is None:
            faults = known.put(key, tuple(check(examined, "")))
        return iter([fault.under(path) for fault in faults])

    return check_once


def both(*checks: Check) -> Check:
    """Return a check that yields the faults of all these checks, in order."""
    return lambda value, path: chain.from_iterable(check(value, path) for check in checks)


def a_string(rule: Callable[[str], Collection[str]]) -> Check:
    """Return a check of strings from a function that returns messages."""
    return lambda value, path: (FieldError(path, value, message) for message in rule(value))


def must(message: str, is_right: Callable[[Any], bool]) -> Check:
    """Return a check that yields a fault with a message if a predicate is false."""
    return lambda value, path: iter(() if is_right(value) else (FieldError(path, value, message),))


def one_of(*choices: str) -> Check:
    """Return a check that accepts a closed set of strings."""
    return lambda value, path: iter(
        () if value in choices else (unsupported(path, value, choices),)
    )


def unless_empty(check: Check) -> Check:
    """Return a check that also accepts the empty string."""
    return lambda value, path: iter(()) if value == "" else check(value, path)


def integer(low: int = 0, high: int = INT64_MAX, rule: str = "") -> Check:
    """Return a check that an integer is from `low` to `high`; `rule` replaces the message."""
    message = rule or (NOT_NEGATIVE if low == 0 else f"must be between {low} and {high}, inclusive")
    return must(message, lambda number: low <= number <= high)


count = integer()


def positive_int_or_percent(value: int | str, path: str) -> Faults:
    """Check that a value is a non-negative integer or a percentage."""
    if isinstance(value, int):
        yield from count(value, path)
    elif not _PERCENT.fullmatch(value):
        yield FieldError(path, value, _PERCENT_RULE)


def at_most_all(value: int | str, path: str) -> Faults:
    """Check that a percentage is at most 100."""
    if isinstance(value, str) and _PERCENT.fullmatch(value) and int(value[:-1]) > 100:
        yield FieldError(path, value, "must not be greater than 100%")


int_or_percent = both(positive_int_or_percent, at_most_all)
quantity = must(NOT_NEGATIVE, lambda amount: parse_quantity(amount).nanos >= 0)


_LEADING_ZEROS = re.compile(r"\b0+(?=\d)", re.ASCII)
_ADDRESS_LENGTH_MAX = len("0000:0000:0000:0000:0000:ffff:255.255.255.255")


@lru_cache(4096)
def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an IP address, None if it isn't valid; leading zeros don't make numbers octal."""
    if "%" in text or len(text) > _ADDRESS_LENGTH_MAX:
        return None
    try:
        return IPAddress(text if ":" in text else _LEADING_ZEROS.sub("", text))
    except ValueError:
        return None


def ip_address(value: str, path: str) -> Faults:
    """Check an IPv4 or IPv6 address, in a form that all parsers read alike."""
    address = parse_address(value)
    if address is None:
        rule = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
        yield FieldError(path, value, rule)
    elif isinstance(address, IPv4Address):
        if str(address) != value:
            yield FieldError(path, value, "must not have leading 0s")
    elif address.ipv4_mapped:
        yield FieldError(path, value, "must not be an IPv4-mapped IPv6 address")


def network(value: str, path: str) -> Faults:
    """Check an IP network in CIDR notation."""
    try:
        interface = ip_interface(value if "/" in value else "")
    except ValueError:
        rule = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
        yield FieldError(path, value, rule)
        return
    if interface.ip != interface.network.network_address:
        yield FieldError(path, value, "must not have bits set beyond the prefix length")


def each(check: Check) -> Check:
    """Return a check of lists that applies a check to all entries."""
    return lambda value, path: chain.from_iterable(
        check(entry, f"{path}[{index}]") for index, entry in enumerate(value)
    )


def at_most(limit: int, check: Check) -> Check:
    """Return a check of lists and maps, which aren't looked into if they have too many entries."""

    def check_few(value: Any, path: str) -> Faults:
        if len(value) <= limit:
            return check(value, path)
        message = f"{len(value)}: must have at most {limit} items"
        return iter((FieldError(path, None, message, ErrorKind.TOO_MANY),))

    return check_few


def no_longer(limit: int) -> Check:
    """Return a check of strings by their length in bytes."""

    def check_length(value: str, path: str) -> Faults:
        if len(value.encode()) > limit:
            message = f"may not be more than {limit} bytes"
            yield FieldError(path, None, message, ErrorKind.TOO_LONG)

    return check_length


def distinct(field: str = "", *, place: str = "", shows_entry: bool = False) -> Check:
    """Return a check of lists that no two entries, or their fields of this name, are equal.

    A fault is at the repeated entry, or in `place` there, and shows what is repeated.
    """

    def check_distinct(value: Any, path: str) -> Faults:
        seen = set[object]()
        for index, entry in enumerate(value):
            key = (entry.get(field) or "") if field else entry
            if key in seen:
                yield duplicate(f"{path}[{index}]{place}", entry if shows_entry else key)
            seen.add(key)

    return check_distinct


def a_set(limit: int, check: Check, field: str = "") -> Check:
    """Return a check of lists like `each`, with at most `limit` entries, all `distinct`."""
    return at_most(limit, both(each(check), distinct(field)))


class OfAbsent(msgspec.Struct, frozen=True):
    """A check of a field that is also called if the field is absent, with None."""

    check: Check


def needed(check: Check = anything, message: str = "", *, is_detail: bool = False) -> OfAbsent:
    """Return a check that a field is neither absent, empty nor zero; its faults may be minor."""

    def check_needed(value: Any, path: str) -> Faults:
        is_there = value not in (None, "", [], {}, 0)
        return check(value, path) if is_there else iter((required(path, message),))

    return OfAbsent(detail(check_needed) if is_detail else check_needed)


def present(check: Check) -> OfAbsent:
    """Return a check that a field isn't absent; unlike with `needed`, it may be empty."""
    return OfAbsent(
        lambda value, path: iter((required(path),)) if value is None else check(value, path)
    )


def absent_as(empty: object, check: Check) -> OfAbsent:
    """Return a check of a field that is called with an empty value if the field is absent."""
    return OfAbsent(lambda value, path: check(empty if value is None else value, path))


Part = Check | OfAbsent
"""A check of a field; an `OfAbsent` is also called for an absent field."""


def fields(*rules: Check, **checks: Part) -> Check:
    """Return a check of an object: its fields, in order, and then `rules` for the whole object."""
    known = [
        (name, part.check, True) if isinstance(part, OfAbsent) else (name, part, False)
        for name, part in checks.items()
    ]

    def check(value: dict[str, Any], path: str) -> Faults:
        for name, field_check, sees_absence in known:
            field_value = value.get(name)
            if field_value is not None or sees_absence:
                yield from field_check(field_value, join(path, name))
        for rule in rules:
            yield from rule(value, path)

    return check


def join(path: str, name: str) -> str:
    """Return the path of a field, given the path of its object, which may be empty."""
    return f"{path}.{name}" if path else name
