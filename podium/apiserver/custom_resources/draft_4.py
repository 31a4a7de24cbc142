"""A JSON Schema draft 4 validator with kube-apiserver's formats, and with patterns in RE2 syntax.

RE2 matches in linear time, so that no pattern of a definition can stall the server. The libraries
are slow to load, so this module is imported only when a definition needs it.
"""

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import lru_cache, partial
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Any
from uuid import UUID

import re2
from jsonschema import Draft4Validator, FormatChecker, ValidationError
from jsonschema.validators import extend

from podium.api.values.times import DurationError, TimeError, parse_duration, parse_time

_MAC = re.compile("(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")

# Checks strings and numbers; values of other types are right in any format, as others are.
_FORMATS = FormatChecker(formats=())

# Each raises an error of its own, or says that a value isn't of its format by a None or False.
_CHECKS: Mapping[str, tuple[type, Callable[[Any], object]]] = {
    "date-time": (str, parse_time),
    "duration": (str, parse_duration),
    "date": (str, date.fromisoformat),
    "ipv4": (str, IPv4Address),
    "ipv6": (str, IPv6Address),
    "cidr": (str, lambda text: "/" in text and ip_network(text, strict=False)),
    "byte": (str, partial(b64decode, validate=True)),
    "uuid": (str, UUID),
    "mac": (str, _MAC.fullmatch),
    "email": (str, _EMAIL.fullmatch),
    "int32": (int, lambda number: -(2**31) <= number < 2**31),
    "int64": (int, lambda number: -(2**63) <= number < 2**63),
}


def _is_right(kind: type, check: Callable[[Any], object], value: object) -> bool:
    if not isinstance(value, kind):
        return True
    match = check(value)
    return match is not None and match is not False


for _name, (_kind, _check) in _CHECKS.items():
    _FORMATS.checks(_name, raises=(ValueError, TimeError, DurationError))(
        partial(_is_right, _kind, _check)
    )


def pattern_fault(pattern: str) -> str:
    """Return why a pattern isn't a valid regular expression; empty if it is."""
    try:
        _compiled(pattern)
    except re2.error as error:
        return str(error.args[0].decode(errors="replace"))
    return ""


def draft_4_validator(schema: Mapping[str, Any]) -> Draft4Validator:
    """Return a validator for values of a schema."""
    return _VALIDATOR(schema, format_checker=_FORMATS)


def _pattern(
    _validator: object, pattern: str, value: Any, _schema: Any
) -> Iterator[ValidationError]:
    if isinstance(value, str) and not _compiled(pattern).search(value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    # The fault is in the answer; the library would write it to standard error, too.
    options.log_errors = False
    return re2.compile(pattern, options)


_VALIDATOR: type[Draft4Validator] = extend(  # type: ignore[no-untyped-call]
    Draft4Validator, {"pattern": _pattern}
)
