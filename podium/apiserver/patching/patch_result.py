"""Application of patches other than server-side apply, and validation of the results."""

from contextlib import suppress
from typing import Any, NoReturn

import msgspec

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.apiserver.decoding import STRICT, WARN, DecodedObject, PatchType
from podium.apiserver.decoding.type_checker import DecodingError
from podium.apiserver.decoding.typed import typed
from podium.apiserver.patching.json_patch import json_patched, merge_patched
from podium.apiserver.patching.strategic import merged_object
from podium.apiserver.refusals import invalid
from podium.apiserver.schema import struct_of
from podium.apiserver.schema.custom import struct_for


class PatchRequest(msgspec.Struct, frozen=True):
    """A patch from a client.

    Attributes:
        patch_type: media type of the patch.
        body: decoded patch: a list for a JSON patch, otherwise an object.
        api_version: version of the patch; empty for the kind's own.
        field_validation: `Strict`, `Warn` or `Ignore`; None for no validation, as for patches by
            Podium's own components.
    """

    patch_type: str
    body: Any
    api_version: str = ""
    field_validation: str | None = None


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
