"""Integers in untrusted texts, parsed as in Go's strconv."""

import re

INT32 = range(-(2**31), 2**31)
INT64 = range(-(2**63), 2**63)
UINT64 = range(2**64)

# With no more digits than 64 bits have: Python refuses to read integers of any length.
_DECIMAL = re.compile("([-+]?)0*([0-9]{1,20})", re.ASCII)


def parse_int(text: object, within: range = INT64) -> int | None:
    """Parse a decimal integer with optional sign; None if it is invalid or not in `within`."""
    match = _DECIMAL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    number = int(match[1] + match[2])
    return number if number in within else None


def parse_count(text: object, within: range = UINT64) -> int | None:
    """Parse a decimal integer without sign; None if it is invalid or not in `within`."""
    is_unsigned = isinstance(text, str) and text[:1].isdecimal()
    return parse_int(text, within) if is_unsigned else None


def scaled(bound: int | str, total: int, *, rounds_up: bool = True) -> int:
    """Return the value of an int-or-string: the integer, or a rounded percentage of `total`."""
    if not isinstance(bound, str):
        return int(bound)
    share = int(bound.removesuffix("%")) * total
    return -(-share // 100) if rounds_up else share // 100
