"""JSON patches (RFC 6902), with the deviations of the library in kube-apiserver v1.36.

A negative index counts from the end. A test for null also succeeds if the field is absent. The
root of the document (path `""`) can't be added, replaced or removed. python-jsonpath's JSONPatch
isn't used: it lacks these deviations, considers 1, 1.0 and true equal, and copies the object.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from podium.api.codec.text_decoder import oddity
from podium.api.codec.yaml_text import DEPTH_MAX
from podium.api.objects import Object
from podium.apiserver.refusals import inapplicable

COPIED_BYTES_MAX = 3 * 1024 * 1024
_ABSENT = object()
_INDEX = re.compile(r"[+-]?[0-9]+", re.ASCII)
_INDEX_DIGITS_MAX = 10


def json_patched(live: Object, operations: Sequence[Object]) -> Object:
    """Apply operations to an object; unchanged parts are shared; raises RefusedError (422)."""
    copied_bytes = 0
    for operation in operations:
        kind, path, value = operation.get("op"), operation.get("path"), operation.get("value")
        match kind:
            case "add" | "replace" | "remove":
                live = _edited(live, _tokens(path), kind, value)
            case "move" | "copy":
                origin = _tokens(operation.get("from"))
                value = _at(live, origin)
                if oddity(value):
                    raise inapplicable()
                if kind == "move":
                    live = _edited(live, origin, "remove")
                else:
                    copied_bytes += len(_canonical(value))
                if copied_bytes > COPIED_BYTES_MAX:
                    raise inapplicable()
                live = _edited(live, _tokens(path), "add", value)
            case "test":
                *outer, last = _tokens(path)
                holder = _at(live, outer)
                current = holder.get(last) if isinstance(holder, Mapping) else _at(holder, [last])
                if _canonical(current) != _canonical(value):
                    raise inapplicable()
            case _:
                raise inapplicable()
    if oddity(live):
        raise inapplicable()
    return live


def _canonical(value: Any) -> bytes:
    """Encode a value so that equal values have equal encodings; 1, 1.0 and true differ."""
    return msgspec.json.encode(value, order="sorted")


def _tokens(pointer: str | None) -> list[str]:
    """Split a JSON pointer (RFC 6901) into its tokens, of which there must be at least one."""
    start, *tokens = (pointer or "").split("/")
    if not tokens or start or len(tokens) > DEPTH_MAX:
        raise inapplicable()
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
            raise inapplicable()
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
    if not isinstance(doc, Mapping) or (token not in doc and (rest or edit != "add")):
        raise inapplicable()
    if edit == "remove" and not rest:
        return {name: part for name, part in doc.items() if name != token}
    return {**doc, token: _edited(doc[token], rest, edit, value) if rest else value}


def _index(token: str, size: int) -> int:
    is_short = _INDEX.fullmatch(token) and len(token) <= _INDEX_DIGITS_MAX
    at = int(token) if is_short else size
    if not -size <= at < size:
        raise inapplicable()
    return at % size


def merge_patched(live: Object, patch: Object) -> Object:
    """Apply a JSON merge patch, in which null removes a field; unchanged parts are shared."""
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
