"""Decoding of patches, and their validation as far as possible without the patched object."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from podium.api.codec import text_decoder
from podium.api.errors import FieldError
from podium.apiserver.decoding.type_checker import Checker, DecodingError, unexpected
from podium.apiserver.decoding.typed import STRICT, WARN, DecodedObject
from podium.apiserver.refusals import bad_request, entity_too_large, invalid
from podium.apiserver.schema import SCALARS, Field, ListOf, Struct

OPERATIONS_MAX = 10_000

_STRING = Field(SCALARS["string"])
_OPERATION_FIELDS = {
    "op": _STRING,
    "path": _STRING,
    "from": _STRING,
    "value": Field(SCALARS["any"]),
}
_OPERATIONS = ListOf(Struct("JSONPatchOperation", False, lambda: _OPERATION_FIELDS))


class PatchType(StrEnum):
    """The media types of patches."""

    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    APPLY = "application/apply-patch+yaml"


def decode_patch(body: bytes, patch_type: str, *, field_validation: str = WARN) -> DecodedObject:
    """Decode a patch: a JSON patch into operations, others into an object; raises RefusedError.

    Args:
        field_validation: treatment of repeated fields, and of unknown fields in operations of a
            JSON patch: `Strict`, `Warn` or `Ignore`.
    """
    if patch_type == PatchType.APPLY:
        return _configuration(body, field_validation)
    prefix = "" if patch_type == PatchType.STRATEGIC else "error decoding patch: "
    value = text_decoder.read_quickly(body)
    if value is None:
        try:
            value = text_decoder.read_json(body)
        except text_decoder.UnreadableTextError as fault:
            raise bad_request(f"{prefix}{fault}") from None
    if why := text_decoder.oddity(value):
        raise bad_request(f"{prefix}{why}")
    if patch_type == PatchType.JSON:
        checker = Checker()
        try:
            checker.check(value, _OPERATIONS)
        except DecodingError as fault:
            raise bad_request(f"{prefix}{fault}") from None
        # A null operation is an empty one.
        patch: Any = [operation or {} for operation in text_decoder.plain(value) or []]
        if len(patch) > OPERATIONS_MAX:
            most = f"The allowed maximum operations in a JSON patch is {OPERATIONS_MAX}"
            raise entity_too_large(f"{most}, got {len(patch)}")
        faults = tuple(f"json patch {fault}" for fault in checker.strict)
    else:
        if value is not None and not isinstance(value, Mapping):
            raise bad_request(f"{prefix}{unexpected(value, 'an object')}")
        repeated = dict.fromkeys(text_decoder.repeated_keys(value))
        faults = tuple(f'duplicate field "{path[1:]}"' for path in repeated)
        patch = text_decoder.plain(value) or {}
    if faults and field_validation == STRICT:
        message = f"strict decoding error: {', '.join(faults)}"
        raise invalid("", [FieldError("patch", patch, message)], "")
    return DecodedObject(patch, faults if field_validation == WARN else ())


def _configuration(body: bytes, field_validation: str) -> DecodedObject:
    """Decode the body of a server-side apply, which is YAML or JSON."""
    repeated: tuple[str, ...] = ()
    value = text_decoder.read_quickly(body)
    if value is None:
        try:
            value, repeated = text_decoder.read_yaml_body(body)
        except text_decoder.UnreadableTextError as fault:
            raise bad_request(f"error decoding YAML: {fault}") from None
    if value is not None and not isinstance(value, Mapping):
        raise bad_request(f"error decoding YAML: {unexpected(value, 'an object')}")
    if why := text_decoder.oddity(value):
        raise bad_request(f"error decoding YAML: {why}")
    if repeated and field_validation == STRICT:
        raise bad_request(f"error strict decoding YAML: {', '.join(repeated)}")
    return DecodedObject(value or {}, repeated if field_validation == WARN else ())
