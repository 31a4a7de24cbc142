"""What is wrong with a JSON text, in the words of Go's encoding/json.

Texts are read by faster means (`reading`). Only one that can't be read comes here, to be told where
it stops being JSON: byte by byte, without recursion, whatever somebody has sent.
"""

from collections.abc import Callable
from enum import Enum, auto

DEPTH_MAX = 10_000
"""Go's decoder goes no deeper; its word for that is TOO_DEEP."""

TOO_DEEP = "exceeded max depth"

_END = "unexpected end of JSON input"
_BLANKS = b" \t\r\n"
_DIGITS = b"0123456789"
_HEX = b"0123456789abcdefABCDEF"
_ESCAPES = b'bfnrt\\/"'
_LITERALS = {ord(word[0]): word for word in ("true", "false", "null")}
_QUOTED = {ord("'"): r"'\''", ord('"'): "'\"'"}
_CLOSING = {ord("{"): ord("}"), ord("["): ord("]")}


class _Next(Enum):
    """What may come next."""

    VALUE = auto()
    VALUE_OR_CLOSE = auto()
    KEY = auto()
    KEY_OR_CLOSE = auto()
    COLON = auto()
    MORE_OF_OBJECT = auto()
    MORE_OF_ARRAY = auto()
    NOTHING = auto()


_WHERE = {
    _Next.VALUE: "looking for beginning of value",
    _Next.VALUE_OR_CLOSE: "looking for beginning of value",
    _Next.KEY: "looking for beginning of object key string",
    _Next.KEY_OR_CLOSE: "looking for beginning of object key string",
    _Next.COLON: "after object key",
    _Next.MORE_OF_OBJECT: "after object key:value pair",
    _Next.MORE_OF_ARRAY: "after array element",
    _Next.NOTHING: "after top-level value",
}


class _Fault(Exception):  # noqa: N818 - it never leaves this module
    """Carries the sentence."""


def syntax_fault(data: bytes) -> str:
    """What Go's decoder says of a text that isn't JSON; empty if it is."""
    try:
        _Scanner(data).scan()
    except _Fault as fault:
        return str(fault)
    return ""


class _Scanner:
    """Goes through a text once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._open: list[int] = []
        self._next = _Next.VALUE

    def scan(self) -> None:
        while True:
            self._skip(_BLANKS)
            if self._at >= len(self._data):
                if self._next is _Next.NOTHING:
                    return
                raise _Fault(_END)
            _STEPS[self._next](self, self._data[self._at])

    def value(self, byte: int) -> None:
        if byte in _CLOSING:
            self._opened(byte)
        elif byte == ord("]") and self._next is _Next.VALUE_OR_CLOSE:
            self._closed()
        else:
            self._scalar(byte)
            self._value_ends()

    def key(self, byte: int) -> None:
        if byte == ord('"'):
            self._string()
            self._next = _Next.COLON
        elif byte == ord("}") and self._next is _Next.KEY_OR_CLOSE:
            self._closed()
        else:
            raise self._unexpected(_WHERE[self._next])

    def colon(self, byte: int) -> None:
        if byte != ord(":"):
            raise self._unexpected(_WHERE[self._next])
        self._at += 1
        self._next = _Next.VALUE

    def more(self, byte: int) -> None:
        if byte == ord(","):
            self._at += 1
            self._next = _Next.KEY if self._open[-1] == ord("{") else _Next.VALUE
        elif byte == _CLOSING[self._open[-1]]:
            self._closed()
        else:
            raise self._unexpected(_WHERE[self._next])

    def nothing(self, _byte: int) -> None:
        raise self._unexpected(_WHERE[self._next])

    def _opened(self, byte: int) -> None:
        if len(self._open) >= DEPTH_MAX:
            raise _Fault(TOO_DEEP)
        self._open.append(byte)
        self._at += 1
        self._next = _Next.KEY_OR_CLOSE if byte == ord("{") else _Next.VALUE_OR_CLOSE

    def _closed(self) -> None:
        self._open.pop()
        self._at += 1
        self._value_ends()

    def _value_ends(self) -> None:
        if not self._open:
            self._next = _Next.NOTHING
        else:
            is_object = self._open[-1] == ord("{")
            self._next = _Next.MORE_OF_OBJECT if is_object else _Next.MORE_OF_ARRAY

    def _scalar(self, byte: int) -> None:
        if byte == ord('"'):
            self._string()
        elif byte in b"-0123456789":
            self._number()
        elif byte in _LITERALS:
            word = _LITERALS[byte]
            for letter in word:
                self._take(letter.encode(), f"in literal {word} (expecting '{letter}')")
        else:
            raise self._unexpected(_WHERE[_Next.VALUE])

    def _string(self) -> None:
        self._at += 1
        while (byte := self._byte()) != ord('"'):
            if byte < ord(" "):
                raise self._unexpected("in string literal")
            self._at += 1
            if byte == ord("\\"):
                self._escape()
        self._at += 1

    def _escape(self) -> None:
        if self._byte() != ord("u"):
            self._take(_ESCAPES, "in string escape code")
            return
        self._at += 1
        for _ in range(4):
            self._take(_HEX, r"in \u hexadecimal character escape")

    def _number(self) -> None:
        if self._byte() == ord("-"):
            self._at += 1
        if self._peek(b"0"):
            self._at += 1
        else:
            self._take(_DIGITS, "in numeric literal")
            self._skip(_DIGITS)
        if self._peek(b"."):
            self._at += 1
            self._take(_DIGITS, "after decimal point in numeric literal")
            self._skip(_DIGITS)
        if self._peek(b"eE"):
            self._at += 1
            if self._peek(b"+-"):
                self._at += 1
            self._take(_DIGITS, "in exponent of numeric literal")
            self._skip(_DIGITS)

    def _byte(self) -> int:
        if self._at >= len(self._data):
            raise _Fault(_END)
        return self._data[self._at]

    def _peek(self, wanted: bytes) -> bool:
        return self._at < len(self._data) and self._data[self._at] in wanted

    def _take(self, wanted: bytes, otherwise: str) -> None:
        if self._byte() not in wanted:
            raise self._unexpected(otherwise)
        self._at += 1

    def _skip(self, wanted: bytes) -> None:
        while self._peek(wanted):
            self._at += 1

    def _unexpected(self, where: str) -> _Fault:
        byte = self._data[self._at]
        shown = _QUOTED.get(byte) or _shown(byte)
        return _Fault(f"invalid character {shown} {where}")


def _shown(byte: int) -> str:
    """A byte in single quotes, taken as a character, with Go's escapes."""
    text = chr(byte)
    if text == "\\":
        return r"'\\'"
    if text.isprintable():
        return f"'{text}'"
    named = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r"}
    if byte in named:
        return f"'\\{named[byte]}'"
    return f"'\\x{byte:02x}'" if byte < 128 else f"'\\u{byte:04x}'"


_STEPS: dict[_Next, Callable[[_Scanner, int], None]] = {
    _Next.VALUE: _Scanner.value,
    _Next.VALUE_OR_CLOSE: _Scanner.value,
    _Next.KEY: _Scanner.key,
    _Next.KEY_OR_CLOSE: _Scanner.key,
    _Next.COLON: _Scanner.colon,
    _Next.MORE_OF_OBJECT: _Scanner.more,
    _Next.MORE_OF_ARRAY: _Scanner.more,
    _Next.NOTHING: _Scanner.nothing,
}
