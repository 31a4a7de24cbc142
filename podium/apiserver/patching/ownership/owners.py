"""The managers that own the fields of an object, as recorded in its managedFields.

A manager owns the fields that it has changed, until another manager changes them. Objects without
managedFields stay untracked until server-side apply.

Source: the field managers of apimachinery, v1.36.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.api.errors import quoted
from podium.api.objects import Object, metadata_of, part
from podium.api.values.times import TimeError, parse_time, timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.memories import Memory, key_of
from podium.apiserver.patching.ownership import field_sets
from podium.apiserver.patching.ownership.field_sets import LEAF, SELF, FieldSet
from podium.apiserver.patching.ownership.typed_values import UntypedError, compare
from podium.apiserver.schema.custom import struct_for

APPLY, UPDATE = "Apply", "Update"

# The most managers of updates; beyond that, the oldest ones are merged.
_UPDATERS_MAX = 10
_OLD_UPDATERS = "ancient-changes"
_FIELDS_TYPE = "FieldsV1"

# Fields that the server writes have no owner.
_SERVERS_METADATA = frozenset(
    {
        *("name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName"),
        *("generation", "managedFields", "resourceVersion"),
    }
)
_SERVERS_FIELDS: FieldSet = {
    "f:apiVersion": LEAF,
    "f:kind": LEAF,
    "f:metadata": {SELF: {}, **{f"f:{name}": LEAF for name in _SERVERS_METADATA}},
}

# The objects of one workload differ in little more than their names. Looking up the fields of a
# new object by its content is an order of magnitude faster than walking it.
_KNOWN = Memory[Mapping[str, Any]]()


class Manager(msgspec.Struct, frozen=True):
    """A manager of fields: an entry of managedFields without time and fields."""

    name: str
    operation: str
    """`Apply` or `Update`."""
    subresource: str = ""
    """Subresource that the manager writes; empty for the object itself."""
    api_version: str = ""
    """Version that the manager writes; empty for `Apply`, where the latest counts."""

    def __str__(self) -> str:
        by = f" with subresource {quoted(self.subresource)}" if self.subresource else ""
        using = f" using {self.api_version}" if self.operation == UPDATE else ""
        return f"{quoted(self.name)}{by}{using}"


class Owned(msgspec.Struct, frozen=True):
    """The fields that a manager owns in one version, and the time of its last change."""

    fields: FieldSet
    api_version: str
    time: str = ""

    @property
    def time_ns(self) -> int:
        """The time in nanoseconds since the epoch; 0 if it is unknown."""
        try:
            return parse_time(self.time) if self.time else 0
        except TimeError:
            return 0


Owners = Mapping[Manager, Owned]


def read_owners(entries: Sequence[Object]) -> Owners | None:
    """Parse managedFields; None if they are invalid."""
    owners: dict[Manager, Owned] = {}
    for entry in entries:
        operation, api_version = entry.get("operation"), entry.get("apiVersion") or ""
        is_known = operation in (APPLY, UPDATE) and entry.get("fieldsType") == _FIELDS_TYPE
        if not is_known or not api_version:
            return None
        manager = Manager(
            entry.get("manager") or "",
            str(operation),
            entry.get("subresource") or "",
            api_version if operation == UPDATE else "",
        )
        try:
            fields = field_sets.from_fields_v1(part(entry, "fieldsV1"))
        except ValueError:
            return None
        owners[manager] = Owned(fields, api_version, entry.get("time") or "")
    return owners


def with_owners(obj: Object, owners: Owners) -> Object:
    """Return an object with its owners as sorted managedFields; none if there are no owners."""

    def place(item: tuple[Manager, Owned]) -> tuple[str, int, str, str, str]:
        manager, owned = item
        seconds = owned.time_ns // 10**9
        return manager.operation, seconds, manager.name, owned.api_version, manager.subresource

    return _with_entries(
        obj,
        [
            _entry(manager, owned.api_version, owned.time, field_sets.to_fields_v1(owned.fields))
            for manager, owned in sorted(owners.items(), key=place)
        ],
    )


def _with_entries(obj: Object, entries: list[dict[str, Any]]) -> Object:
    bare = unowned(obj)
    if not entries:
        return bare
    return {**bare, "metadata": {**metadata_of(bare), "managedFields": entries}}


def _entry(
    manager: Manager, api_version: str, time: str, fields_v1: Mapping[str, Any]
) -> dict[str, Any]:
    entry = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": api_version,
        "time": time,
        "fieldsType": _FIELDS_TYPE,
        "fieldsV1": fields_v1,
        "subresource": manager.subresource,
    }
    return {name: value for name, value in entry.items() if value or name == "fieldsV1"}


def unowned(obj: Object) -> Object:
    """Return an object without its managedFields."""
    metadata = obj.get("metadata")
    if not metadata or "managedFields" not in metadata:
        return obj
    rest = {name: value for name, value in metadata.items() if name != "managedFields"}
    return {**obj, "metadata": rest}


def owned_by_managers(fields: FieldSet) -> FieldSet:
    """Return a set without the fields that only the server writes."""
    return field_sets.difference(fields, _SERVERS_FIELDS)


def reset_fields(request: Attributes) -> tuple[str, ...]:
    """Return the top-level fields that a write can't change, such as `status`."""
    if request.subresource == "status":
        return ("spec",)
    has_status = "status" in request.kind.subresources
    return ("status",) if has_status and not request.subresource else ()


