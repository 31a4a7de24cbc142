"""What ordinary writes make of the ownership of fields.

A manager owns what it has changed, until somebody else changes it. Objects that nobody has tracked
from the beginning aren't tracked later, unless something is applied to them.

Source: the field managers of apimachinery, v1.36.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from podium.api.objects import Object, metadata_of
from podium.api.process.recent_values import Recent
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.patching.ownership.field_comparison import compare
from podium.apiserver.patching.ownership.field_sets import (
    FieldSet,
    difference,
    of_paths,
    to_fields_v1,
)
from podium.apiserver.patching.ownership.owners import (
    UPDATE,
    Manager,
    Owners,
    capped,
    given,
    read_owners,
    taken,
    write_owners,
    written_entry,
)
from podium.apiserver.patching.ownership.steps import UntypedError
from podium.apiserver.schema.custom import struct_for

_NOBODYS = (
    ("apiVersion",),
    ("kind",),
    ("metadata",),
    *(
        ("metadata", name)
        for name in (
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        )
    ),
)
_SERVERS_FIELDS = of_paths(_NOBODYS)
_NOBODYS_IN_METADATA = frozenset(path[1] for path in _NOBODYS if len(path) > 1)

# The objects of one workload differ in hardly more than their names: what the creator of one owns
# is told of the next by its content, an order of magnitude sooner than by taking it apart.
_KNOWN: Recent[tuple[str, str, str, bytes], Mapping[str, Any]] = Recent(1 << 10)
_CONTENT_BYTES_MAX = 1 << 13


def track(request: Attributes, before: Object | None, after: Object) -> Object:
    """An object about to be stored, with managedFields up to date; `before` is None if it's new."""
    owners = _owners_to_go_by(before, after, request.subresource)
    if not owners and before is not None:
        return with_owners(after, {})
    version, manager = request.kind.api_version, request.options.field_manager
    me = Manager(manager, UPDATE, request.subresource, version)
    try:
        if before is None and not owners:
            return _with_creator(request, after, me)
        updated = updated_owners(request, owners, before or {}, after, me)
    except UntypedError:
        # An entry of a list without its keys, for one, can't be said to be anybody's.
        return with_owners(after, owners)
    return with_owners(after, capped(updated))


def _with_creator(request: Attributes, obj: Object, me: Manager) -> Object:
    key = (request.kind.key, me.api_version, me.subresource, _content(obj))
    fields = _KNOWN.get(key)
    if fields is None:
        owners = updated_owners(request, {}, {}, obj, me)
        fields = to_fields_v1(owners[me].fields) if owners else {}
        if 0 < len(key[-1]) <= _CONTENT_BYTES_MAX:
            _KNOWN.put(key, fields)
    bare = unowned(obj)
    if not fields:
        return bare
    entry = written_entry(me, me.api_version, timestamp(request.now_s), fields)
    return {**bare, "metadata": {**metadata_of(bare), "managedFields": [entry]}}


def _content(obj: Object) -> bytes:
    metadata = metadata_of(obj)
    others = {name: one for name, one in metadata.items() if name not in _NOBODYS_IN_METADATA}
    try:
        return msgspec.json.encode({**obj, "metadata": others})
    except (OverflowError, ValueError):
        # An integer beyond 64 bits, or text that isn't Unicode.
        return b""


def updated_owners(
    request: Attributes, owners: Owners, before: Object, after: Object, me: Manager
) -> Owners:
    """The owners after an update; raises UntypedError."""
    struct = struct_for(request.kind, me.api_version)
    found = compare(unowned(before), unowned(after), struct).outside(reset_fields(request))
    owners = taken(taken(owners, found.changed), found.removed)
    return given(owners, me, owned_by_managers(found.changed), me.api_version, request.now_s)


def with_old_times(new: Object, old: Object) -> Object:
    """The old object if a write has changed no more than the times in its managedFields.

    Defaults and the like are filled in after the owners have been found, so that only then can be
    said whether anything has changed.
    """
    after, before = _managed_fields(new) or [], _managed_fields(old) or []
    if after == before or len(after) != len(before):
        return new
    timeless = [[{**entry, "time": None} for entry in found] for found in (after, before)]
    is_same = timeless[0] == timeless[1] and unowned(new) == unowned(old)
    return old if is_same else new


def reset_fields(request: Attributes) -> tuple[str, ...]:
    """The top-level fields that a write can't change, whatever it says."""
    if request.subresource == "status":
        return ("spec",)
    has_status = "status" in request.kind.subresources
    return ("status",) if has_status and not request.subresource else ()


def owned_by_managers(fields: FieldSet) -> FieldSet:
    """A set without the fields that the server itself writes, which have no owner."""
    return difference(fields, _SERVERS_FIELDS)


def unowned(obj: Object) -> Object:
    """An object without its managedFields."""
    metadata = obj.get("metadata")
    if not metadata or "managedFields" not in metadata:
        return obj
    rest = {name: value for name, value in metadata.items() if name != "managedFields"}
    return {**obj, "metadata": rest}


def with_owners(obj: Object, owners: Owners) -> Object:
    """An object with its owners as managedFields, or without the field if there are none."""
    bare = unowned(obj)
    if not owners:
        return bare
    metadata = metadata_of(bare)
    return {**bare, "metadata": {**metadata, "managedFields": write_owners(owners)}}


def _owners_to_go_by(before: Object | None, after: Object, subresource: str) -> Owners:
    """The owners as the request has them, if it has any, and otherwise as they are stored.

    A list of nothing, or of one empty entry, makes a new start.
    """
    sent = _managed_fields(after)
    if not subresource and sent is not None:
        if sent in ([], [{}]):
            return {}
        owners = read_owners(sent)
        if owners:
            return owners
    return read_owners((before and _managed_fields(before)) or []) or {}


def _managed_fields(obj: Object) -> list[Object] | None:
    found: list[Object] | None = metadata_of(obj).get("managedFields")
    return found
