"""Conversion of objects and lists to the negotiated form."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, metadata_of
from podium.apiserver.kinds.tables.columns import column_definitions, row_of
from podium.apiserver.refusals import bad_request, not_acceptable
from podium.apiserver.registry import shown_version
from podium.apiserver.requests.negotiation import META_GROUP, PARTIAL, PARTIAL_LIST, Output
from podium.apiserver.store.kind_index import Page
from podium.apiserver.verbs.reading import WatchStream

Event = Mapping[str, Any]

_TYPE_FIELDS = ("kind", "apiVersion")
# The part of the object that a row of a table contains.
_NONE, _METADATA, _OBJECT = "None", "Metadata", "Object"


class Form(msgspec.Struct, frozen=True):
    """The form in which a response shows objects of a kind: whole, as a table, or metadata only."""

    output: Output
    kind: Kind
    api_version: str
    include: str = _METADATA

    @property
    def meta_api_version(self) -> str:
        """The `apiVersion` of tables and of partial metadata."""
        return f"{META_GROUP}/{self.output.meta_version}"


def included(text: str) -> str:
    """Return which part of objects table rows have (`includeObject`); raises RefusedError (400)."""
    if text in ("", _NONE, _METADATA, _OBJECT):
        return text or _METADATA
    rule = "must be 'Metadata', 'Object', 'None', or empty"
    fault = f'includeObject: Invalid value: "{text}": {rule}'
    raise bad_request(f"Unable to convert to Table as requested: {fault}")


def shown(form: Form, obj: Object, now_s: float, *, headers: bool = True) -> Object:
    """Return an object in a form; table ages are as of `now_s`; raises RefusedError (406)."""
    if obj.get("kind") == "Status":
        return obj
    match form.output.shape:
        case "":
            return _typed(obj, form)
        case "Table":
            version = metadata_of(obj).get("resourceVersion")
            metadata = {"resourceVersion": version} if version else {}
            return _table(form, [obj], metadata, now_s, headers=headers)
        case "PartialObjectMetadata":
            return _bare(obj, form)
    wanted = f"you requested {PARTIAL_LIST}, but the requested object is not a list"
    raise not_acceptable(f"{wanted} ({form.kind.name})")


def shown_list(form: Form, page: Page, now_s: float) -> Object:
    """Return a list in a form; table ages are as of `now_s`; raises RefusedError (406)."""
    metadata: dict[str, Any] = {"resourceVersion": page.resource_version}
    if page.continue_token:
        metadata["continue"] = page.continue_token
    if page.remaining is not None:
        metadata["remainingItemCount"] = page.remaining
    kind, version = form.kind.list_kind, form.api_version
    match form.output.shape:
        case "":
            items = [_untyped(obj, form) for obj in page.items]
        case "Table":
            return _table(form, page.items, metadata, now_s)
        case "PartialObjectMetadataList":
            kind, version = PARTIAL_LIST, form.meta_api_version
            items = [_bare(obj, form) for obj in page.items]
        case _:
            raise not_acceptable(
                f"you requested {PARTIAL}, but the requested object is a list ({kind})"
            )
    return {"kind": kind, "apiVersion": version, "metadata": metadata, "items": items}


def _table(
    form: Form, objects: Iterable[Object], metadata: Object, now_s: float, *, headers: bool = True
) -> Object:
    carried = {_NONE: lambda _, __: None, _METADATA: _bare, _OBJECT: _typed}[form.include]
    return {
        "kind": "Table",
        "apiVersion": form.meta_api_version,
        "metadata": metadata,
        "columnDefinitions": column_definitions(form.kind) if headers else [],
        "rows": [
            {**row_of(form.kind, obj, now_s), "object": carried(obj, form)} for obj in objects
        ],
    }


def _typed(obj: Object, form: Form) -> dict[str, Any]:
    return {"kind": form.kind.name, "apiVersion": form.api_version, **_untyped(obj, form)}


def _untyped(obj: Object, form: Form) -> dict[str, Any]:
    shown_obj = shown_version(form.kind, obj, form.api_version)
    return {field: value for field, value in shown_obj.items() if field not in _TYPE_FIELDS}


def _bare(obj: Object, form: Form) -> dict[str, Any]:
    return {"kind": PARTIAL, "apiVersion": form.meta_api_version, "metadata": metadata_of(obj)}


class Watching:
    """A started watch, as the body of a response."""

    def __init__(self, stream: WatchStream, form: Form, timeout_s: int | None) -> None:
        self.stream = stream
        """The events; the server closes the stream at the end of the watch."""
        self.timeout_s = timeout_s
        """Seconds until the watch ends; None for the server's default."""
        self.form = form
        self._needs_headers = True

    def shown(self, event: Event, now_s: float) -> Event:
        """Return an event with its object in the watch's form; table ages are as of `now_s`."""
        headers, self._needs_headers = self._needs_headers, False
        obj = shown(self.form, event["object"], now_s, headers=headers)
        return {"type": event["type"], "object": obj}
