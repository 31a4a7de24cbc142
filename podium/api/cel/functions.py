"""The functions and operators of CEL in Kubernetes v1.36's base environment, by name.

An `Overload` is all that is known of one: the types that the compiler checks, the function that is
called, and what a call costs. Missing are functions of times, URLs, named formats,
`format()` and authorizers: a selector of devices that uses them is refused, by their name.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import msgspec
import re2

from podium.api.cel import addresses
from podium.api.cel.syntax import UInt
from podium.api.cel.values import (
    ABSENT,
    ANY,
    BOOL,
    BYTES,
    CIDR,
    DOUBLE,
    DYN,
    INT,
    IP,
    NULL,
    QUANTITY,
    SEMVER,
    STRING,
    TYPE,
    UINT,
    Address,
    CelError,
    CelType,
    Network,
    OptionalValue,
    Semver,
    Type,
    compare,
    contains,
    equal,
    no_such_overload,
    parse_semver,
    type_of,
)
from podium.api.errors import InvalidValueError
from podium.api.values.quantity import (
    INT64_MAX,
    INT64_MIN,
    NANOS_PER_UNIT,
    Quantity,
    parse_quantity,
)

A, B = ("param", "A"), ("param", "B")
LIST, MAP, OPTIONAL = ("list", A), ("map", A, B), ("optional", A)
STRINGS = ("list", STRING)
_UINT64_MAX = 2**64 - 1

UNSUPPORTED = frozenset(
    [
        "duration",
        "timestamp",
        "getFullYear",
        "getMonth",
        "getDate",
        "getDayOfMonth",
        "getDayOfWeek",
        "getDayOfYear",
        "getHours",
        "getMinutes",
        "getSeconds",
        "getMilliseconds",
        "url",
        "isURL",
        "getScheme",
        "getHost",
        "getHostname",
        "getPort",
        "getEscapedPath",
        "getQuery",
        "format",
        "format.named",
        "validate",
        "authorizer",
        "path",
        "resource",
        "sortBy",
        "transformMapEntry",
    ]
)
"""Functions of the environment that this evaluator doesn't have."""


class Overload(msgspec.Struct, frozen=True, eq=False):
    """A function for arguments of some types; the target of a method is the first argument.

    Attributes:
        cost: what a call with these arguments costs, beyond its arguments.
    """

    parameters: tuple[Type, ...]
    result: Type
    call: Callable[..., Any]
    is_method: bool = False
    cost: Callable[..., int] | None = None


FUNCTIONS: Mapping[str, list[Overload]] = defaultdict(list)
"""The overloads of each function, method and operator."""


def _add(
    names: str,
    parameters: Sequence[Type],
    result: Type,
    call: Callable[..., Any],
    *,
    method: bool = False,
    cost: Callable[..., int] | None = None,
) -> None:
    for name in names.split():
        FUNCTIONS[name].append(Overload(tuple(parameters), result, call, method, cost))


