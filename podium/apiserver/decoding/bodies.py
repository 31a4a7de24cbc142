"""Decoding of bodies of requests: objects of the requested kind, and patches."""

from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Any

import msgspec

from podium.api.codec import text_decoder
from podium.api.errors import FieldError, RefusedError, StatusCause, quoted
from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.apiserver.decoding.type_checker import Checker, DecodingError, unexpected
from podium.apiserver.decoding.typed import STRICT, WARN, DecodedObject, typed
from podium.apiserver.protobuf.messages import MalformedMessageError, read_protobuf
from podium.apiserver.refusals import bad_request, entity_too_large, invalid
from podium.apiserver.schema.model import SCALARS, Field, ListOf, Struct
from podium.apiserver.schema.struct_types import DELETE_OPTIONS, struct_of

JSON = "application/json"
PROTOBUF = "application/vnd.kubernetes.protobuf"

_NO_HEADER = "couldn't get version/kind; json parse error: "
_SHOWN_BYTES = 30


class _Wanted(msgspec.Struct, frozen=True):
    kind: Kind
    api_version: str
    body: bytes

    def unrecognized(self, why: str) -> RefusedError:
        """Return the refusal of a body whose kind can't be determined."""
        start, more = self.body[:_SHOWN_BYTES], " ..." if len(self.body) > _SHOWN_BYTES else ""
        text = start.decode("utf-8", "replace") if start.startswith(b"{") else start.hex()
        shown = f"{text}{more}" if start else "<empty>"
        what = f"the object provided is unrecognized (must be of type {self.kind.name})"
        return self._refusal(why, f"{what}: {why} ({shown})")

    def unfit(self, kind: str, api_version: str, why: str, field: str = "") -> RefusedError:
        """Return the refusal of an object because of its kind, version or another field."""
        version = api_version.rpartition("/")[2]
        what = f'{kind} in version "{version}" cannot be handled as a {self.kind.name}'
        return self._refusal(why, f"{what}: {why}", field)

    def _refusal(self, why: str, message: str, field: str = "") -> RefusedError:
        causes = (StatusCause("FieldValueInvalid", why, field),) if field else ()
        shown = why if self.kind is DELETE_OPTIONS else message
        return RefusedError(400, "BadRequest", shown, causes=causes)


def decode(
    body: bytes, media_type: str, kind: Kind, *, api_version: str = "", field_validation: str = WARN
) -> DecodedObject:
    """Decode the body of a request into an object of a kind; raises RefusedError.

    Args:
        api_version: requested version; empty for the kind's own.
        field_validation: treatment of unknown and repeated fields: `Strict` refuses them, `Warn`
            warns about them, `Ignore` drops them.
    """
    wanted = _Wanted(kind, api_version or kind.api_version, body)
    value = text_decoder.read_quickly(body) if media_type == JSON else None
    header = (wanted.api_version, kind.name)
    if type(value) is dict and (value.get("apiVersion"), value.get("kind")) == header:
        # Mostly there is nothing to say about an object.
        with suppress(DecodingError):
            found, strange = typed(kind, value, wanted.api_version)
            if not strange:
                return DecodedObject(found)
    value, repeated = _read(wanted, media_type)
    sent_version, sent_kind = sent = _header(value, wanted)
    try:
        if isinstance(kind, CustomKind) and sent == header:
            found, strange = typed(kind, value)
        else:
            # Clients send options of deletions in the version of the object that they delete.
            is_options = kind is DELETE_OPTIONS and sent_kind == kind.name
            struct = struct_of(
                DELETE_OPTIONS.api_version if is_options else sent_version, sent_kind
            )
            if struct is None or (kind is DELETE_OPTIONS and not is_options):
                what = f"no kind {quoted(sent_kind)} is registered"
                why = f"{what} for version {quoted(sent_version)}"
                raise wanted.unfit(sent_kind, sent_version, why)
            checker = Checker()
            found = checker.check(value, struct)
            strange = checker.strict
    except DecodingError as fault:
        raise wanted.unfit(sent_kind, sent_version, str(fault), fault.field) from None
    if field_validation == STRICT and (repeated or strange):
        faults = ", ".join((*repeated, *strange))
        raise wanted.unfit(sent_kind, sent_version, f"strict decoding error: {faults}")
    if kind is not DELETE_OPTIONS and sent_kind != kind.name:
        problem = f"kind: expected {kind.name}, got {sent_kind} of {sent_version}"
        raise wanted.unfit(sent_kind, sent_version, problem)
    # A subresource may take bodies of several versions, as `eviction` does.
    group, _, version = sent_version.rpartition("/")
    serves_both = group == kind.group and (group, version) in kind.also
    if kind is not DELETE_OPTIONS and sent_version != wanted.api_version and not serves_both:
        given, expected = f"({sent_version})", f"({wanted.api_version})"
        message = "does not match the expected API version"
        raise bad_request(f"the API version in the data {given} {message} {expected}")
    obj = {**text_decoder.plain(found), "apiVersion": sent_version, "kind": sent_kind}
    return DecodedObject(obj, (*repeated, *strange) if field_validation == WARN else ())


def _read(wanted: _Wanted, media_type: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    value: Any = None
    repeated: tuple[str, ...] = ()
    try:
        if media_type == JSON:
            value = text_decoder.read_json(wanted.body)
        elif media_type == PROTOBUF:
            value = read_protobuf(wanted.body)
        else:
            value, repeated = text_decoder.read_yaml_body(wanted.body)
    except (text_decoder.UnreadableTextError, MalformedMessageError) as fault:
        why = f"{_NO_HEADER}{fault}" if media_type == JSON else str(fault)
        raise wanted.unrecognized(why) from None
    if value is not None and not isinstance(value, dict):
        raise wanted.unrecognized(_NO_HEADER + unexpected(value, "an object"))
    return value or {}, repeated


def _header(value: dict[str, Any], wanted: _Wanted) -> tuple[str, str]:
    """Return the apiVersion and kind of an object; if absent, those of the request."""
    header = {}
    for field in ("apiVersion", "kind"):
        text = value.get(field) or ""
        if not isinstance(text, str):
            raise wanted.unrecognized(f"{_NO_HEADER}{field}: {unexpected(text, 'a string')}")
        header[field] = text
    if header["apiVersion"].count("/") > 1:
        raise wanted.unrecognized(f"unexpected GroupVersion string: {header['apiVersion']}")
    return header["apiVersion"] or wanted.api_version, header["kind"] or wanted.kind.name


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

    `field_validation` is the treatment of repeated fields, and of unknown fields in operations of a
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
