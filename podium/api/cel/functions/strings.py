"""Functions of texts, and regular expressions."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import re2

from podium.api.cel.functions.overloads import (
    MATCHING,
    PER_CHARACTER,
    TRAVERSAL,
    TWO_TRAVERSALS,
    UNIT,
    UNKNOWN,
    Cost,
    Size,
    Sized,
    by_sizes,
    function,
    method,
    of_first,
    share,
    size_of,
)
from podium.api.cel.type_system import BOOL, INT, STRING, STRINGS
from podium.api.cel.values import CelError, cost_exceeded, no_such_overload
from podium.api.values.quantity import INT64_MAX

# Whatever is done with a longer text costs more than any expression may.
_LENGTH_MAX = 10_000_000


@lru_cache(256)
def regex(pattern: str) -> Any:
    """Compile a regular expression of RE2; raises CelError."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        (why,) = error.args
        raise CelError(f"invalid regular expression: {why.decode()}") from None


def _matches(text: str, pattern: str) -> bool:
    return regex(pattern).search(text) is not None


def _replace(text: str, old: str, new: str, limit: int = -1) -> str:
    if text.count(old) * len(new) > _LENGTH_MAX:
        raise cost_exceeded()
    return text.replace(old, new, limit)


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    matches = [match.group() for match in regex(pattern).finditer(text)]
    return matches if limit < 0 else matches[:limit]


def _find(text: str, pattern: str) -> str:
    match = regex(pattern).search(text)
    return "" if match is None else str(match.group())


def _in_range(index: int, last: int) -> int:
    if not 0 <= index <= last:
        raise CelError(f"index out of range: {index}")
    return index


def _char_at(text: str, index: int) -> str:
    return text[_in_range(index, len(text)) :][:1]


def _index_of(text: str, part: str, offset: int = 0) -> int:
    return text.find(part, _in_range(offset, INT64_MAX)) if part else offset


def _last_index_of(text: str, part: str, offset: int | None = None) -> int:
    if offset is None:
        return text.rfind(part)
    if not part:
        return offset
    _in_range(offset, INT64_MAX)
    return text.rfind(part, 0, offset + len(part)) if offset < len(text) else -1


def _substring(text: str, start: int, end: int | None = None) -> str:
    if end is not None and start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    length = len(text)
    return text[_in_range(start, length) : length if end is None else _in_range(end, length)]


def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    if not separator:
        letters = [*text]
        if limit < 0 or len(letters) <= limit:
            return letters
        return [*letters[: limit - 1], "".join(letters[limit - 1 :])]
    return text.split(separator, limit - 1 if limit > 0 else -1)


def _join(texts: Sequence[Any], separator: str = "") -> str:
    if not all(isinstance(text, str) for text in texts):
        raise no_such_overload()
    return separator.join(texts)


_LOWER = {ord(c): ord(c) + 32 for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_UPPER = {small: capital for capital, small in _LOWER.items()}
_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
_SPACES += "\u200a\u2028\u2029\u202f\u205f\u3000"
_ESCAPES = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v",
    "\\": "\\\\", '"': '\\"',
}  # fmt: skip
_ESCAPED = re.compile(r'[\a\b\f\n\r\t\v\\"]')


def quoted(text: str) -> str:
    """Return a text as a literal, in double quotes."""
    return '"' + _ESCAPED.sub(lambda match: _ESCAPES[match[0]], text) + '"'


def _replaced_size(arguments: Sequence[Sized]) -> Size:
    """Return the bounds of a text after the longest, and the shortest, replacements in it."""
    text, old, new = (argument.size for argument in arguments[:3])
    return Size(
        _after(text.least, old.most, new.least, is_most=False),
        _after(text.most, old.least, new.most, is_most=True),
    )


