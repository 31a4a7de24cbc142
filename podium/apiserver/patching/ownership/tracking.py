"""What ordinary writes make of the ownership of fields.

A manager owns what it has changed, until somebody else changes it. Objects that nobody has tracked
from the beginning aren't tracked later, unless something is applied to them.

Source: the field managers of apimachinery, v1.36.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.kinds import Kind
from podium.apiserver.patching.ownership.comparing import compare
from podium.apiserver.patching.ownership.field_sets import FieldSet, difference, of_paths
from podium.apiserver.patching.ownership.owners import (
    UPDATE,
    Manager,
    Owners,
    capped,
    given,
    read_owners,
    taken,
    write_owners,
)
from podium.apiserver.patching.ownership.steps import Untyped
from podium.apiserver.schema import Struct, struct_of

Object = Mapping[str, Any]

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


def track(
    kind: Kind,
    before: Object | None,
    after: Object,
    *,
    manager: str,
    now_s: float,
    api_version: str = "",
    subresource: str = "",
) -> Object:
    """An object that is about to be stored, with its managedFields brought up to date.

    Args:
        kind: the object's kind.
        before: as it is stored; None if it is new.
        after: as it will be, with the managedFields that the request had in it, if any.
        manager: who writes.
        now_s: the time, in seconds since the epoch.
        api_version: the version of both, where the kind is served in several; empty for its own.
        subresource: through which it is written, such as `status`; empty for the object itself.
    """
    api_version = api_version or kind.api_version
    owners = _owners_to_go_by(before, after, subresource)
    if not owners and before is not None:
        return with_owners(after, {})
    struct = struct_of(api_version, kind.name)
    assert struct is not None
    me = Manager(manager, UPDATE, subresource, api_version)
    try:
        updated = updated_owners(owners, before or {}, after, struct, me, kind, now_s)
    except Untyped:
        # An entry of a list without its keys, for one, can't be said to be anybody's.
        return with_owners(after, owners)
    return with_owners(after, capped(updated))


def updated_owners(
    owners: Owners,
    before: Object,
    after: Object,
    struct: Struct,
    me: Manager,
    kind: Kind,
    now_s: float,
) -> Owners:
    """The owners after an update; raises Untyped."""
    found = compare(unowned(before), unowned(after), struct)
    found = found.outside(reset_fields(kind, me.subresource))
    owners = taken(taken(owners, found.changed), found.removed)
    return given(owners, me, owned_by_managers(found.changed), me.api_version, now_s)


def reset_fields(kind: Kind, subresource: str) -> tuple[str, ...]:
    """The top-level fields that a write can't change, whatever it says."""
    if subresource == "status":
        return ("spec",)
    return ("status",) if not subresource and "status" in kind.subresources else ()


def owned_by_managers(fields: FieldSet) -> FieldSet:
    """A set without what the server itself writes, which is nobody's."""
    return difference(fields, _SERVERS_FIELDS)


def unowned(obj: Object) -> Object:
    """An object without its managedFields."""
    metadata = obj.get("metadata")
    if not metadata or "managedFields" not in metadata:
        return obj
    rest = {name: value for name, value in metadata.items() if name != "managedFields"}
    return {**obj, "metadata": rest}


def with_owners(obj: Object, owners: Owners) -> Object:
    """An object with managedFields that tell of its owners; without, if there are none."""
    bare = unowned(obj)
    if not owners:
        return bare
    metadata = bare.get("metadata") or {}
    return {**bare, "metadata": {**metadata, "managedFields": write_owners(owners)}}


def _owners_to_go_by(before: Object | None, after: Object, subresource: str) -> Owners:
    """The owners as the request has them, if it has any, and otherwise as they are stored.

    A list of nothing, or of one empty entry, makes a new start.
    """
    stored = _managed_fields(before or {})
    sent = _managed_fields(after)
    if not subresource and sent is not None:
        if sent in ([], [{}]):
            return {}
        owners = read_owners(sent)
        if owners:
            return owners
    return read_owners(stored or []) or {}


def _managed_fields(obj: Object) -> list[Object] | None:
    found: list[Object] | None = (obj.get("metadata") or {}).get("managedFields")
    return found
