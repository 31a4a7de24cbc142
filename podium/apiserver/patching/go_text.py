"""Values as Go's fmt package prints them (`%v`), as they stand in some messages."""

import json
from collections.abc import Mapping
from typing import Any

# From here on, and below its inverse, Go prints floats with an exponent.
_EXPONENT_FROM = 1e21
_EXPONENT_BELOW = 1e-4


def go_value(value: Any) -> str:
    """A JSON value as Go prints it: `map[a:1 b:[x y] c:<nil>]`."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case Mapping():
            return f"map[{' '.join(f'{key}:{go_value(value[key])}' for key in sorted(value))}]"
        case list():
            return f"[{' '.join(map(go_value, value))}]"
        case float():
            return _go_float(value)
    return str(value)


def _go_float(value: float) -> str:
    if value and not _EXPONENT_BELOW <= abs(value) < _EXPONENT_FROM:
        mantissa, _, exponent = f"{value!r}".partition("e")
        if exponent:
            return f"{mantissa.removesuffix('.0')}e{exponent[0]}{exponent[1:].zfill(2)}"
    return repr(value).removesuffix(".0") if abs(value) < 1e16 else f"{value:.0f}"


def quoted(text: str) -> str:
    """A string as Go quotes it (`%q`)."""
    return json.dumps(text, ensure_ascii=False)