def _tenth(length: int) -> int:
    return -(-length // 10)


def _of_length(*arguments: Any) -> int:
    return _tenth(len(arguments[0])) or 1


def _of_both_lengths(a: Any, b: Any) -> int:
    return _tenth(len(a) + len(b)) or 1


def _limited(number: int) -> int:
    if not INT64_MIN <= number <= INT64_MAX:
        raise CelError("integer overflow")
    return number


def _unsigned(number: int) -> UInt:
    if not 0 <= number <= _UINT64_MAX:
        raise CelError("unsigned integer overflow")
    return UInt(number)


def _computed_unsigned(compute: Callable[[int, int], int], a: int, b: int) -> UInt:
    return _unsigned(compute(int(a), int(b)))


def _quotient(a: int, b: int) -> int:
    if not b:
        raise CelError("division by zero")
    # Go rounds towards zero.
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    if not b:
        raise CelError("modulus by zero")
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


def _real_quotient(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if not a or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


def _arithmetic() -> None:
    integers: Mapping[str, Callable[[int, int], int]] = {
        "_+_": lambda a, b: a + b,
        "_-_": lambda a, b: a - b,
        "_*_": lambda a, b: a * b,
        "_/_": _quotient,
        "_%_": _remainder,
    }
    for sign, compute in integers.items():
        _add(sign, (INT, INT), INT, lambda a, b, compute=compute: _limited(compute(a, b)))
        _add(sign, (UINT, UINT), UINT, partial(_computed_unsigned, compute))
    _add("_+_", (DOUBLE, DOUBLE), DOUBLE, lambda a, b: a + b)
    _add("_-_", (DOUBLE, DOUBLE), DOUBLE, lambda a, b: a - b)
    _add("_*_", (DOUBLE, DOUBLE), DOUBLE, lambda a, b: a * b)
    _add("_/_", (DOUBLE, DOUBLE), DOUBLE, _real_quotient)
    for kind in (STRING, BYTES):
        _add("_+_", (kind, kind), kind, lambda a, b: a + b, cost=_of_both_lengths)
    _add("_+_", (LIST, LIST), LIST, lambda a, b: [*a, *b])
    _add("-_", (INT,), INT, lambda a: _limited(-a))
    _add("-_", (DOUBLE,), DOUBLE, lambda a: -a)
    _add("!_", (BOOL,), BOOL, lambda a: not a)


def _comparisons() -> None:
    _add("_==_", (A, A), BOOL, equal)
    _add("_!=_", (A, A), BOOL, lambda a, b: not equal(a, b))
    tests: Mapping[str, Callable[[int], bool]] = {
        "_<_": lambda order: order < 0,
        "_<=_": lambda order: order <= 0,
        "_>_": lambda order: order > 0,
        "_>=_": lambda order: order >= 0,
    }
    numbers = (INT, UINT, DOUBLE)
    pairs = [(a, b) for a in numbers for b in numbers] + [(k, k) for k in (BOOL, STRING, BYTES)]
    for sign, holds in tests.items():
        for pair in pairs:
            _add(sign, pair, BOOL, lambda a, b, holds=holds: _is_ordered(a, b, holds))
    _add("@in", (A, LIST), BOOL, lambda a, b: contains(b, a), cost=lambda a, b: len(b) or 1)
    _add("@in", (A, MAP), BOOL, lambda a, b: contains(b, a))


def _is_ordered(a: Any, b: Any, holds: Callable[[int], bool]) -> bool:
    if a != a or b != b:
        return False
    return holds(compare(a, b))


def _to_int(number: float) -> int:
    if not -(2.0**63) < number < 2.0**63:
        raise CelError("integer overflow")
    return int(number)


def _read_number(text: str, read: Callable[[str], Any], what: str) -> Any:
    try:
        if text != text.strip() or "_" in text:
            raise ValueError
        return read(text)
    except ValueError:
        raise CelError(f"type conversion error from 'string' to '{what}'") from None


def _read_bool(text: str) -> bool:
    if text in ("1", "t", "T", "TRUE", "true", "True"):
        return True
    if text in ("0", "f", "F", "FALSE", "false", "False"):
        return False
    raise CelError("type conversion error from 'string' to 'bool'")


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None


def _shown(number: float) -> str:
    if number != number or math.isinf(number):
        return "NaN" if number != number else ("+Inf" if number > 0 else "-Inf")
    return format(number, ".17g") if number != float(format(number, "g")) else format(number, "g")


def _conversions() -> None:
    _add("int", (INT,), INT, lambda a: a)
    _add("int", (UINT,), INT, lambda a: _limited(int(a)))
    _add("int", (DOUBLE,), INT, _to_int)
    _add("int", (STRING,), INT, lambda a: _limited(_read_number(a, int, "int")))
    _add("uint", (UINT,), UINT, lambda a: a)
    _add("uint", (INT,), UINT, _unsigned)
    _add("uint", (DOUBLE,), UINT, lambda a: _unsigned(int(a) if a >= 0 else -1))
    _add("uint", (STRING,), UINT, lambda a: _unsigned(_read_number(a, int, "uint")))
    for kind in (DOUBLE, INT, UINT):
        _add("double", (kind,), DOUBLE, float)
    _add("double", (STRING,), DOUBLE, lambda a: _read_number(a, float, "double"))
    _add("string", (STRING,), STRING, lambda a: a)
    _add("string", (BOOL,), STRING, lambda a: "true" if a else "false")
    for kind in (INT, UINT):
        _add("string", (kind,), STRING, lambda a: str(int(a)))
    _add("string", (DOUBLE,), STRING, _shown)
    _add("string", (BYTES,), STRING, _decoded, cost=_of_length)
    _add("bool", (BOOL,), BOOL, lambda a: a)
    _add("bool", (STRING,), BOOL, _read_bool)
    _add("bytes", (BYTES,), BYTES, lambda a: a)
    _add("bytes", (STRING,), BYTES, lambda a: a.encode(), cost=_of_length)
    _add("dyn", (A,), DYN, lambda a: a)
    _add("type", (A,), TYPE, lambda a: CelType(type_of(a)))


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


def _cost_of_matching(text: str, pattern: str, *_: int) -> int:
    return _tenth(1 + len(text)) * max(-(-len(pattern) // 4), 1)


def _cost_of_searching(text: str, part: str) -> int:
    return max(_tenth(len(text)) * _tenth(len(part)), 1)


def _of_part(text: str, part: str) -> int:
    return _tenth(len(part)) or 1


def _matches(text: str, pattern: str) -> bool:
    return regex(pattern).search(text) is not None


def _replace(text: str, old: str, new: str, limit: int = -1) -> str:
    return text.replace(old, new, limit)


def _quote(text: str) -> str:
    return '"' + "".join(_QUOTED.get(letter, letter) for letter in text) + '"'


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    matches = [match.group() for match in regex(pattern).finditer(text)]
    return matches if limit < 0 else matches[:limit]


def _find(text: str, pattern: str) -> str:
    match = regex(pattern).search(text)
    return "" if match is None else str(match.group())


def _char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise CelError(f"index out of range: {index}")
    return text[index : index + 1]


def _index_of(text: str, part: str, offset: int = 0) -> int:
    if part and not 0 <= offset < len(text) and (offset < 0 or offset > len(text)):
        raise CelError(f"index out of range: {offset}")
    return text.find(part, offset) if part else offset


def _last_index_of(text: str, part: str, offset: int | None = None) -> int:
    if offset is not None and not 0 <= offset < max(len(text), 1):
        raise CelError(f"index out of range: {offset}")
    if not part:
        return len(text) if offset is None else offset
    return text.rfind(part) if offset is None else text.rfind(part, 0, offset + len(part))


def _substring(text: str, start: int, end: int | None = None) -> str:
    end = len(text) if end is None else end
    if start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    if start < 0 or end > len(text):
        raise CelError(f"index out of range: {start if start < 0 else end}")
    return text[start:end]


def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    if not separator:
        letters = [*text]
        if limit < 0 or len(letters) <= limit:
            return letters
        return [*letters[: limit - 1], "".join(letters[limit - 1 :])]
    return text.split(separator, limit - 1 if limit > 0 else -1)


_LOWER = {ord(c): ord(c) + 32 for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_UPPER = {small: capital for capital, small in _LOWER.items()}
_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
_SPACES += "\u200a\u2028\u2029\u202f\u205f\u3000"
_QUOTED = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v",
    "\\": "\\\\", '"': '\\"',
}  # fmt: skip


def _strings() -> None:
    text = (STRING, STRING)
    _add("contains", text, BOOL, lambda a, b: b in a, method=True, cost=_cost_of_searching)
    _add("startsWith", text, BOOL, str.startswith, method=True, cost=_of_part)
    _add("endsWith", text, BOOL, str.endswith, method=True, cost=_of_part)
    for method in (True, False):
        _add("matches", text, BOOL, _matches, method=method, cost=_cost_of_matching)
    _add("find", text, STRING, _find, method=True, cost=_cost_of_matching)
    _add("findAll", text, STRINGS, _find_all, method=True, cost=_cost_of_matching)
    limited = (STRING, STRING, INT)
    _add("findAll", limited, STRINGS, _find_all, method=True, cost=_cost_of_matching)
    _add("charAt", (STRING, INT), STRING, _char_at, method=True)
    for function, call in (("indexOf", _index_of), ("lastIndexOf", _last_index_of)):
        for parameters in (text, limited):
            _add(function, parameters, INT, call, method=True, cost=_of_length)
    _add(
        "lowerAscii", (STRING,), STRING, lambda a: a.translate(_LOWER), method=True, cost=_of_length
    )
    _add(
        "upperAscii", (STRING,), STRING, lambda a: a.translate(_UPPER), method=True, cost=_of_length
    )
    _add("trim", (STRING,), STRING, lambda a: a.strip(_SPACES), method=True, cost=_of_length)
    replaced = (STRING, STRING, STRING)
    for all_or_some in (replaced, (*replaced, INT)):
        _add("replace", all_or_some, STRING, _replace, method=True, cost=_of_length)
    for parameters in (text, limited):
        _add("split", parameters, STRINGS, _split, method=True, cost=_of_length)
    for parameters in ((STRING, INT), (STRING, INT, INT)):
        _add("substring", parameters, STRING, _substring, method=True, cost=_of_length)
    _add("join", (STRINGS,), STRING, lambda a: "".join(a), method=True, cost=_of_length)
    _add("join", (STRINGS, STRING), STRING, lambda a, b: b.join(a), method=True, cost=_of_length)
    _add("strings.quote", (STRING,), STRING, _quote, cost=_of_length)


def _is_sorted(values: Sequence[Any]) -> bool:
    return all(compare(a, b) <= 0 for a, b in pairwise(values))


def _extreme(values: Sequence[Any], sign: int) -> Any:
    if not values:
        raise CelError(f"{'max' if sign > 0 else 'min'} called on empty list")
    best = values[0]
    for value in values[1:]:
        if compare(value, best) * sign > 0:
            best = value
    return best


def _sum(values: Sequence[Any]) -> Any:
    total: Any = 0
    for number, value in enumerate(values):
        if type(value) not in (int, UInt, float):
            raise no_such_overload()
        total = value if not number else total + value
    return total


def _of_size(values: Sequence[Any], *_: Any) -> int:
    return len(values) or 1


def _of_both_sizes(a: Sequence[Any], b: Sequence[Any]) -> int:
    return len(a) * len(b) or 1


def _has_all(values: Sequence[Any], wanted: Sequence[Any]) -> bool:
    return all(contains(values, element) for element in wanted)


def _has_any(values: Sequence[Any], wanted: Sequence[Any]) -> bool:
    return any(contains(values, element) for element in wanted)


def _first_index(values: Sequence[Any], wanted: Any) -> int:
    return next((index for index, value in enumerate(values) if equal(value, wanted)), -1)


def _last_index(values: Sequence[Any], wanted: Any) -> int:
    back = _first_index(values[::-1], wanted)
    return -1 if back < 0 else len(values) - 1 - back


def _first(values: Sequence[Any]) -> OptionalValue:
    return OptionalValue(True, values[0]) if values else ABSENT


def _last(values: Sequence[Any]) -> OptionalValue:
    return OptionalValue(True, values[-1]) if values else ABSENT


def _slice(values: Sequence[Any], start: int, end: int) -> list[Any]:
    if not 0 <= start <= end <= len(values):
        raise CelError(f"cannot slice({start}, {end}) of a list of {len(values)}")
    return [*values[start:end]]


def _flatten(values: Sequence[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise CelError("level must be non-negative")
    flat: list[Any] = []
    for value in values:
        is_list = isinstance(value, list | tuple) and depth
        flat += _flatten(value, depth - 1) if is_list else [value]
    return flat


def _distinct(values: Sequence[Any]) -> list[Any]:
    distinct: list[Any] = []
    for value in values:
        if not contains(distinct, value):
            distinct.append(value)
    return distinct


def _sort(values: Sequence[Any]) -> list[Any]:
    if len({type(value) for value in values}) > 1:
        raise CelError("list elements must have the same type")
    if values and type(values[0]) in (Quantity, Semver, Address, Network):
        raise CelError("list elements must be comparable")
    return sorted(values)


def _lists() -> None:
    for method in (True, False):
        for kind in (STRING, BYTES, LIST, MAP):
            _add("size", (kind,), INT, len, method=method)
    for name, result, call in (
        ("isSorted", BOOL, _is_sorted),
        ("sum", A, _sum),
        ("min", A, lambda a: _extreme(a, -1)),
        ("max", A, lambda a: _extreme(a, 1)),
        ("distinct", LIST, _distinct),
        ("reverse", LIST, lambda a: [*reversed(a)]),
        ("sort", LIST, _sort),
    ):
        _add(name, (LIST,), result, call, method=True, cost=_of_size)
    _add("indexOf", (LIST, A), INT, _first_index, method=True, cost=_of_size)
    _add("lastIndexOf", (LIST, A), INT, _last_index, method=True, cost=_of_size)
    _add("slice", (LIST, INT, INT), LIST, _slice, method=True, cost=_of_size)
    _add("flatten", (("list", ("list", A)),), LIST, _flatten, method=True, cost=_of_size)
    _add("flatten", (("list", DYN), INT), ("list", DYN), _flatten, method=True, cost=_of_size)
    _add("lists.range", (INT,), ("list", INT), lambda n: [*range(n)], cost=lambda n: max(n, 1))
    _add("first", (LIST,), OPTIONAL, _first, method=True)
    _add("last", (LIST,), OPTIONAL, _last, method=True)
    _add("sets.contains", (LIST, LIST), BOOL, _has_all, cost=_of_both_sizes)
    _add("sets.intersects", (LIST, LIST), BOOL, _has_any, cost=_of_both_sizes)
    _add(
        "sets.equivalent",
        (LIST, LIST),
        BOOL,
        lambda a, b: _has_all(a, b) and _has_all(b, a),
        cost=_of_both_sizes,
    )


def _quantity(text: str) -> Quantity:
    try:
        return parse_quantity(text)
    except InvalidValueError as error:
        raise CelError(error.error.message) from None


def _succeeds(read: Callable[..., Any], *arguments: Any) -> bool:
    try:
        read(*arguments)
    except CelError:
        return False
    return True


def _is_integer(amount: Quantity) -> bool:
    units, rest = divmod(amount.nanos, NANOS_PER_UNIT)
    return not rest and INT64_MIN <= units <= INT64_MAX


def _as_integer(amount: Quantity) -> int:
    if not _is_integer(amount):
        raise CelError("cannot convert value to integer")
    return amount.nanos // NANOS_PER_UNIT


def _units(number: int) -> Quantity:
    return Quantity(number * NANOS_PER_UNIT)


def _sign_of(number: int) -> int:
    return (number > 0) - (number < 0)


def _tolerant_semver(text: str, normalize: bool = False) -> Semver:
    if not normalize:
        return parse_semver(text)
    parts = [
        (part.lstrip("0") if part.lstrip("0")[:1].isdigit() else "0" + part.lstrip("0"))
        if len(part) > 1
        else part
        for part in text.removeprefix("v").split(".", 2)
    ]
    if len(parts) < 3 and any(sign in parts[-1] for sign in "+-"):
        raise CelError("short version cannot contain PreRelease/Build meta data")
    return parse_semver(".".join([*parts, "0", "0"][: max(len(parts), 3)]))


def _kubernetes() -> None:
    _add("quantity", (STRING,), QUANTITY, _quantity, cost=_of_length)
    _add("isQuantity", (STRING,), BOOL, lambda a: _succeeds(_quantity, a), cost=_of_length)
    pair = (QUANTITY, QUANTITY)
    _add("isGreaterThan", pair, BOOL, lambda a, b: a.nanos > b.nanos, method=True)
    _add("isLessThan", pair, BOOL, lambda a, b: a.nanos < b.nanos, method=True)
    _add("compareTo", pair, INT, lambda a, b: _sign_of(a.nanos - b.nanos), method=True)
    _add("add", pair, QUANTITY, lambda a, b: a + b, method=True)
    _add("sub", pair, QUANTITY, lambda a, b: a - b, method=True)
    _add("add", (QUANTITY, INT), QUANTITY, lambda a, n: a + _units(n), method=True)
    _add("sub", (QUANTITY, INT), QUANTITY, lambda a, n: a - _units(n), method=True)
    _add("isInteger", (QUANTITY,), BOOL, _is_integer, method=True)
    _add("asInteger", (QUANTITY,), INT, _as_integer, method=True)
    _add("asApproximateFloat", (QUANTITY,), DOUBLE, lambda a: a.nanos / 1e9, method=True)
    for method in (True, False):
        _add("sign", (QUANTITY,), INT, lambda a: _sign_of(a.nanos), method=method)
    for parameters in ((STRING,), (STRING, BOOL)):
        _add("semver", parameters, SEMVER, _tolerant_semver, cost=_of_length)
        _add("isSemver", parameters, BOOL, partial(_succeeds, _tolerant_semver), cost=_of_length)
    versions = (SEMVER, SEMVER)
    _add("isGreaterThan", versions, BOOL, lambda a, b: a > b, method=True)
    _add("isLessThan", versions, BOOL, lambda a, b: a < b, method=True)
    _add("compareTo", versions, INT, lambda a, b: (a > b) - (a < b), method=True)
    for part in ("major", "minor", "patch"):
        _add(part, (SEMVER,), INT, lambda a, part=part: _limited(getattr(a, part)), method=True)


def _addresses() -> None:
    read = addresses.parse_address, addresses.parse_network
    for name, test, kind, parse in (("ip", "isIP", IP, read[0]), ("cidr", "isCIDR", CIDR, read[1])):
        _add(name, (STRING,), kind, parse, cost=_of_length)
        _add(test, (STRING,), BOOL, partial(_succeeds, parse), cost=_of_length)
    _add("ip.isCanonical", (STRING,), BOOL, lambda a: str(read[0](a).ip) == a, cost=_of_length)
    _add("string", (IP,), STRING, lambda a: str(a.ip))
    _add("string", (CIDR,), STRING, lambda a: f"{a.ip}/{a.length}")
    _add("family", (IP,), INT, lambda a: a.ip.version, method=True)
    tests: Mapping[str, Callable[[Any], bool]] = {
        "isUnspecified": lambda a: a.ip.is_unspecified,
        "isLoopback": lambda a: a.ip.is_loopback,
        "isLinkLocalMulticast": addresses.is_link_local_multicast,
        "isLinkLocalUnicast": lambda a: a.ip.is_link_local,
        "isGlobalUnicast": addresses.is_global_unicast,
    }
    for name, call in tests.items():
        _add(name, (IP,), BOOL, call, method=True)
    _add("ip", (CIDR,), IP, lambda a: Address(a.ip), method=True)
    _add("masked", (CIDR,), CIDR, addresses.masked, method=True)
    _add("prefixLength", (CIDR,), INT, lambda a: a.length, method=True)
    for name, within, kind, parse in (
        ("containsIP", addresses.has_address, IP, read[0]),
        ("containsCIDR", addresses.has_network, CIDR, read[1]),
    ):
        _add(name, (CIDR, kind), BOOL, within, method=True)
        of_text = partial(_within, within, parse)
        _add(name, (CIDR, STRING), BOOL, of_text, method=True, cost=lambda a, b: _of_length(b))


def _within(
    holds: Callable[[Any, Any], bool], parse: Callable[[str], Any], network: Any, text: str
) -> bool:
    return holds(network, parse(text))


def _present(optional: OptionalValue) -> Any:
    if not optional.is_present:
        raise CelError("optional.none() dereference")
    return optional.value


def _non_zero(value: Any) -> OptionalValue:
    return OptionalValue(True, value) if value or type(value) is Semver else ABSENT


def _or(optional: OptionalValue, other: OptionalValue) -> OptionalValue:
    return optional if optional.is_present else other


def _or_value(optional: OptionalValue, other: Any) -> Any:
    return optional.value if optional.is_present else other


def _optionals() -> None:
    _add("optional.of", (A,), OPTIONAL, lambda a: OptionalValue(True, a))
    _add("optional.ofNonZeroValue", (A,), OPTIONAL, _non_zero)
    _add("optional.none", (), OPTIONAL, lambda: ABSENT)
    _add("hasValue", (OPTIONAL,), BOOL, lambda a: a.is_present, method=True)
    _add("value", (OPTIONAL,), A, _present, method=True)
    _add("or", (OPTIONAL, OPTIONAL), OPTIONAL, _or, method=True)
    _add("orValue", (OPTIONAL, A), A, _or_value, method=True)


for _group in (
    _arithmetic,
    _comparisons,
    _conversions,
    _strings,
    _lists,
    _kubernetes,
    _addresses,
    _optionals,
):
    _group()

NULLABLE = frozenset({NULL, ANY, DYN})
"""Types of which null is a value, besides messages."""
