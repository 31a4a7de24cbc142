"""The body of a request as an object of the kind that the request is about."""

from contextlib import suppress
from typing import Any

import msgspec

from podium.api.codec.text_decoder import (
    UnreadableTextError,
    plain,
    read_json,
    read_quickly,
    read_yaml_body,
)
from podium.api.errors import quoted
from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.refused import RefusedError, StatusCause
from podium.apiserver.decoding.type_checker import Checker, DecodingError, unexpected
from podium.apiserver.decoding.typed import STRICT, WARN, DecodedObject, typed
from podium.apiserver.protobuf import read_protobuf
from podium.apiserver.protobuf.wire import MalformedMessageError
from podium.apiserver.refusals import bad_request
from podium.apiserver.schema import struct_of
from podium.apiserver.schema.model import Struct
from podium.apiserver.schema.struct_types import DELETE_OPTIONS

JSON = "application/json"
PROTOBUF = "application/vnd.kubernetes.protobuf"

_UNTOLD = "couldn't get version/kind; json parse error: "
_SHOWN_BYTES = 30


class _Wanted(msgspec.Struct, frozen=True):
    kind: Kind
    api_version: str
    body: bytes

    def unrecognized(self, why: str) -> RefusedError:
        """The refusal of a body that doesn't say, legibly, of which kind it is."""
        start, more = self.body[:_SHOWN_BYTES], " ..." if len(self.body) > _SHOWN_BYTES else ""
        text = start.decode("utf-8", "replace") if start.startswith(b"{") else start.hex()
        shown = f"{text}{more}" if start else "<empty>"
        what = f"the object provided is unrecognized (must be of type {self.kind.name})"
        return self._refusal(why, f"{what}: {why} ({shown})")

    def unfit(self, kind: str, api_version: str, why: str, field: str = "") -> RefusedError:
        """The refusal of an object of some kind and version, because of one of its fields."""
        version = api_version.rpartition("/")[2]
        what = f'{kind} in version "{version}" cannot be handled as a {self.kind.name}'
        return self._refusal(why, f"{what}: {why}", field)

    def _refusal(self, why: str, message: str, field: str = "") -> RefusedError:
        causes = (StatusCause("FieldValueInvalid", why, field),) if field else ()
        told = why if self.kind is DELETE_OPTIONS else message
        return RefusedError(400, "BadRequest", told, causes=causes)


def decode(
    body: bytes,
    media_type: str,
    kind: Kind,
    *,
    api_version: str = "",
    field_validation: str = WARN,
) -> DecodedObject:
    """Read an object; raises RefusedError if it can't be read, or not as one of the kind.

    Args:
        media_type: `application/json`, `application/yaml`, or that of Protobuf.
        api_version: the version that the request is about; empty for the kind's own.
        field_validation: how unknown and repeated fields are treated: `Strict` refuses them,
            `Warn` warns of them, `Ignore` leaves them out without a word.
    """
    wanted = _Wanted(kind, api_version or kind.api_version, body)
    value = read_quickly(body) if media_type == JSON else None
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
            checker = Checker()
            found = checker.check(value, _struct(wanted, *sent))
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
    obj = {**plain(found), "apiVersion": sent_version, "kind": sent_kind}
    return DecodedObject(obj, (*repeated, *strange) if field_validation == WARN else ())


def _read(wanted: _Wanted, media_type: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    value: Any = None
    repeated: tuple[str, ...] = ()
    try:
        if media_type == JSON:
            value = read_json(wanted.body)
        elif media_type == PROTOBUF:
            value = read_protobuf(wanted.body)
        else:
            value, repeated = read_yaml_body(wanted.body)
    except (UnreadableTextError, MalformedMessageError) as fault:
        raise wanted.unrecognized(
            f"{_UNTOLD}{fault}" if media_type == JSON else str(fault)
        ) from None
    if value is not None and not isinstance(value, dict):
        raise wanted.unrecognized(_UNTOLD + unexpected(value, "an object"))
    return value or {}, repeated


def _header(value: dict[str, Any], wanted: _Wanted) -> tuple[str, str]:
    """The apiVersion and kind of an object; what it doesn't say is taken from the request."""
    said = {}
    for field in ("apiVersion", "kind"):
        text = value.get(field) or ""
        if not isinstance(text, str):
            raise wanted.unrecognized(f"{_UNTOLD}{field}: {unexpected(text, 'a string')}")
        said[field] = text
    if said["apiVersion"].count("/") > 1:
        raise wanted.unrecognized(f"unexpected GroupVersion string: {said['apiVersion']}")
    return said["apiVersion"] or wanted.api_version, said["kind"] or wanted.kind.name


def _struct(wanted: _Wanted, api_version: str, kind: str) -> Struct:
    if wanted.kind is DELETE_OPTIONS:
        # Clients send them in the version of whatever they delete.
        known = struct_of(DELETE_OPTIONS.api_version, kind)
        struct = known if kind == DELETE_OPTIONS.name else None
    else:
        struct = struct_of(api_version, kind)
    if struct is None:
        problem = f"no kind {quoted(kind)} is registered for version {quoted(api_version)}"
        raise wanted.unfit(kind, api_version, problem)
    return struct
