"""Resolution of YAML scalars as kubectl does it, rather than PyYAML.

kubectl and kube-apiserver read YAML through Go's yaml.v2 and turn it into JSON. Compared with
PyYAML: dates and `12:30` are strings, `0o17` and `017` are octal, and a number whose value is
integral (`1e3`, `1.0`) becomes an integer. `y`, `n`, `yes`, `no`, `on` and `off` are booleans. An
integer in base 2, 8 or 16 must fit into 64 bits; one in base 10 that doesn't becomes a float.
"""

import base64
import binascii
import math
import re
from decimal import Decimal
from functools import lru_cache

Scalar = None | bool | int | float | str

_NAMED: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES"), True),
    **dict.fromkeys(("false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("n", "N", "no", "No", "NO"), False),
}
_INTEGERS = (
    (re.compile(r"([-+]?)0[bB]([01]+)"), 2),
    (re.compile(r"([-+]?)0[xX]([0-9a-fA-F]+)"), 16),
    (re.compile(r"([-+]?)0[oO]?([0-7]+)"), 8),
    # No longer than 64 bits are, as Python reads no integer of any length.
    (re.compile(r"([-+]?)(0|[1-9][0-9]{,19})"), 10),
)
_SIGNED, _UNSIGNED = range(-(2**63), 2**63), range(2**64)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

# Larger floats are written with an exponent, which no integer field reads.
_WHOLE_FLOAT_MAX = 1e21

_TAG = "tag:yaml.org,2002:"
_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "float": (int, float),
    "timestamp": (str,),
}
_CACHE_SIZE = 1 << 14


def scalar(text: str, tag: str | None, *, plain: bool) -> Scalar:
    """Return the value of a plain, quoted or tagged scalar; raises ValueError."""
    if plain:
        return _plain(text)
    name = str(tag).removeprefix(_TAG)
    if name == "binary":
        try:
            return base64.b64decode("".join(text.split()), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise ValueError("!!binary takes base64 of UTF-8 text") from None
    if name == "int":
        value: Scalar = _integer(text.replace("_", ""))
    elif name in _TYPES:
        value = _plain(text)
    else:
        return text
    if type(value) not in _TYPES.get(name, (int,)):
        raise ValueError(f'"{text}" can\'t be read with the tag !!{name}')
    return value


@lru_cache(maxsize=_CACHE_SIZE)
def _plain(text: str) -> Scalar:
    """Return the value of a plain scalar; a number with an integral value becomes an integer."""
    if text in _NAMED:
        return _NAMED[text]
    if text[0] not in "0123456789+-.":
        return text
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is no number that an object can hold")
    digits = text.replace("_", "")
    integer = _integer(digits)
    if integer is not None:
        return integer
    value = float(digits) if _FLOAT.fullmatch(digits) else math.inf
    if math.isinf(value):
        return text
    is_whole = value.is_integer() and abs(value) < _WHOLE_FLOAT_MAX
    # With no more digits than tell it from its neighbours, as Go writes it.
    return int(Decimal(repr(value))) if is_whole else value


def _integer(text: str) -> int | None:
    for pattern, base in _INTEGERS:
        if match := pattern.fullmatch(text):
            value = int(match[1] + match[2], base)
            if value in (_SIGNED if match[1] else _UNSIGNED):
                return value
    return None


def key_text(key: object) -> str | None:
    """Return a mapping's key as a JSON string; None if it can't be converted."""
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int | float):
        return repr(key)
    return None
