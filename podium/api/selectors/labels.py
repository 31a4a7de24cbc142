"""Label selectors, as in apimachinery's `labels` package and LabelSelectorAsSelector.

A selector is a conjunction of requirements. An absent selector matches nothing, an empty one
everything. Errors and their words are those of v1.36. In a text such as `app in (web, db),!canary`,
`in` and `notin` are only keywords in the place of an operator, and values may be empty.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import msgspec

from podium.api.errors import FieldError, PodiumError, aggregate
from podium.api.objects import part
from podium.api.values.integers import parse_int

Operator = Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
NODE_OPERATORS: tuple[Operator, ...] = get_args(Operator)
LABEL_OPERATORS: tuple[Operator, ...] = NODE_OPERATORS[:4]

_NAME_LENGTH_MAX = 63
_SUBDOMAIN_LENGTH_MAX = 253

_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = f"({_NAME})?"
_DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"
_DNS_1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?"
_NAME_SHAPE, _VALUE_SHAPE, _SUBDOMAIN_SHAPE = map(re.compile, (_NAME, _VALUE, _SUBDOMAIN))
_DNS_LABEL_SHAPE, _DNS_1035_LABEL_SHAPE = map(re.compile, (_DNS_LABEL, _DNS_1035_LABEL))

_NAME_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    f"validation is '{_NAME}')"
)
_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',"
    f"  or '12345', regex used for validation is '{_VALUE}')"
)
_DNS_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
    f"used for validation is '{_DNS_LABEL}')"
)
_DNS_1035_LABEL_RULE = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
    f"'abc-123', regex used for validation is '{_DNS_1035_LABEL}')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    f"for validation is '{_SUBDOMAIN}')"
)
_NOT_A_STRING = "must be a string"
_NOT_AN_INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer"


class SelectorError(PodiumError):
    """A label selector isn't valid; the message is that of Kubernetes."""


class Requirement(msgspec.Struct, frozen=True):
    """A requirement on the value of one label (in node selectors, also of one field)."""

    key: str
    operator: Operator
    """`In`, `NotIn`, `Exists`, `DoesNotExist`, and in node selectors `Gt` and `Lt`."""
    values: tuple[str, ...] = ()
    """As written; empty for `Exists` and `DoesNotExist`, one integer for `Gt` and `Lt`."""

    def matches(self, value: str | None) -> bool:
        """Return whether a label's value, None if the label is absent, meets the requirement.

        An absent label meets NotIn and DoesNotExist; a value that isn't a 64-bit integer meets
        neither Gt nor Lt.
        """
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        bound, number = parse_int(self.values[0]), parse_int(value)
        if bound is None or number is None:
            return False
        return number > bound if self.operator == "Gt" else number < bound

    def __str__(self) -> str:
        match self.operator:
            case "Exists":
                return self.key
            case "DoesNotExist":
                return f"!{self.key}"
            case "Gt" | "Lt":
                return f"{self.key}{'>' if self.operator == 'Gt' else '<'}{self.values[0]}"
            case "In" if len(self.values) == 1:
                return f"{self.key}={self.values[0]}"
        return f"{self.key} {self.operator.lower()} ({','.join(sorted(self.values))})"


class Selector(msgspec.Struct, frozen=True):
    """A label selector: requirements sorted by key, all of which have to be met."""

    requirements: tuple[Requirement, ...] = ()
    matches_nothing: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether the selector has no requirements and matches everything."""
        return not (self.requirements or self.matches_nothing)

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether labels meet all requirements."""
        if self.matches_nothing:
            return False
        for requirement in self.requirements:
            if not requirement.matches(labels.get(requirement.key)):
                return False
        return True

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


EVERYTHING = Selector()
NOTHING = Selector(matches_nothing=True)


def label_selector(raw: Mapping[str, Any] | None) -> Selector:
    """Convert a `LabelSelector` into the conjunction of its matchLabels and matchExpressions.

    A SelectorError has all faults of the first invalid requirement, in the order of matchLabels by
    key, then matchExpressions.
    """
    if raw is None:
        return NOTHING
    requirements = [
        checked_requirement(key, "In", [value])
        for key, value in sorted(part(raw, "matchLabels").items())
    ]
    for expression in raw.get("matchExpressions") or ():
        operator = expression.get("operator", "")
        if operator not in LABEL_OPERATORS:
            raise SelectorError(f'"{operator}" is not a valid label selector operator')
        # Kubernetes copies the values, and a copy of none is null.
        values = expression.get("values") or None
        requirements.append(checked_requirement(expression.get("key", ""), operator, values))
    return conjunction(requirements)


