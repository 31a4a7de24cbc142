"""The formats of strings that are checked, as kube-apiserver checks them; others say nothing."""

import re
from base64 import b64decode
from datetime import date
from ipaddress import IPv4Address, IPv6Address, ip_network
from uuid import UUID

from jsonschema import FormatChecker

from podium.api.durations import DurationError, parse_duration
from podium.api.times import TimeError, parse_time

_MAC = re.compile("(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")

FORMATS = FormatChecker(formats=())
"""Checks strings; values of other types are right in any format."""


@FORMATS.checks("date-time", raises=TimeError)
def _date_time(value: object) -> bool:
    if isinstance(value, str):
        parse_time(value)
    return True


@FORMATS.checks("duration", raises=DurationError)
def _duration(value: object) -> bool:
    if isinstance(value, str):
        parse_duration(value)
    return True


@FORMATS.checks("date", raises=ValueError)
def _date(value: object) -> bool:
    return not isinstance(value, str) or date.fromisoformat(value) is not None


@FORMATS.checks("ipv4", raises=ValueError)
def _ipv4(value: object) -> bool:
    return not isinstance(value, str) or IPv4Address(value) is not None


@FORMATS.checks("ipv6", raises=ValueError)
def _ipv6(value: object) -> bool:
    return not isinstance(value, str) or IPv6Address(value) is not None


@FORMATS.checks("cidr", raises=ValueError)
def _cidr(value: object) -> bool:
    return not isinstance(value, str) or ("/" in value and ip_network(value, False) is not None)


@FORMATS.checks("byte", raises=ValueError)
def _byte(value: object) -> bool:
    return not isinstance(value, str) or b64decode(value, validate=True) is not None


@FORMATS.checks("uuid", raises=ValueError)
def _uuid(value: object) -> bool:
    return not isinstance(value, str) or UUID(value) is not None


@FORMATS.checks("mac")
def _mac(value: object) -> bool:
    return not isinstance(value, str) or _MAC.fullmatch(value) is not None


@FORMATS.checks("email")
def _email(value: object) -> bool:
    return not isinstance(value, str) or _EMAIL.fullmatch(value) is not None


@FORMATS.checks("int32")
def _int32(value: object) -> bool:
    return not isinstance(value, int) or -(2**31) <= value < 2**31


@FORMATS.checks("int64")
def _int64(value: object) -> bool:
    return not isinstance(value, int) or -(2**63) <= value < 2**63
