"""JSON patches (RFC 6902), with the deviations of the library in kube-apiserver v1.36.

A negative index counts from the end. A test for null also succeeds if the field is absent. The
object itself can't be added, replaced or removed. python-jsonpath's JSONPatch has none of this,
takes 1, 1.0 and true as equal, and copies the whole object first.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from podium.api.codec.text_decoder import TOO_DEEP, oddity
from podium.api.codec.yaml_text import DEPTH_MAX
from podium.api.objects import Object

COPIED_BYTES_MAX = 3 * 1024 * 1024
"""Size limit in bytes of the values that one patch copies, as JSON."""

_ABSENT = object()
_INDEX = re.compile(r"[+-]?[0-9]+", re.ASCII)
_INDEX_DIGITS_MAX = 10


class InapplicablePatchError(Exception):
    """An operation can't be applied to the object; the message says why."""


def json_patched(live: Object, operations: Sequence[Object]) -> Object:
    """Apply operations to an object, sharing the rest; raises InapplicablePatchError."""
    copied_bytes = 0
    for operation in operations:
        kind, path, value = operation.get("op"), operation.get("path"), operation.get("value")
        match kind:
            case "add" | "replace" | "remove":
                live = _edited(live, _tokens(path), kind, value)
            case "move":
                value = _source(live, operation)
                live = _edited(live, _tokens(operation.get("from")), "remove")
                live = _edited(live, _tokens(path), "add", value)
            case "copy":
                value = _source(live, operation)
                copied_bytes += len(_canonical(value))
                if copied_bytes > COPIED_BYTES_MAX:
                    raise InapplicablePatchError(f"more than {COPIED_BYTES_MAX} bytes are copied")
                live = _edited(live, _tokens(path), "add", value)
            case "test":
                *outer, last = _tokens(path)
                holder = _at(live, outer)
                current = holder.get(last) if isinstance(holder, Mapping) else _at(holder, [last])
                if _canonical(current) != _canonical(value):
                    raise InapplicablePatchError(f"testing value {path} failed")
            case _:
                raise InapplicablePatchError(f"Unexpected kind: {kind or 'unknown'}")
    if why := oddity(live):
        raise InapplicablePatchError(why)
    return live


def _source(doc: Any, operation: Object) -> Any:
    value = _at(doc, _tokens(operation.get("from")))
    if why := oddity(value):
        raise InapplicablePatchError(why)
    return value


def _canonical(value: Any) -> bytes:
    """Encode a value, equal for equal values only; 1, 1.0 and true differ."""
    return msgspec.json.encode(value, order="sorted")


def _tokens(pointer: str | None) -> list[str]:
    """Split a JSON pointer (RFC 6901) into its parts, of which there is at least one."""
    start, *tokens = (pointer or "").split("/")
    if not tokens or start:
        raise InapplicablePatchError(f"{pointer} leads nowhere")
    if len(tokens) > DEPTH_MAX:
        raise InapplicablePatchError(TOO_DEEP)
    return [token.replace("~1", "/").replace("~0", "~") for token in tokens]


def _at(doc: Any, path: Sequence[str]) -> Any:
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


def _edited(doc: Any, path: Sequence[str], edit: str, value: Any = None) -> Any:
    token, *rest = path
    if isinstance(doc, list):
        size = len(doc)
        if edit == "add" and not rest:
            at = size if token == "-" else _index(token, size + 1)
            return [*doc[:at], value, *doc[at:]]
        at = _index(token, size)
        if edit == "remove" and not rest:
            return [*doc[:at], *doc[at + 1 :]]
        return [*doc[:at], _edited(doc[at], rest, edit, value) if rest else value, *doc[at + 1 :]]
    if not isinstance(doc, Mapping):
        raise InapplicablePatchError(f"nothing can be at {token} of a value without parts")
    if token not in doc and (rest or edit != "add"):
        raise InapplicablePatchError(f"missing value at {token}")
    if edit == "remove" and not rest:
        return {name: part for name, part in doc.items() if name != token}
    return {**doc, token: _edited(doc[token], rest, edit, value) if rest else value}


def _index(token: str, size: int) -> int:
    if not _INDEX.fullmatch(token) or len(token) > _INDEX_DIGITS_MAX:
        raise InapplicablePatchError(f"{token} is no index")
    at = int(token)
    if not -size <= at < size:
        raise InapplicablePatchError(f"there is no index {token}")
    return at % size


def merge_patched(live: Object, patch: Object) -> Object:
    """Apply a merge patch, in which null removes a field; unchanged parts are shared."""
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
