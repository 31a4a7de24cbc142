"""The patterns of structural schemas: regular expressions in RE2's syntax, as Go has them.

RE2 matches in time linear in the text, so that no pattern of a definition can stall the server.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft4Validator, ValidationError

# The libraries take their time to load, and only kinds that definitions bring need them: they are
# imported where they are used.


def pattern_fault(pattern: str) -> str:
    """Why a pattern is no regular expression; empty if it is one."""
    import re2

    try:
        _compiled(pattern)
    except re2.error as error:
        return str(error.args[0].decode(errors="replace"))
    return ""


@cache
def pattern_validator() -> "type[Draft4Validator]":
    """The validator of draft 4 that matches patterns by RE2."""
    from jsonschema import Draft4Validator
    from jsonschema.validators import extend

    found: type[Draft4Validator] = extend(  # type: ignore[no-untyped-call]
        Draft4Validator, {"pattern": _pattern}
    )
    return found


def _pattern(
    _validator: "Draft4Validator", pattern: str, value: Any, _schema: Any
) -> "Iterator[ValidationError]":
    from jsonschema import ValidationError

    if isinstance(value, str) and not _compiled(pattern).search(value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    # The fault is in the answer; the library would write it to standard error, too.
    options.log_errors = False
    return re2.compile(pattern, options)
