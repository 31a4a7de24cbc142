"""Kubernetes' resource.Quantity, exact: an integer of nanos (10⁻⁹ of a unit).

As in apimachinery's `resource` package of v1.36, fractions of a nano are rounded away from zero.
Amounts with a binary suffix, and whole units and thousandths, are capped at 2**63 - 1.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Self

from podium.api.errors import FieldError, InvalidValueError

NANOS_PER_UNIT = 10**9
NANOS_PER_MILLI = 10**6
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)

# Kubernetes has no such bound and computes with numbers of any length; a quantity of more digits
# than this is a slip or an attack, and is refused.
DIGITS_MAX = 1000

_CACHE_SIZE = 1 << 16

_MALFORMED = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_BAD_SUFFIX = "unable to parse quantity's suffix"
_TOO_LONG = f"must have no more than {DIGITS_MAX} digits"
_NOT_SCALAR = "must be a string or a number"
_SCALARS = (str, int, float)

# Wider than the expression in the message, and so is Kubernetes: it reads no digits as zero. No
# part gives back digits that it has taken: to try all ways to share thousands would take days.
_SHAPE = re.compile(
    r"([+-]?) 0*+([0-9]*+) (?:\.([0-9]*+))? ([eEinumkKMGTP]*[-+]?[0-9]*)", re.VERBOSE | re.ASCII
)
_EXPONENT = re.compile(r"[eE]([-+]?[0-9]+)", re.ASCII)

_DECIMAL_SUFFIXES = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_LETTERS = {exponent: letters for letters, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_LETTERS = ("", *_BINARY_SUFFIXES)


class Format(StrEnum):
    """The notation in which a quantity is printed."""

    DECIMAL_SI = "DecimalSI"
    BINARY_SI = "BinarySI"
    DECIMAL_EXPONENT = "DecimalExponent"


class QuantityError(InvalidValueError):
    """A value isn't a quantity."""


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """An exact amount; comparison and hash ignore the notation."""

    nanos: int
    """Amount in 10⁻⁹ of the resource's unit."""
    format: Format = field(default=Format.DECIMAL_SI, compare=False)
    written: str = field(default="", compare=False, repr=False)
    """Original text if Kubernetes prints it instead of the canonical text, as it does with text
    that superficially looks canonical, such as `+5` or `1.500`."""

    def __str__(self) -> str:
        return self.written or _canonical(self.nanos, self.format)

    def __bool__(self) -> bool:
        return self.nanos != 0

    def __add__(self, other: Self) -> "Quantity":
        return Quantity(self.nanos + other.nanos, self.format if self else other.format)

    def __sub__(self, other: Self) -> "Quantity":
        return Quantity(self.nanos - other.nanos, self.format if self else other.format)

    def __neg__(self) -> "Quantity":
        return Quantity(-self.nanos, self.format)


def parse_quantity(raw: str | int | float) -> Quantity:
    """Parse a quantity from JSON, a string or a number; raises QuantityError."""
    if isinstance(raw, _SCALARS):
        return _parse(raw)
    raise QuantityError(FieldError("", raw, _NOT_SCALAR))


def nanos(raw: str | int | float) -> int:
    """Return the amount of a quantity in nanos; raises QuantityError."""
    return parse_quantity(raw).nanos


def value(raw: str | int | float) -> int:
    """Return the amount of a quantity in whole units, rounded up (Value); raises QuantityError."""
    return ceil_value(parse_quantity(raw).nanos)


def milli_value(raw: str | int | float) -> int:
    """Return the amount of a quantity in thousandths, rounded up; raises QuantityError."""
    return ceil_milli(parse_quantity(raw).nanos)


def ceil_value(nanos: int) -> int:
    """Convert nanos into whole units, rounded away from zero, as a signed 64-bit integer."""
    return _ceil(nanos, NANOS_PER_UNIT)


def ceil_milli(nanos: int) -> int:
    """Convert nanos into thousandths, rounded away from zero, as a signed 64-bit integer."""
    return _ceil(nanos, NANOS_PER_MILLI)


