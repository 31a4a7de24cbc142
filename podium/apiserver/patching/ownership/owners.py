"""The managers that own the fields of an object, as recorded in its managedFields.

A manager owns the fields that it has changed, until another manager changes them. Objects without
managedFields stay untracked until server-side apply.

Server-side apply merges a manager's configuration into the object. Fields that the manager applied
before and omits now are removed, unless another applier owns them. A change of a field that another
manager owns is a conflict; if it is forced, the manager takes over the field. Fields that were set
by client-side `kubectl apply` are no conflict for kubectl.

Source: structured-merge-diff and the field managers of apimachinery, v1.36.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.api.codec.text_decoder import escaped
from podium.api.errors import RefusedError, StatusCause, quoted
from podium.api.objects import Object, annotations, entries, metadata_of, part, without
from podium.api.values.times import TimeError, parse_time, timestamp
from podium.api.well_known import LAST_APPLIED
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.type_checker import DecodingError
from podium.apiserver.decoding.typed import typed
from podium.apiserver.memories import Memory, key_of
from podium.apiserver.patching.ownership import field_sets, typed_values
from podium.apiserver.patching.ownership.field_sets import LEAF, NOTHING, SELF, FieldSet
from podium.apiserver.patching.ownership.typed_values import UntypedError, compare
from podium.apiserver.refusals import bad_request, internal
from podium.apiserver.schema.custom import struct_for
from podium.apiserver.schema.model import Struct
from podium.apiserver.validation.names import ANNOTATIONS_SIZE_MAX_BYTES, annotations_size_bytes

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
    return {**obj, "metadata": without(metadata, "managedFields")}


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
    merged, left = oldest[: len(updaters) - _UPDATERS_MAX + 1], dict(owners)
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


# The manager of fields that were set before managers were tracked.
_BEFORE_FIRST_APPLY = "before-first-apply"
# The manager of `kubectl apply --server-side`, which alone updates the annotation.
_KUBECTL = "kubectl"


def apply_configuration(
    request: Attributes, current: Object | None, configuration: Object, api_version: str = ""
) -> Object:
    """Apply a configuration to an object (None if it doesn't exist), both of `api_version`.

    The result has managedFields, and is neither defaulted nor validated. Raises RefusedError: 409
    if other managers own fields that would change, 400 or 500 for an invalid configuration.
    """
    api_version = api_version or request.kind.api_version
    header = configuration.get("apiVersion") or "", configuration.get("kind") or ""
    if header != (api_version, request.kind.name):
        raise bad_request(f"invalid object type: {_group_version_kind(configuration)}")
    if _metadata(configuration).get("managedFields") is not None:
        raise bad_request("metadata.managedFields must be nil")
    struct, reset = struct_for(request.kind, api_version), reset_fields(request)
    faults = list(typed_values.type_faults(configuration, struct))
    if faults:
        lines = "\n".join(f"  {fault}" for fault in faults)
        why = faults[0] if len(faults) == 1 else f"errors:\n{lines}"
        raise _unusable("failed to create typed patch object", configuration, why)
    me = Manager(request.options.field_manager, APPLY, request.subresource)
    live: Object = unowned(current) if current is not None else {}
    now = timestamp(request.now_s)
    try:
        owners = read_owners(entries(metadata_of(current or {}), "managedFields"))
        if owners is None:
            raise internal("failed to decode managed fields")
        if current is not None and not owners:
            first = Manager(_BEFORE_FIRST_APPLY, UPDATE, request.subresource, api_version)
            owners = updated_owners(request, {}, {}, current, first)
        before = owners.get(me)
        claimed = field_sets.outside(typed_values.owned_fields(configuration, struct), reset)
        since = before.time if before else now
        owners = {**owners, me: Owned(claimed, api_version, since)}
        new = typed_values.merged(live, configuration, struct)
        if before is not None:
            new = _pruned(new, owners, before.fields, struct)
        comparison = typed_values.compare(live, new, struct, reset)
    except typed_values.UntypedError as error:
        raise _unusable("failed to create typed live object", live, str(error)) from None
    if not request.options.force:
        changed = comparison.changed
        if me.name == _KUBECTL:
            changed = field_sets.difference(changed, _unchanged_fields(live, api_version, struct))
        _check_conflicts(owners, me, changed)
    owners = taken(taken(owners, comparison.changed, me), comparison.removed, me)
    try:
        stored, _ = typed(request.kind, new, api_version)
    except DecodingError as fault:
        what = "failed to convert new typed object"
        raise _unusable(what, configuration, str(fault), "to object: ") from None
    is_live = all(
        stored.get(name) == live.get(name) for name in {**live, **stored} if name not in reset
    )
    mine = Owned(owned_by_managers(claimed), api_version, since if is_live else now)
    others = {manager: owned for manager, owned in owners.items() if manager != me}
    if me.name == _KUBECTL:
        stored = _with_last_applied(stored, configuration)
    return with_owners(stored, {**others, me: mine} if mine.fields else others)


def _pruned(new: Object, owners: Owners, before: FieldSet, struct: Struct) -> Object:
    """Remove the fields that the manager applied before and that now have no owner.

    A struct of which only defaulted fields would be left is removed as a whole.
    """
    named = partial(typed_values.with_named_members, of=struct)
    raw = typed_values.owned_fields(new, struct)
    wanted = reduce(field_sets.union, (owned.fields for owned in owners.values()), NOTHING)
    wanted = named(field_sets.union(wanted, typed_values.other_entries(raw, before, struct)))
    before, present = named(before), named(raw)
    kept = field_sets.union(named(field_sets.cut(raw, before)), wanted)
    kept = field_sets.union(
        named(field_sets.cut(raw, field_sets.difference(present, kept))), wanted
    )
    unowned_fields = field_sets.intersection(field_sets.difference(present, kept), before)
    pruned: Object = typed_values.without(new, unowned_fields, struct)
    return pruned


def _check_conflicts(owners: Owners, me: Manager, changed: FieldSet) -> None:
    conflicts = [
        (manager, path)
        for manager in sorted(owners, key=str)
        if manager != me
        for path in field_sets.paths(field_sets.intersection(owners[manager].fields, changed))
    ]
    if not conflicts:
        return
    causes = tuple(
        StatusCause("FieldManagerConflict", f"conflict with {manager}", path)
        for manager, path in conflicts
    )
    if len(conflicts) == 1:
        ((manager, path),) = conflicts
        message = f"Apply failed with 1 conflict: conflict with {manager}: {path}"
        raise RefusedError(409, "Conflict", message, causes=causes)
    lines = []
    for manager in dict.fromkeys(manager for manager, _ in conflicts):
        lines.append(f"conflicts with {manager}:")
        lines += [f"- {path}" for owner, path in conflicts if owner == manager]
    message = f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)
    raise RefusedError(409, "Conflict", message, causes=causes)


def _unchanged_fields(live: Object, api_version: str, struct: Struct) -> FieldSet:
    """Return the fields of the last client-side apply that haven't changed since."""
    try:
        applied = json.loads(annotations(live).get(LAST_APPLIED) or "null")
        is_of_version = isinstance(applied, dict) and applied.get("apiVersion") == api_version
        if not is_of_version or any(typed_values.type_faults(applied, struct)):
            return NOTHING
        fields = typed_values.owned_fields(applied, struct)
        for differing in typed_values.compare(applied, live, struct):
            fields = field_sets.difference(fields, differing)
    except (ValueError, typed_values.UntypedError):
        return NOTHING
    return fields


def _with_last_applied(obj: Object, configuration: Object) -> Object:
    """Return an object with the configuration in kubectl's last-applied annotation.

    It allows client-side apply later. Objects without the annotation don't get it, and one that
    would be too large is removed.
    """
    notes = annotations(obj)
    if not notes.get(LAST_APPLIED):
        return obj
    metadata, own = metadata_of(configuration), annotations(configuration)
    if LAST_APPLIED in own:
        rest = {key: value for key, value in own.items() if key != LAST_APPLIED}
        configuration = {**configuration, "metadata": {**metadata, "annotations": rest}}
    text = json.dumps(configuration, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    notes = {**notes, LAST_APPLIED: f"{escaped(text)}\n"}
    if annotations_size_bytes(notes) > ANNOTATIONS_SIZE_MAX_BYTES:
        del notes[LAST_APPLIED]
    return {**obj, "metadata": {**metadata_of(obj), "annotations": notes}}


def _unusable(what: str, obj: Object, why: str, joint: str = "") -> RefusedError:
    names = (_metadata(obj).get(field) for field in ("namespace", "name"))
    name = "/".join(part if isinstance(part, str) else "" for part in names)
    tail = f" {joint}{why}" if joint else f": {why}"
    return internal(f"{what} ({name}; {_group_version_kind(obj)}){tail}")


def _metadata(obj: Object) -> Object:
    metadata = obj.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _group_version_kind(obj: Object) -> str:
    group, _, version = str(obj.get("apiVersion") or "").rpartition("/")
    return f"{group}/{version}, Kind={obj.get('kind') or ''}"
