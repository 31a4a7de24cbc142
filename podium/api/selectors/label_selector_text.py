"""Label selectors as text, such as `app in (web, db),!canary`, as apimachinery's parser reads them.

The words `in` and `notin` are only keywords in the place of an operator, values may be empty, and
`=` and `==` are equivalent.
"""

import re
from collections.abc import Iterator

from podium.api.errors import FieldError
from podium.api.selectors.labels import (
    Operator,
    Requirement,
    Selector,
    SelectorError,
    checked_requirement,
    conjunction,
    validate_label_key,
)

_BLANKS = " \t\r\n"
_TOKENS = re.compile(rf"[{_BLANKS}]*(==|!=|[=!(),><]|[^=!(),><{_BLANKS}]+)")
_SYMBOLS = frozenset(["==", "!=", "=", "!", "(", ")", ",", ">", "<"])
_OPERATORS: dict[str, Operator] = {
    "in": "In",
    "notin": "NotIn",
    "=": "In",
    "==": "In",
    "!=": "NotIn",
    ">": "Gt",
    "<": "Lt",
}
_OPERATORS_TOLD = "in, notin, =, ==, !=, gt, lt"


def parse_selector(text: str) -> Selector:
    """Parse the text of a label selector; an empty text selects all. Raises SelectorError."""
    return conjunction(_requirements(_Tokens(text)))


class _Tokens:
    # The words and symbols of a text; empty ones after the last.

    def __init__(self, text: str) -> None:
        self._left = [match[1] for match in _TOKENS.finditer(text.rstrip(_BLANKS))][::-1]

    def peek(self) -> str:
        return self._left[-1] if self._left else ""

    def take(self) -> str:
        return self._left.pop() if self._left else ""


def _is_word(token: str) -> bool:
    return bool(token) and token not in _SYMBOLS


def _requirements(tokens: _Tokens) -> Iterator[Requirement]:
    while token := tokens.peek():
        if not (_is_word(token) or token == "!"):
            raise _unexpected(token, "!, identifier, or 'end of string'")
        try:
            yield _requirement(tokens)
        except SelectorError as error:
            raise SelectorError(f"unable to parse requirement: {error}") from None
        token = tokens.take()
        if not token:
            return
        if token != ",":
            raise _unexpected(token, "',' or 'end of string'")
        if not (_is_word(tokens.peek()) or tokens.peek() == "!"):
            raise _unexpected(tokens.peek(), "identifier after ','")


def _requirement(tokens: _Tokens) -> Requirement:
    key = tokens.take()
    is_negated = key == "!"
    if is_negated:
        key = tokens.take()
    if not _is_word(key):
        raise _unexpected(key, "identifier")
    if faults := validate_label_key(key):
        raise SelectorError(str(FieldError("<nil>", key, "; ".join(faults))))
    if is_negated:
        return checked_requirement(key, "DoesNotExist", [])
    if tokens.peek() in ("", ","):
        return checked_requirement(key, "Exists", [])
    sign = tokens.take()
    operator = _OPERATORS.get(sign)
    if operator is None:
        raise _unexpected(sign, _OPERATORS_TOLD)
    values = _value_list(tokens) if sign in ("in", "notin") else {_value(tokens)}
    return checked_requirement(key, operator, sorted(values))


def _value(tokens: _Tokens) -> str:
    # The value after a sign; nothing means the empty one.
    if tokens.peek() in ("", ","):
        return ""
    token = tokens.take()
    if not _is_word(token):
        raise _unexpected(token, "identifier")
    return token


def _value_list(tokens: _Tokens) -> set[str]:
    # The values in parentheses; a comma without a value beside it stands for the empty one.
    token = tokens.take()
    if token != "(":
        raise SelectorError(f"found '{token}' expected: '('")
    token = tokens.peek()
    if token == ")":
        tokens.take()
        return set()
    if not (_is_word(token) or token == ","):
        raise _unexpected(token, "',', ')' or identifier")
    values: set[str] = set()
    while True:
        token = tokens.take()
        if _is_word(token):
            values.add(token)
            if tokens.peek() not in (",", ")"):
                raise _unexpected(tokens.peek(), "',' or ')'")
        elif token == ",":
            if not values or tokens.peek() in (",", ")"):
                values.add("")
        elif token == ")":
            return values
        else:
            raise _unexpected(token, "',', or identifier")


def _unexpected(token: str, expectation: str) -> SelectorError:
    return SelectorError(f"found '{token}', expected: {expectation}")
