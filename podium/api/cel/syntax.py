"""The syntax of CEL: from the text of an expression to its tree, with macros as nodes.

Grammar and macros are those of the CEL specification with the options of Kubernetes v1.36's base
environment: optional syntax (`a.?b`, `a[?b]`), comprehensions of two variables, and `cel.bind`.
"""

import re
from collections.abc import Callable, Sequence
from typing import NoReturn

import msgspec

LENGTH_MAX = 10 * 1024
"""The greatest length of an expression that the API server accepts, in characters."""

_DEPTH_MAX = 250
_TOKEN = re.compile(
    r"""
      (?P<space>[\t\n\f\r ]+|//[^\n]*)
    | (?P<string>[rR]?[bB]?[rR]?(?:\"{3}|'{3}|["']))
    | (?P<number>0[xX][0-9a-fA-F]+[uU]?
        | (?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
        | [0-9]+[uU]?)
    | (?P<name>[_a-zA-Z][_a-zA-Z0-9]*)
    | (?P<escaped>`[a-zA-Z0-9_.\-/ ]+`)
    | (?P<sign>==|!=|<=|>=|&&|\|\||[-+*/%!<>?:.,()\[\]{}])
    """,
    re.VERBOSE,
)
_PLAIN = re.compile(r"[^\\\r\n\"']+")
_RESERVED = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
_LITERALS = {"true": True, "false": False, "null": None}
_ESCAPES = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "?": "?", '"': '"', "'": "'", "`": "`",
}  # fmt: skip
_RELATIONS = ("==", "!=", "<", "<=", ">", ">=", "in")
_WIDE_DOT, _WIDE_MARK = "\uff0e", "\uff3e"
# Marks a character that stands for a single byte, in planes of Unicode for private use.
_BYTE = 0xF0000
_INT_MAX = 2**63 - 1
_UINT_MAX = 2**64 - 1

# Macros by name and number of arguments; the first argument (or two) names a variable.
_LOOPS = frozenset(
    {
        ("all", 2), ("exists", 2), ("exists_one", 2), ("filter", 2),
        ("map", 2), ("map", 3), ("all", 3), ("exists", 3), ("exists_one", 3), ("existsOne", 3),
        ("transformList", 3), ("transformList", 4), ("transformMap", 3), ("transformMap", 4),
        ("transformMapEntry", 3), ("transformMapEntry", 4), ("sortBy", 2), ("optMap", 2),
        ("optFlatMap", 2),
    }
)  # fmt: skip
_REPEATING = frozenset({name for name, _ in _LOOPS} | {"bind", "replace", "range"})
_OF_TWO_VARIABLES = frozenset({"transformList", "transformMap", "transformMapEntry"})


class UInt(int):
    """An unsigned integer of CEL, which is another type than int."""


class CelSyntaxError(ValueError):
    """An expression that isn't CEL; the message has the line and column."""


class Literal(msgspec.Struct, frozen=True, gc=False):
    """A constant: bool, int, `UInt`, float, str, bytes or None."""

    place: int
    value: object


class Name(msgspec.Struct, frozen=True, gc=False):
    """A variable."""

    place: int
    name: str


class Select(msgspec.Struct, frozen=True, gc=False):
    """A field of a message or an entry of a map; `is_test` in `has()`, `is_optional` for `.?`."""

    place: int
    operand: "Node"
    field: str
    is_test: bool = False
    is_optional: bool = False


class Index(msgspec.Struct, frozen=True, gc=False):
    """An element of a list or map; `is_optional` for `[?`."""

    place: int
    operand: "Node"
    key: "Node"
    is_optional: bool = False


class Call(msgspec.Struct, frozen=True, gc=False):
    """A function, method or operator with its arguments; `target` is that of a method."""

    place: int
    function: str
    arguments: tuple["Node", ...]
    target: "Node | None" = None


class ListOf(msgspec.Struct, frozen=True, gc=False):
    """A list literal; elements that are optional, at their indexes, are left out if absent."""

    place: int
    elements: tuple["Node", ...]
    optional: frozenset[int] = frozenset()


class MapOf(msgspec.Struct, frozen=True, gc=False):
    """A map literal; entries that are optional, at their indexes, are left out if absent."""

    place: int
    entries: tuple[tuple["Node", "Node"], ...]
    optional: frozenset[int] = frozenset()


class Loop(msgspec.Struct, frozen=True, gc=False):
    """A macro over a list, map or optional.

    Attributes:
        kind: name of the macro.
        variables: one or two names.
        body: predicate or transformation; for `map` with three arguments and the transformations
            with a filter, predicate and transformation.
    """

    place: int
    kind: str
    over: "Node"
    variables: tuple[str, ...]
    body: tuple["Node", ...]


