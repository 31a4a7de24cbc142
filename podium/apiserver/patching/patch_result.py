"""One patch of any of the three kinds that need no owner: carried out, and its result checked."""

from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

import msgspec

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.api.refused import RefusedError
from podium.apiserver.decoding import STRICT, WARN, PatchType
from podium.apiserver.decoding.type_checker import DecodingError
from podium.apiserver.decoding.typed import typed
from podium.apiserver.patching.json_patch import InapplicablePatchError, json_patched, merge_patched
from podium.apiserver.patching.strategic import merged_object
from podium.apiserver.refusals import invalid
from podium.apiserver.schema import struct_of
from podium.apiserver.schema.custom import struct_for

_UNPROCESSABLE = "the server rejected our request due to an error in our request"


class Patched(NamedTuple):
    """The object after a patch, and warnings for the client."""

    obj: Object
    warnings: tuple[str, ...] = ()


def apply_patch(
    kind: Kind,
    current: Object,
    patch_type: str,
    body: Any,
    *,
    api_version: str = "",
    field_validation: str | None = None,
) -> Patched:
    """Patch an object; what the patch doesn't touch is shared with it.

    The result is neither defaulted nor validated. Whether it may have the name, the uid or the
    resourceVersion that the patch gave it is for the caller to judge.

    Args:
        patch_type: one of `PatchType`, but `APPLY`, for which there is `apply_configuration`.
        body: the patch, as `decode_patch` gives it.
        api_version: that of object and patch, where the kind is served in several; empty for its
            own.
        field_validation: how fields of the patch that the kind doesn't have are treated; None for a
            patch of Podium's own machines, whose types aren't checked either.

    Raises:
        RefusedError: the patch can't be applied, or what comes out isn't an object of the kind.
    """
    api_version = api_version or kind.api_version
    struct = struct_for(kind, api_version)
    if patch_type == PatchType.STRATEGIC:
        obj = merged_object(current, body, struct)
    elif patch_type == PatchType.MERGE:
        obj = merge_patched(current, body)
    else:
        try:
            obj = json_patched(current, body)
        except InapplicablePatchError:
            raise RefusedError(422, "Invalid", _UNPROCESSABLE) from None
    if field_validation is None:
        return Patched(obj)
    if patch_type == PatchType.STRATEGIC:
        obj = {**obj, "apiVersion": api_version, "kind": kind.name}
        shown = msgspec.json.encode(body).decode()
    else:
        shown = msgspec.json.encode(obj).decode()
        _check_header(kind, api_version, obj, shown)
    try:
        found, strange = typed(kind, obj, api_version)
    except DecodingError as fault:
        _refuse(shown, str(fault))
    if strange:
        # Nobody is warned of the unknown fields that were there before the patch.
        before: tuple[str, ...] = ()
        with suppress(DecodingError):
            _, before = typed(kind, current, api_version)
        strange = tuple(fault for fault in strange if fault not in before)
    if strange and field_validation == STRICT:
        _refuse(shown, f"strict decoding error: {', '.join(strange)}")
    return Patched(found, strange if field_validation == WARN else ())


def _check_header(kind: Kind, api_version: str, obj: Object, shown: str) -> None:
    version, name = obj.get("apiVersion"), obj.get("kind")
    if (version, name) == (api_version, kind.name):
        return
    if not isinstance(name, str) or not name:
        _refuse(shown, f"Object 'Kind' is missing in '{shown}'")
    if not isinstance(version, str) or struct_of(version, name) is None:
        _refuse(shown, f'no kind "{name}" is registered for version "{version}"')
    _refuse(shown, f"unable to decode {version}, Kind={name} into {kind.name}")


def _refuse(shown: str, why: str) -> NoReturn:
    raise invalid("", [FieldError("patch", shown, why)], "")
