"""What a YAML scalar means: the rules of kubectl's reader, not those of PyYAML.

kubectl reads YAML through Go's yaml.v2 and turns it into JSON. Compared with PyYAML: dates and
`12:30` are strings, `1e3` is a number, `0o17` and `017` are octal, and a number without a fraction
is an integer however it was written. `yes`, `no`, `on` and `off` are booleans, `y` and `n` aren't.
"""

import base64
import binascii
import math
import re
from functools import lru_cache

Scalar = None | bool | int | float | str

_NAMED: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_INTEGERS = (
    (re.compile(r"([-+]?)0b([01]+)"), 2),
    (re.compile(r"([-+]?)0x([0-9a-fA-F]+)"), 16),
    (re.compile(r"([-+]?)0o?([0-7]+)"), 8),
    (re.compile(r"([-+]?)(0|[1-9][0-9]*)"), 10),
)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

# Larger floats are written with an exponent, which no integer field reads.
_WHOLE_FLOAT_MAX = 1e21

_TAG = "tag:yaml.org,2002:"
_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "timestamp": (str,),
}
_CACHE_SIZE = 1 << 14


def scalar(text: str, tag: str | None, *, plain: bool) -> Scalar:
    """The value of a scalar.

    Args:
        text: its text, quotes and folding resolved.
        tag: its explicit tag, spelt out, if it has one.
        plain: neither quoted nor tagged.

    Raises:
        ValueError: the text isn't of the tag's type, or means nothing that JSON can hold.
    """
    if plain:
        return _plain(text)
    if tag in (None, "!", f"{_TAG}str"):
        return text
    name = str(tag).removeprefix(_TAG)
    if name == "binary":
        return _decoded(text)
    value = _plain(text)
    if type(value) not in _TYPES.get(name, ()):
        raise ValueError(f'"{text}" can\'t be read with the tag {_short(name)}')
    return value


@lru_cache(maxsize=_CACHE_SIZE)
def _plain(text: str) -> Scalar:
    if text in _NAMED:
        return _NAMED[text]
    if text[0] not in "0123456789+-.":
        return text
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is no number that an object can hold")
    value = _number(text.replace("_", ""))
    return text if value is None else value


def _number(text: str) -> int | float | None:
    """The number a text stands for, as an integer where nothing is lost; None if it is none."""
    for pattern, base in _INTEGERS:
        if match := pattern.fullmatch(text):
            return int(match[1] + match[2], base)
    if not _FLOAT.fullmatch(text):
        return None
    value = float(text)
    if math.isinf(value):
        return None
    return int(value) if value.is_integer() and abs(value) < _WHOLE_FLOAT_MAX else value


def _decoded(text: str) -> str:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise ValueError("!!binary takes base64 of UTF-8 text") from None


def _short(tag_name: str) -> str:
    return f"!!{tag_name}" if tag_name in (*_TYPES, "binary") else tag_name


def key_text(key: object) -> str | None:
    """A mapping's key as the string it becomes in JSON; None where it can't be one."""
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int | float):
        return repr(key)
    return None