def equality_selector(mapping: Mapping[str, str] | None) -> Selector:
    """Return the selector of an unvalidated map of labels; an empty or absent one matches all."""
    return conjunction(Requirement(key, "In", (value,)) for key, value in (mapping or {}).items())


def requirement_faults(key: object, operator: Operator, values: object) -> list[FieldError]:
    """Validate an expression of a label selector; faults are in Kubernetes' order."""
    faults = _faults("key", key, validate_label_key)
    texts = list(values) if isinstance(values, Sequence) and not isinstance(values, str) else []
    rule = ""
    match operator:
        case "In" | "NotIn" if not texts:
            rule = "for 'in', 'notin' operators, values set can't be empty"
        case "Exists" | "DoesNotExist" if texts:
            rule = "values set must be empty for exists and does not exist"
        case "Gt" | "Lt" if len(texts) != 1:
            rule = "for 'Gt', 'Lt' operators, exactly one value is required"
    if rule:
        faults.append(FieldError("values", values, rule))
    if operator in ("Gt", "Lt"):
        faults += [
            FieldError(f"values[{index}]", text, _NOT_AN_INTEGER)
            for index, text in enumerate(texts)
            if parse_int(text) is None
        ]
    for index, text in enumerate(texts):
        faults += _faults(f"values[{index}][{key}]", text, validate_label_value)
    return faults


def validate_label_key(key: str) -> list[str]:
    """Return the messages on a label's key; empty if it is valid."""
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        example = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a valid label key {_NAME_RULE} {example}"]
    faults = []
    if slash:
        why = validate_subdomain(prefix) if prefix else ["must be non-empty"]
        faults = [f"prefix part {fault}" for fault in why]
    if not name:
        faults.append("name part must be non-empty")
    faults += [f"name part {fault}" for fault in _too_long(name, _NAME_LENGTH_MAX)]
    if not _NAME_SHAPE.fullmatch(name):
        faults.append(f"name part {_NAME_RULE}")
    return faults


def validate_label_value(value: str) -> list[str]:
    """Return the messages on a label's value; empty if it is valid."""
    faults = _too_long(value, _NAME_LENGTH_MAX)
    return faults if _VALUE_SHAPE.fullmatch(value) else [*faults, _VALUE_RULE]


def validate_subdomain(name: str) -> list[str]:
    """Return the messages on a DNS subdomain, the form of most names; empty if it is valid."""
    if _SUBDOMAIN_SHAPE.fullmatch(name) and len(name) <= _SUBDOMAIN_LENGTH_MAX:
        # As many bytes as characters.
        return []
    faults = _too_long(name, _SUBDOMAIN_LENGTH_MAX, "characters")
    return faults if _SUBDOMAIN_SHAPE.fullmatch(name) else [*faults, _SUBDOMAIN_RULE]


def validate_dns_label(name: str) -> list[str]:
    """Return the messages on a DNS label, such as the name of a namespace; empty if it is valid."""
    if _DNS_LABEL_SHAPE.fullmatch(name) and len(name) <= _NAME_LENGTH_MAX:
        # Nearly all names are right, and each new pod has one.
        return []
    faults = _too_long(name, _NAME_LENGTH_MAX, "characters")
    if _DNS_LABEL_SHAPE.fullmatch(name):
        return faults
    is_subdomain = _SUBDOMAIN_SHAPE.fullmatch(name)
    return [*faults, "must not contain dots" if is_subdomain else _DNS_LABEL_RULE]


def validate_dns_1035_label(name: str) -> list[str]:
    """Return the messages on a DNS label that begins with a letter; empty if it is valid."""
    faults = _too_long(name, _NAME_LENGTH_MAX, "characters")
    return faults if _DNS_1035_LABEL_SHAPE.fullmatch(name) else [*faults, _DNS_1035_LABEL_RULE]


def _too_long(text: str, length_max: int, unit: str = "bytes") -> list[str]:
    too_long = len(text.encode()) > length_max
    return [f"must be no more than {length_max} {unit}"] if too_long else []


def _faults(field: str, text: object, validate: Callable[[str], list[str]]) -> list[FieldError]:
    messages = validate(text) if isinstance(text, str) else [_NOT_A_STRING]
    return [FieldError(field, text, "; ".join(messages))] if messages else []


def checked_requirement(key: str, operator: Operator, values: Sequence[str] | None) -> Requirement:
    """Return a requirement; raises SelectorError with all of its faults if it is invalid."""
    if faults := requirement_faults(key, operator, values):
        raise SelectorError(aggregate(faults))
    return Requirement(key, operator, tuple(values or ()))


def conjunction(requirements: Iterable[Requirement]) -> Selector:
    """Return the selector that requires all of these requirements."""
    return Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


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