def _ceil(nanos: int, step: int) -> int:
    if nanos >= 0:
        return min(-(-nanos // step), INT64_MAX)
    return max(nanos // step, INT64_MIN)


# typed: 1, 1.0 and True are equal keys, but True isn't a quantity.
@lru_cache(maxsize=_CACHE_SIZE, typed=True)
def _parse(raw: str | int | float) -> Quantity:
    if isinstance(raw, bool):
        raise QuantityError(FieldError("", raw, _NOT_SCALAR))
    # Kubernetes, too, drops the blanks around a quantity when it decodes an object.
    text = raw.strip() if isinstance(raw, str) else repr(raw)
    try:
        return _read(text)
    except ValueError as error:
        raise QuantityError(FieldError("", raw, str(error))) from None


def _read(text: str) -> Quantity:
    match = _SHAPE.fullmatch(text)
    if not text or match is None:
        raise ValueError(_MALFORMED)
    if len(text) > DIGITS_MAX:
        raise ValueError(_TOO_LONG)
    sign, whole, fraction, suffix = match.groups(default="")
    form, exponent = _interpret(suffix)
    digits = (whole or "0") + fraction
    if form is Format.BINARY_SI:
        amount = min(_shift(int(digits) << exponent, -len(fraction)), INT64_MAX * NANOS_PER_UNIT)
        # Whether Kubernetes prints a whole number with a binary suffix back as written. It does
        # so when the number fits about 15 digits and isn't a multiple of 8: what it wants to know
        # is whether 1024 divides it.
        reused = not fraction and (len(digits) + exponent * 3 // 10 <= 14 and int(digits) % 8 != 0)
        if 0 < amount < NANOS_PER_UNIT:
            form = Format.DECIMAL_SI
    else:
        scale = exponent - len(fraction)
        amount = _shift(int(digits), scale)
        # Whether Kubernetes prints a decimal quantity back as written. It does so when the number
        # fits an int64 at a glance (18 digits), no finer than a nano, and its digits neither
        # start with a zero nor end with three.
        reused = (
            len(digits) <= 18
            and scale >= -9
            and scale % 3 == 0
            and digits[0] != "0"
            and not digits.endswith("000")
        )
    return Quantity(-amount if sign == "-" else amount, form, text if reused else "")


def _interpret(suffix: str) -> tuple[Format, int]:
    # The format of a suffix, and its exponent (to 2 if binary, else to 10).
    if suffix in _DECIMAL_SUFFIXES:
        return Format.DECIMAL_SI, _DECIMAL_SUFFIXES[suffix]
    if suffix in _BINARY_SUFFIXES:
        return Format.BINARY_SI, _BINARY_SUFFIXES[suffix]
    match = _EXPONENT.fullmatch(suffix)
    if match is None:
        raise ValueError(_BAD_SUFFIX)
    exponent = int(match[1])
    if abs(exponent) > DIGITS_MAX:
        raise ValueError(_TOO_LONG)
    return Format.DECIMAL_EXPONENT, exponent


def _shift(digits: int, scale: int) -> int:
    # Digits times ten to the power of `scale`, as nanos, rounded up.
    power = scale + 9
    factor: int = 10 ** abs(power)
    return digits * factor if power >= 0 else -(-digits // factor)


def _canonical(nanos: int, form: Format) -> str:
    if form is Format.BINARY_SI and abs(nanos) >= 1024 * NANOS_PER_UNIT:
        units, rest = divmod(nanos, NANOS_PER_UNIT)
        if not rest:
            power, units = _factor_out(units, 1024, len(_BINARY_LETTERS) - 1)
            return f"{units}{_BINARY_LETTERS[power]}"
    if form is Format.DECIMAL_EXPONENT:
        power, mantissa = _factor_out(nanos, 1000, DIGITS_MAX)
        exponent = 3 * power - 9
        return f"{mantissa}e{exponent}" if exponent and mantissa else str(mantissa)
    power, mantissa = _factor_out(nanos, 1000, len(_DECIMAL_LETTERS) - 1)
    return f"{mantissa}{_DECIMAL_LETTERS[3 * power - 9]}" if mantissa else "0"


def _factor_out(number: int, factor: int, power_max: int) -> tuple[int, int]:
    power = 0
    while power < power_max and number and number % factor == 0:
        number //= factor
        power += 1
    return power, number