class Binding(msgspec.Struct, frozen=True, gc=False):
    """A `cel.bind(variable, value, body)`."""

    place: int
    variable: str
    value: "Node"
    body: "Node"


Node = Literal | Name | Select | Index | Call | ListOf | MapOf | Loop | Binding


def position(text: str, place: int) -> str:
    """Return the line and column of an offset, such as `1:8`; columns count from 1."""
    return f"{text.count(chr(10), 0, place) + 1}:{place - text.rfind(chr(10), 0, place)}"


def fault_text(text: str, place: int, why: str) -> str:
    """Return the message of a fault at an offset, with the line that has it."""
    begin = text.rfind("\n", 0, place) + 1
    line = text[begin:].partition("\n")[0].replace("\t", " ")
    at = place - begin
    dots = "".join("." if letter.isascii() else _WIDE_DOT for letter in line[:at])
    mark = "^" if line[at : at + 1].isascii() else _WIDE_MARK
    return f"ERROR: <input>:{position(text, place)}: {why}\n | {line}\n | {dots}{mark}"


def parse(text: str) -> tuple[Node, bool]:
    """Parse an expression; return its tree, and whether it may do something repeatedly.

    Loops do, and what makes texts from texts longer and longer.

    Raises:
        CelSyntaxError: it isn't CEL, or too long or too deeply nested.
    """
    if len(text) > LENGTH_MAX:
        why = f"Syntax error: expression is longer than {LENGTH_MAX} characters"
        raise CelSyntaxError(f"ERROR: <input>:1:1: {why}")
    parser = _Parser(text)
    return parser.whole(), parser.repeats


