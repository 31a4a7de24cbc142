"""Application of patches other than server-side apply, and validation of the results.

JSON patches (RFC 6902) have the deviations of the library in kube-apiserver v1.36: a negative index
counts from the end, a test for null also succeeds if the field is absent, and the root of the
document (path `""`) can't be added, replaced or removed. python-jsonpath's JSONPatch isn't used: it
lacks these deviations, considers 1, 1.0 and true equal, and copies the object.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import msgspec

from podium.api.codec.text_decoder import oddity
from podium.api.codec.yaml_text import DEPTH_MAX
from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.decoding.type_checker import DecodingError
from podium.apiserver.decoding.typed import STRICT, WARN, DecodedObject, typed
from podium.apiserver.patching.strategic import merged_object
from podium.apiserver.refusals import inapplicable, invalid
from podium.apiserver.schema.custom import struct_for
from podium.apiserver.schema.struct_types import struct_of

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


class PatchRequest(msgspec.Struct, frozen=True):
    """A patch from a client."""

    patch_type: str
    """Media type of the patch."""
    body: Any
    """Decoded patch: a list for a JSON patch, otherwise an object."""
    api_version: str = ""
    """Version of the patch; empty for the kind's own."""
    field_validation: str | None = None
    """`Strict`, `Warn` or `Ignore`; None for no validation, as for patches by Podium's own
    components."""


def apply_patch(kind: Kind, current: Object, patch: PatchRequest) -> DecodedObject:
    """Patch an object; unchanged parts are shared with the given object; raises RefusedError.

    The result is neither defaulted nor validated; the caller has to check its name, uid and
    resourceVersion.
    """
    api_version = patch.api_version or kind.api_version
    body, field_validation = patch.body, patch.field_validation
    struct = struct_for(kind, api_version)
    if patch.patch_type == PatchType.STRATEGIC:
        obj = merged_object(current, body, struct)
    elif patch.patch_type == PatchType.MERGE:
        obj = merge_patched(current, body)
    else:
        obj = json_patched(current, body)
    if field_validation is None:
        return DecodedObject(obj)
    if patch.patch_type == PatchType.STRATEGIC:
        obj = {**obj, "apiVersion": api_version, "kind": kind.name}
        shown = msgspec.json.encode(body).decode()
    else:
        shown = msgspec.json.encode(obj).decode()
        version, name = obj.get("apiVersion"), obj.get("kind")
        if (version, name) != (api_version, kind.name):
            why = f"unable to decode {version}, Kind={name} into {kind.name}"
            if not isinstance(name, str) or not name:
                why = f"Object 'Kind' is missing in '{shown}'"
            elif not isinstance(version, str) or struct_of(version, name) is None:
                why = f'no kind "{name}" is registered for version "{version}"'
            _refuse(shown, why)
    try:
        stored, unknown = typed(kind, obj, api_version)
    except DecodingError as fault:
        _refuse(shown, str(fault))
    if unknown:
        # Unknown fields that the object had before the patch cause no warnings.
        before: tuple[str, ...] = ()
        with suppress(DecodingError):
            _, before = typed(kind, current, api_version)
        unknown = tuple(fault for fault in unknown if fault not in before)
    if unknown and field_validation == STRICT:
        _refuse(shown, f"strict decoding error: {', '.join(unknown)}")
    return DecodedObject(stored, unknown if field_validation == WARN else ())


def _refuse(shown: str, why: str) -> NoReturn:
    raise invalid("", [FieldError("patch", shown, why)], "")
