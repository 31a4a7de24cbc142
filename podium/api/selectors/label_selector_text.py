"""Label selectors as text, such as `app in (web, db),!canary`, as apimachinery's parser reads them.

The grammar is looser than one would think: the words `in` and `notin` are keywords only where an
operator stands, values may be empty, and `=`, `==` are the same.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from podium.api.errors import FieldError, aggregate
from podium.api.selectors.labels import (
    Operator,
    Requirement,
    Selector,
    SelectorError,
    requirement_faults,
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
    """The meaning of a selector's text, empty for everything; raises SelectorError."""
    tokens = _Tokens(text)
    requirements = list(_requirements(tokens))
    return Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


class _Token(NamedTuple):
    text: str

    @property
    def is_end(self) -> bool:
        return not self.text

    @property
    def is_word(self) -> bool:
        return bool(self.text) and self.text not in _SYMBOLS


class _Tokens:
    def __init__(self, text: str) -> None:
        self._left = [_Token(match[1]) for match in _TOKENS.finditer(text.rstrip(_BLANKS))][::-1]

    def peek(self) -> _Token:
        return self._left[-1] if self._left else _Token("")

    def take(self) -> _Token:
        return self._left.pop() if self._left else _Token("")


def _requirements(tokens: _Tokens) -> Iterator[Requirement]:
    while not tokens.peek().is_end:
        token = tokens.peek()
        if not _begins_requirement(token):
            raise _unexpected(token, "!, identifier, or 'end of string'")
        try:
            yield _requirement(tokens)
        except SelectorError as error:
            raise SelectorError(f"unable to parse requirement: {error}") from None
        token = tokens.take()
        if token.is_end:
            return
        if token.text != ",":
            raise _unexpected(token, "',' or 'end of string'")
        if not _begins_requirement(tokens.peek()):
            raise _unexpected(tokens.peek(), "identifier after ','")


def _begins_requirement(token: _Token) -> bool:
    return token.is_word or token.text == "!"


def _requirement(tokens: _Tokens) -> Requirement:
    token = tokens.take()
    is_negated = token.text == "!"
    if is_negated:
        token = tokens.take()
    if not token.is_word:
        raise _unexpected(token, "identifier")
    if faults := validate_label_key(token.text):
        raise SelectorError(str(FieldError("<nil>", token.text, "; ".join(faults))))
    if is_negated:
        return _checked(token.text, "DoesNotExist", ())
    if tokens.peek().text in ("", ","):
        return _checked(token.text, "Exists", ())
    sign = tokens.take()
    operator = _OPERATORS.get(sign.text)
    if operator is None:
        raise _unexpected(sign, _OPERATORS_TOLD)
    values = _value_list(tokens) if sign.text in ("in", "notin") else {_value(tokens)}
    return _checked(token.text, operator, tuple(sorted(values)))


def _value(tokens: _Tokens) -> str:
    """The one value after a sign; nothing there means the empty one."""
    if tokens.peek().text in ("", ","):
        return ""
    token = tokens.take()
    if not token.is_word:
        raise _unexpected(token, "identifier")
    return token.text


def _value_list(tokens: _Tokens) -> set[str]:
    """The values in parentheses; a comma without a value beside it stands for the empty one."""
    token = tokens.take()
    if token.text != "(":
        raise SelectorError(f"found '{token.text}' expected: '('")
    token = tokens.peek()
    if token.text == ")":
        tokens.take()
        return set()
    if not (token.is_word or token.text == ","):
        raise _unexpected(token, "',', ')' or identifier")
    values: set[str] = set()
    while True:
        token = tokens.take()
        if token.is_word:
            values.add(token.text)
            if tokens.peek().text not in (",", ")"):
                raise _unexpected(tokens.peek(), "',' or ')'")
        elif token.text == ",":
            if not values or tokens.peek().text in (",", ")"):
                values.add("")
        elif token.text == ")":
            return values
        else:
            raise _unexpected(token, "',', or identifier")


def _unexpected(token: _Token, expectation: str) -> SelectorError:
    return SelectorError(f"found '{token.text}', expected: {expectation}")


def _checked(key: str, operator: Operator, values: tuple[str, ...]) -> Requirement:
    if faults := requirement_faults(key, operator, list(values)):
        raise SelectorError(aggregate(faults))
    return Requirement(key, operator, values)