def _after(length: int, old: int, new: int, *, is_most: bool) -> int:
    if not old:
        # Around each character, and at both ends, there is an empty text.
        return (length + 1) * new + length
    if (new <= old) if is_most else (old <= new):
        return length
    return -(-length // old) * new


def _pieces(arguments: Sequence[Sized]) -> Size:
    limit = arguments[2].literal if len(arguments) > 2 else None
    is_limited = type(limit) is int and limit >= 0
    return Size(0, limit if is_limited else arguments[0].size.most)  # type: ignore[arg-type]


def _joined_size(arguments: Sequence[Sized]) -> Size:
    texts = arguments[0]
    size = texts.size * UNKNOWN
    if len(arguments) == 1:
        return size
    gaps = Size(max(texts.size.least - 1, 0), max(texts.size.most - 1, 0))
    return size + gaps * arguments[1].size


_JOINING = Cost(
    lambda arguments: share(_joined_size(arguments).most, PER_CHARACTER),
    lambda values, joined: share(len(joined), 2 * PER_CHARACTER),
)
# Estimated by the text that is looked for, but counted by the text it is looked for in.
_AT_AN_END = Cost(
    lambda arguments: share(arguments[1].size.most, PER_CHARACTER),
    lambda values, _: share(size_of(values[0]), PER_CHARACTER),
)
# Estimated as if the texts had no length.
_MATCHING_AS_FUNCTION = Cost(UNIT.estimate, MATCHING.actual)
_SEARCHING = by_sizes(
    lambda text, part: share(text, PER_CHARACTER) * share(part, PER_CHARACTER),
)
_FINDING = Cost(TRAVERSAL.estimate, lambda values, _: int(len(values[0]) * PER_CHARACTER))
_TEXTS = (STRING, STRING)
_LIMITED = (STRING, STRING, INT)


def _quoted_size(arguments: Sequence[Sized]) -> Size:
    size = arguments[0].size
    return size * Size(1, 2) + Size(2, 2)


def _found_size(arguments: Sequence[Sized]) -> Size:
    return Size(0, arguments[0].size.most)


OVERLOADS = (
    method("contains", _TEXTS, BOOL, lambda a, b: b in a, _SEARCHING),
    method("startsWith", _TEXTS, BOOL, str.startswith, _AT_AN_END),
    method("endsWith", _TEXTS, BOOL, str.endswith, _AT_AN_END),
    method("matches", _TEXTS, BOOL, _matches, MATCHING),
    function("matches", _TEXTS, BOOL, _matches, _MATCHING_AS_FUNCTION),
    method("find", _TEXTS, STRING, _find, MATCHING, _found_size),
    method("findAll", _TEXTS, STRINGS, _find_all, MATCHING, _found_size),
    method("findAll", _LIMITED, STRINGS, _find_all, MATCHING, _found_size),
    method("charAt", (STRING, INT), STRING, _char_at),
    method("indexOf", _TEXTS, INT, _index_of, _FINDING),
    method("indexOf", _LIMITED, INT, _index_of, _FINDING),
    method("lastIndexOf", _TEXTS, INT, _last_index_of, _FINDING),
    method("lastIndexOf", _LIMITED, INT, _last_index_of, _FINDING),
    method("lowerAscii", (STRING,), STRING, lambda a: a.translate(_LOWER), TRAVERSAL, of_first),
    method("upperAscii", (STRING,), STRING, lambda a: a.translate(_UPPER), TRAVERSAL, of_first),
    method("trim", (STRING,), STRING, lambda a: a.strip(_SPACES), TRAVERSAL, of_first),
    *(
        method("replace", kinds, STRING, _replace, TWO_TRAVERSALS, _replaced_size)
        for kinds in ((STRING,) * 3, (*(STRING,) * 3, INT))
    ),
    method("split", _TEXTS, STRINGS, _split, TWO_TRAVERSALS, _pieces),
    method("split", _LIMITED, STRINGS, _split, TWO_TRAVERSALS, _pieces),
    method("substring", (STRING, INT), STRING, _substring, TRAVERSAL, of_first),
    method("substring", (STRING, INT, INT), STRING, _substring, TRAVERSAL, of_first),
    method("join", (STRINGS,), STRING, _join, _JOINING, _joined_size),
    method("join", (STRINGS, STRING), STRING, _join, _JOINING, _joined_size),
    function("strings.quote", (STRING,), STRING, quoted, TRAVERSAL, _quoted_size),
)
