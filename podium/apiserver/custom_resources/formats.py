"""The formats of strings that are checked, as kube-apiserver checks them; others say nothing."""

import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Any
from uuid import UUID

from jsonschema import FormatChecker

from podium.api.values.durations import DurationError, parse_duration
from podium.api.values.times import TimeError, parse_time

_MAC = re.compile("(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")

FORMATS = FormatChecker(formats=())
"""Checks strings and numbers; values of other types are right in any format."""

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
    found = check(value)
    return found is not None and found is not False


for _name, (_kind, _check) in _CHECKS.items():
    FORMATS.checks(_name, raises=(ValueError, TimeError, DurationError))(
        partial(_is_right, _kind, _check)
    )