class _Token(msgspec.Struct, frozen=True, gc=False):
    kind: str
    text: str
    place: int
    value: object = None


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._tokenized()
        self._next = 0
        self._depth = 0
        self.repeats = False

    def whole(self) -> Node:
        node = self._expression()
        token = self._tokens[self._next]
        if token.kind != "end":
            self._fail(token.place, f"unexpected {token.text!r}")
        return node

    def _tokenized(self) -> list[_Token]:
        text, at, tokens = self._text, 0, []
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                self._fail(at, f"token recognition error at: {text[at]!r}")
            kind, part = str(match.lastgroup), match[0]
            if kind == "string":
                value, end = self._string(at, part)
                tokens.append(_Token("literal", text[at:end], at, value))
                at = end
                continue
            if kind == "number":
                tokens.append(_Token("literal", part, at, self._number(at, part)))
            elif kind == "escaped":
                tokens.append(_Token(kind, part[1:-1], at))
            elif kind != "space":
                tokens.append(_Token("sign" if part == "in" else kind, part, at))
            at = match.end()
        tokens.append(_Token("end", "<EOF>", at))
        return tokens

    def _string(self, at: int, opening: str) -> tuple[str | bytes, int]:
        quote = opening.lstrip("rRbB")
        prefix = opening.removesuffix(quote).lower()
        is_raw, is_bytes = "r" in prefix, "b" in prefix
        place = at + len(opening)
        parts: list[str] = []
        while True:
            if place >= len(self._text) or (len(quote) == 1 and self._text[place] in "\r\n"):
                self._fail(at, "string has no end")
            if plain := _PLAIN.match(self._text, place):
                parts.append(plain[0])
                place = plain.end()
            elif self._text.startswith(quote, place):
                break
            elif self._text[place] == "\\" and not is_raw:
                part, place = self._escape(place, is_bytes)
                parts.append(part)
            else:
                step = 2 if is_raw and self._text[place] == "\\" else 1
                part = self._text[place : place + step]
                if part != "\r":
                    parts.append(part)
                elif not self._text.startswith("\r\n", place):
                    # Ends of lines are read alike.
                    parts.append("\n")
                place += step
        end = place + len(quote)
        if is_bytes:
            # Escapes of bytes stand for single bytes, and are marked as such.
            is_escape = [len(part) == 1 and 0 <= ord(part) - _BYTE < 256 for part in parts]
            joined = b"".join(
                bytes([ord(part) - _BYTE]) if escaped else part.encode()
                for part, escaped in zip(parts, is_escape, strict=True)
            )
            return joined, end
        return "".join(parts), end

    def _escape(self, place: int, is_bytes: bool) -> tuple[str, int]:
        letter = self._text[place + 1 : place + 2]
        if letter in _ESCAPES and letter:
            return _ESCAPES[letter], place + 2
        lengths = {"x": (2, 16), "X": (2, 16), "u": (4, 16), "U": (8, 16)}
        length, base = lengths.get(letter, (3, 8))
        begin = place + (2 if base == 16 else 1)
        digits = self._text[begin : begin + length]
        try:
            number = int(digits, base) if len(digits) == length else -1
            is_byte = is_bytes and letter not in ("u", "U")
            if number < 0 or (is_byte and number > 255):
                raise ValueError
            return chr(number + _BYTE if is_byte else number), begin + length
        except (ValueError, OverflowError):
            self._fail(place, f"invalid escape {self._text[place : begin + length]!r}")

    def _number(self, at: int, part: str) -> object:
        digits = part.rstrip("uU")
        is_hex = digits[:2].lower() == "0x"
        if not is_hex and any(sign in digits for sign in ".eE"):
            return float(digits)
        number = int(digits, 16 if is_hex else 10)
        if digits != part:
            if number > _UINT_MAX:
                self._misused(at, "invalid uint literal")
            return UInt(number)
        # One more than the greatest int is allowed after a minus sign alone.
        if number > _INT_MAX + 1:
            self._misused(at, "invalid int literal")
        return number

    def _expression(self) -> Node:
        self._depth += 1
        if self._depth > _DEPTH_MAX:
            self._fail(self._tokens[self._next].place, "expression is nested too deeply")
        node = self._either()
        if self._takes("?"):
            place = self._tokens[self._next - 1].place
            then = self._either()
            self._expect(":")
            node = Call(place, "_?_:_", (node, then, self._expression()))
        self._depth -= 1
        return node

    def _either(self) -> Node:
        return self._chain("||", self._both)

    def _both(self) -> Node:
        return self._chain("&&", self._relation)

    def _chain(self, sign: str, operand: Callable[[], Node]) -> Node:
        """Parse operands of `&&` or `||`, with halves of them on both sides of each operator.

        So the tree of a long chain isn't deep.
        """
        first = operand()
        operands, places = [first], []
        while self._takes(sign):
            places.append(self._tokens[self._next - 1].place)
            operands.append(operand())
        if not places:
            return first

        def halved(first: int, last: int) -> Node:
            if first == last:
                return operands[first]
            middle = (first + last) // 2
            sides = halved(first, middle), halved(middle + 1, last)
            return Call(places[middle], f"_{sign}_", sides)

        return halved(0, len(operands) - 1)

    def _relation(self) -> Node:
        return self._binary(_RELATIONS, lambda: self._binary("+-", self._product))

    def _product(self) -> Node:
        return self._binary("*/%", self._unary)

    def _binary(self, signs: Sequence[str], operand: Callable[[], Node]) -> Node:
        node = operand()
        while (token := self._tokens[self._next]).kind == "sign" and token.text in signs:
            self._next += 1
            function = "@in" if token.text == "in" else f"_{token.text}_"
            node = Call(token.place, function, (node, operand()))
        return node

    def _unary(self) -> Node:
        token = self._tokens[self._next]
        if token.kind != "sign" or token.text not in ("!", "-"):
            return self._member()
        count = 0
        while self._takes(token.text):
            count += 1
        is_literal = self._tokens[self._next].kind == "literal"
        node = self._member_of_minus(token.place) if token.text == "-" else self._member()
        if (
            token.text == "-"
            and is_literal
            and isinstance(node, Literal)
            and type(node.value) in (int, float)
        ):
            return Literal(token.place, -node.value if count % 2 else node.value)  # type: ignore[operator]
        function = "!_" if token.text == "!" else "-_"
        return Call(token.place, function, (node,)) if count % 2 else node

    def _member_of_minus(self, place: int) -> Node:
        token = self._tokens[self._next]
        if token.kind == "literal" and token.value == _INT_MAX + 1 and type(token.value) is int:
            self._next += 1
            return Literal(place, token.value)
        return self._member()

    def _member(self) -> Node:
        node = self._primary()
        while True:
            place = self._tokens[self._next].place
            if self._takes("."):
                is_optional = self._takes("?")
                name = self._tokens[self._next]
                if name.kind not in ("name", "escaped") and name.text != "in":
                    self._fail(name.place, f"unexpected {name.text!r}")
                self._next += 1
                at = self._tokens[self._next].place
                if not is_optional and name.kind == "name" and self._takes("("):
                    node = self._method(at, node, name.text, self._arguments(")"))
                else:
                    node = Select(place, node, name.text, is_optional=is_optional)
            elif isinstance(node, Name | Select) and self._takes("{"):
                self._fail(place, "podium doesn't make messages of CEL")
            elif self._takes("["):
                is_optional = self._takes("?")
                key = self._expression()
                self._expect("]")
                node = Index(place, node, key, is_optional)
            else:
                return node

    def _primary(self) -> Node:
        token = self._tokens[self._next]
        self._next += 1
        if token.kind == "literal":
            if token.value == _INT_MAX + 1 and type(token.value) is int:
                self._misused(token.place, "invalid int literal")
            return Literal(token.place, token.value)
        if token.text == "(":
            node = self._expression()
            self._expect(")")
            return node
        if token.text == "[" and token.kind == "sign":
            return ListOf(token.place, *self._elements())
        if token.text == "{" and token.kind == "sign":
            return MapOf(token.place, *self._entries())
        if token.text == "." and token.kind == "sign":
            # A leading dot names the root, where all variables and functions are.
            token = self._tokens[self._next]
            self._next += 1
        if token.kind != "name":
            self._fail(token.place, f"unexpected {token.text!r}")
        if token.text in _LITERALS:
            return Literal(token.place, _LITERALS[token.text])
        if token.text in _RESERVED:
            self._misused(token.place, f"reserved identifier: {token.text}")
        at = self._tokens[self._next].place
        if self._takes("("):
            return self._function(at, token.text, tuple(self._arguments(")")))
        return Name(token.place, token.text)

    def _arguments(self, closing: str) -> list[Node]:
        arguments: list[Node] = []
        while not self._takes(closing):
            if arguments:
                self._expect(",")
            arguments.append(self._expression())
        return arguments

    def _elements(self) -> tuple[tuple[Node, ...], frozenset[int]]:
        elements: list[Node] = []
        optional: set[int] = set()
        while not self._takes("]"):
            if elements:
                self._expect(",")
                if self._takes("]"):
                    break
            if self._takes("?"):
                optional.add(len(elements))
            elements.append(self._expression())
        return tuple(elements), frozenset(optional)

    def _entries(self) -> tuple[tuple[tuple[Node, Node], ...], frozenset[int]]:
        entries: list[tuple[Node, Node]] = []
        optional: set[int] = set()
        while not self._takes("}"):
            if entries:
                self._expect(",")
                if self._takes("}"):
                    break
            if self._takes("?"):
                optional.add(len(entries))
            key = self._expression()
            self._expect(":")
            entries.append((key, self._expression()))
        return tuple(entries), frozenset(optional)

    def _function(self, place: int, name: str, arguments: tuple[Node, ...]) -> Node:
        if name != "has" or len(arguments) != 1:
            return Call(place, name, arguments)
        tested = arguments[0]
        if not isinstance(tested, Select):
            self._misused(tested.place, "invalid argument to has() macro")
        return Select(place, tested.operand, tested.field, is_test=True)

    def _method(self, place: int, target: Node, name: str, arguments: list[Node]) -> Node:
        self.repeats |= name in _REPEATING
        if isinstance(target, Name) and (target.name, name, len(arguments)) == ("cel", "bind", 3):
            variable = arguments[0]
            if not isinstance(variable, Name):
                why = "cel.bind() variable names must be simple identifiers"
                self._misused(variable.place, why)
            return Binding(place, variable.name, arguments[1], arguments[2])
        if (name, len(arguments)) not in _LOOPS:
            return Call(place, name, tuple(arguments), target)
        if name == "sortBy" and isinstance(target, Literal | MapOf):
            kinds = "a list, identifier, comprehension, call or select expression"
            self._misused(target.place, f"sortBy can only be applied to {kinds}")
        has_two = name in _OF_TWO_VARIABLES or (len(arguments) == 3 and name != "map")
        variables = []
        for argument in arguments[: 2 if has_two else 1]:
            if not isinstance(argument, Name):
                self._misused(argument.place, "argument must be a simple name")
            variables.append(argument.name)
        kind = "exists_one" if name == "existsOne" else name
        return Loop(place, kind, target, tuple(variables), tuple(arguments[len(variables) :]))

    def _takes(self, sign: str) -> bool:
        token = self._tokens[self._next]
        if token.kind != "sign" or token.text != sign:
            return False
        self._next += 1
        return True

    def _expect(self, sign: str) -> None:
        token = self._tokens[self._next]
        if not self._takes(sign):
            self._fail(token.place, f"unexpected {token.text!r}, expecting {sign!r}")

    def _fail(self, place: int, why: str) -> NoReturn:
        self._misused(place, f"Syntax error: {why}")

    def _misused(self, place: int, why: str) -> NoReturn:
        raise CelSyntaxError(fault_text(self._text, place, why))
