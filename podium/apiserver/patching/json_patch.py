"""JSON patches (RFC 6902), with the freedoms of the library that kube-apiserver v1.36 uses.

An index may be negative, and counts from the end then. Testing for null a field that isn't there
succeeds. The object itself can't be added, replaced or removed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from podium.api.codec.text_decoder import DEPTH_MAX, TOO_DEEP, oddity
from podium.api.objects import Object

COPIED_BYTES_MAX = 3 * 1024 * 1024
"""How much all copies of a patch may copy together, as JSON."""

_ABSENT = object()
_INDEX = re.compile(r"[+-]?[0-9]+", re.ASCII)
_INDEX_DIGITS_MAX = 10


class InapplicablePatchError(Exception):
    """An operation that can't be carried out on the object; says why."""


def json_patched(live: Object, operations: Sequence[Object]) -> Object:
    """The object after all operations; what they don't touch is shared.

    Args:
        operations: with `op`, `path`, `from` and `value`.

    Raises:
        InapplicablePatchError: one of them can't be carried out.
    """
    copied_bytes = 0
    for operation in operations:
        name, path = operation.get("op"), operation.get("path") or ""
        carry_out = _OPERATIONS.get(name or "")
        if carry_out is None:
            raise InapplicablePatchError(f"Unexpected kind: {name or 'unknown'}")
        if name == "copy":
            copied_bytes += len(_canonical(_source(live, operation)))
            if copied_bytes > COPIED_BYTES_MAX:
                raise InapplicablePatchError(f"more than {COPIED_BYTES_MAX} bytes are copied")
        live = carry_out(live, _tokens(path), operation)
    if why := oddity(live):
        raise InapplicablePatchError(why)
    return live


def _replace(doc: Any, path: list[str], operation: Object) -> Any:
    _found(doc, path)
    return _changed(doc, path, lambda holder, key: _with(holder, key, operation.get("value")))


def _move(doc: Any, path: list[str], operation: Object) -> Any:
    value = _source(doc, operation)
    return _inserted(_changed(doc, _tokens(operation.get("from")), _without), path, value)


def _source(doc: Any, operation: Object) -> Any:
    value = _found(doc, _tokens(operation.get("from")))
    if why := oddity(value):
        raise InapplicablePatchError(why)
    return value


def _test(doc: Any, path: list[str], operation: Object) -> Any:
    holder, key = _found(doc, path[:-1]), path[-1]
    found = holder.get(key) if isinstance(holder, Mapping) else _found(holder, [key])
    if _canonical(found) != _canonical(operation.get("value")):
        raise InapplicablePatchError(f"testing value {'/'.join(['', *path])} failed")
    return doc


_OPERATIONS: Mapping[str, Callable[[Any, list[str], Object], Any]] = {
    "add": lambda doc, path, operation: _inserted(doc, path, operation.get("value")),
    "remove": lambda doc, path, _: _changed(doc, path, _without),
    "replace": _replace,
    "move": _move,
    "copy": lambda doc, path, operation: _inserted(doc, path, _source(doc, operation)),
    "test": _test,
}


def _canonical(value: Any) -> bytes:
    """Equal for equal values, and different for 1, 1.0 and true."""
    return msgspec.json.encode(value, order="sorted")


def _tokens(pointer: str | None) -> list[str]:
    """The parts of a JSON pointer (RFC 6901), at least one."""
    start, *tokens = (pointer or "").split("/")
    if not tokens or start:
        raise InapplicablePatchError(f"{pointer} leads nowhere")
    if len(tokens) > DEPTH_MAX:
        raise InapplicablePatchError(TOO_DEEP)
    return [token.replace("~1", "/").replace("~0", "~") for token in tokens]


def _found(doc: Any, path: Sequence[str]) -> Any:
    for token in path:
        if isinstance(doc, Mapping):
            doc = doc.get(token, _ABSENT)
        elif isinstance(doc, list):
            doc = doc[_index(token, len(doc))]
        else:
            doc = _ABSENT
        if doc is _ABSENT:
            raise InapplicablePatchError(f"missing value at {token}")
    return doc


def _changed(doc: Any, path: Sequence[str], change: Callable[[Any, str], Any]) -> Any:
    """The document with what holds the last part of a path changed."""
    token, *rest = path
    if not rest:
        return change(doc, token)
    return _with(doc, token, _changed(_found(doc, [token]), rest, change))


def _inserted(doc: Any, path: Sequence[str], value: Any) -> Any:
    return _changed(doc, path, lambda holder, key: _added(holder, key, value))


def _added(holder: Any, key: str, value: Any) -> Any:
    if isinstance(holder, list):
        size = len(holder)
        at = size if key == "-" else _index(key, size + 1)
        return [*holder[:at], value, *holder[at:]]
    return _with(holder, key, value)


def _with(holder: Any, key: str, value: Any) -> Any:
    if isinstance(holder, Mapping):
        return {**holder, key: value}
    at = _index_in(holder, key)
    return [*holder[:at], value, *holder[at + 1 :]]


def _without(holder: Any, key: str) -> Any:
    if isinstance(holder, Mapping):
        if key not in holder:
            raise InapplicablePatchError(f"unable to remove nonexistent key: {key}")
        return {name: value for name, value in holder.items() if name != key}
    at = _index_in(holder, key)
    return [*holder[:at], *holder[at + 1 :]]


def _index_in(holder: Any, token: str) -> int:
    if not isinstance(holder, list):
        raise InapplicablePatchError(f"nothing can be at {token} of a value without parts")
    return _index(token, len(holder))


def _index(token: str, size: int) -> int:
    if not _INDEX.fullmatch(token) or len(token) > _INDEX_DIGITS_MAX:
        raise InapplicablePatchError(f"{token} is no index")
    at = int(token)
    if not -size <= at < size:
        raise InapplicablePatchError(f"there is no index {token}")
    return at % size


def merge_patched(live: Object, patch: Object) -> Object:
    """The object with a patch merged into it; what the patch doesn't touch is shared.

    Args:
        patch: values to set, by field; null takes a field away, an object is merged.
    """
    merged = dict(live)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping):
            old = merged.get(name)
            merged[name] = merge_patched(old if isinstance(old, Mapping) else {}, value)
        else:
            merged[name] = value
    return merged