def taken(owners: Owners, fields: FieldSet, exempt: Manager | None = None) -> Owners:
    """Return the owners after fields were taken from all managers except `exempt`."""
    left = {
        manager: owned
        if manager == exempt
        else replace(owned, fields=field_sets.difference(owned.fields, fields))
        for manager, owned in owners.items()
    }
    return {manager: owned for manager, owned in left.items() if owned.fields}


def updated_owners(
    request: Attributes, owners: Owners, before: Object, after: Object, me: Manager
) -> Owners:
    """Return the owners after an update by the manager `me`; raises UntypedError."""
    struct = struct_for(request.kind, me.api_version)
    comparison = compare(unowned(before), unowned(after), struct, reset_fields(request))
    owners = taken(taken(owners, comparison.changed), comparison.removed)
    fields = owned_by_managers(comparison.changed)
    if not fields:
        return owners
    if me in owners:
        fields = field_sets.union(owners[me].fields, fields)
    return {**owners, me: Owned(fields, me.api_version, timestamp(request.now_s))}


def track(request: Attributes, before: Object | None, after: Object) -> Object:
    """Return a new or changed object with managedFields updated for the field manager."""
    # The owners in the request replace the stored ones. An empty list, or a list of one empty
    # entry, removes all of them.
    sent = None if request.subresource else metadata_of(after).get("managedFields")
    owners: Owners = {}
    if sent not in ([], [{}]):
        stored = metadata_of(before or {}).get("managedFields") or []
        owners = read_owners(sent or []) or read_owners(stored) or {}
    if not owners and before is not None:
        return unowned(after)
    version, manager = request.kind.api_version, request.options.field_manager
    me = Manager(manager, UPDATE, request.subresource, version)
    try:
        if before is None and not owners:
            return _with_creator(request, after, me)
        updated = updated_owners(request, owners, before or {}, after, me)
    except UntypedError:
        # For example, an entry of a list without its keys can't have an owner.
        return with_owners(after, owners)
    return with_owners(after, _capped(updated))


def _with_creator(request: Attributes, obj: Object, me: Manager) -> Object:
    metadata = metadata_of(obj)
    others = {name: value for name, value in metadata.items() if name not in _SERVERS_METADATA}
    key = key_of((request.kind.key, me.api_version, me.subresource, {**obj, "metadata": others}))
    fields = _KNOWN.get(key) if key else None
    if fields is None:
        owners = updated_owners(request, {}, {}, obj, me)
        fields = field_sets.to_fields_v1(owners[me].fields) if owners else {}
        if key:
            _KNOWN.put(key, fields)
    entry = _entry(me, me.api_version, timestamp(request.now_s), fields)
    return _with_entries(obj, [entry] if fields else [])


def _capped(owners: Owners) -> Owners:
    """Return the owners; if there are too many updaters, the oldest are merged into one."""
    updaters = [manager for manager in owners if manager.operation == UPDATE]
    if len(updaters) <= _UPDATERS_MAX:
        return owners
    oldest = sorted(updaters, key=lambda manager: (owners[manager].time_ns, str(manager)))
    excess = len(updaters) - _UPDATERS_MAX + 1
    merged, left = oldest[:excess], dict(owners)
    for version in dict.fromkeys(owners[manager].api_version for manager in merged):
        same = [manager for manager in merged if owners[manager].api_version == version]
        if len(same) > 1:
            several = [left.pop(manager) for manager in same]
            fields = reduce(field_sets.union, (owned.fields for owned in several))
            bucket = Manager(_OLD_UPDATERS, UPDATE, "", version)
            left[bucket] = Owned(fields, version, several[-1].time)
    return left


def with_old_times(new: Object, old: Object) -> Object:
    """Return the old object if a completed new one only differs in the times of managedFields."""
    after, before = (metadata_of(obj).get("managedFields") or [] for obj in (new, old))
    if after == before or len(after) != len(before):
        return new
    timeless = [[{**entry, "time": None} for entry in entries] for entries in (after, before)]
    is_same = timeless[0] == timeless[1] and unowned(new) == unowned(old)
    return old if is_same else new
