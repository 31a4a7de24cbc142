"""Server-side apply: a manager says which fields an object is to have, and gets them.

What it says is merged into the object. What it said last time, and doesn't say any more, goes, if
no other applier wants it. What others own and would have to change is a conflict, unless it is
forced; then they own it no longer. What kubectl applied from the client is no conflict for kubectl.
Source: structured-merge-diff and the field managers of apimachinery, v1.36.
"""

import json
from collections.abc import Mapping
from functools import partial, reduce

from podium.api.codec.text_decoder import escaped
from podium.api.objects import Object, annotations, entries, metadata_of
from podium.api.refused import RefusedError, StatusCause
from podium.api.values.times import timestamp
from podium.api.well_known import LAST_APPLIED
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.type_checker import DecodingError
from podium.apiserver.decoding.typed import typed
from podium.apiserver.patching.ownership import field_sets, typed_values
from podium.apiserver.patching.ownership.field_sets import NOTHING, FieldSet
from podium.apiserver.patching.ownership.owners import (
    APPLY,
    UPDATE,
    Manager,
    Owned,
    Owners,
    owned_by_managers,
    read_owners,
    reset_fields,
    taken,
    unowned,
    updated_owners,
    with_owners,
)
from podium.apiserver.patching.ownership.typed_values import UntypedError
from podium.apiserver.refusals import bad_request, internal
from podium.apiserver.schema import Struct
from podium.apiserver.schema.custom import struct_for
from podium.apiserver.validation.metadata import ANNOTATIONS_SIZE_MAX_BYTES, annotations_size_bytes

# The owner of the fields that were set before owners were tracked.
_BEFORE_FIRST_APPLY = "before-first-apply"
# The field manager of `kubectl apply --server-side`; others leave the annotation alone.
_KUBECTL = "kubectl"


def apply_configuration(
    request: Attributes, current: Object | None, configuration: Object, api_version: str = ""
) -> Object:
    """Apply a configuration, as `decode_patch` gives it; who applies it owns what it says.

    Args:
        request: the write; if it is forced, fields are taken over that others own.
        current: the object as it is stored; None if there is none yet.
        api_version: the version of both, where the kind is served in several; empty for its own.

    Returns:
        the object with its managedFields, neither defaulted nor validated.

    Raises:
        RefusedError: 409 if others own what would change, 400 or 500 if the configuration is wrong.
    """
    api_version = api_version or request.kind.api_version
    said = configuration.get("apiVersion") or "", configuration.get("kind") or ""
    if said != (api_version, request.kind.name):
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
        found = typed_values.compare(live, new, struct, reset)
    except UntypedError as error:
        raise _unusable("failed to create typed live object", live, str(error)) from None
    if not request.options.force:
        changed = found.changed
        if me.name == _KUBECTL:
            changed = field_sets.difference(changed, _unchanged_fields(live, api_version, struct))
        _check_conflicts(owners, me, changed)
    owners = taken(taken(owners, found.changed, me), found.removed, me)
    try:
        stored, _ = typed(request.kind, new, api_version)
    except DecodingError as fault:
        what = "failed to convert new typed object"
        raise _unusable(what, configuration, str(fault), "to object: ") from None
    is_live = all(
        stored.get(name) == live.get(name) for name in {**live, **stored} if name not in reset
    )
    mine = Owned(owned_by_managers(claimed), api_version, since if is_live else now)
    others = {one: owned for one, owned in owners.items() if one != me}
    if me.name == _KUBECTL:
        stored = _renoted(stored, configuration)
    return with_owners(stored, {**others, me: mine} if mine.fields else others)


def _pruned(new: Object, owners: Owners, before: FieldSet, struct: Struct) -> Object:
    """The object without the fields that the manager applied before and that now have no owner.

    A struct goes with the defaults in it if nothing else is left of it.
    """
    named = partial(typed_values.with_named_members, of=struct)
    raw = typed_values.owned_fields(new, struct)
    wanted = reduce(field_sets.union, (owned.fields for owned in owners.values()), NOTHING)
    wanted = named(field_sets.union(wanted, typed_values.strangers(raw, before, struct)))
    before, there = named(before), named(raw)
    kept = field_sets.union(named(field_sets.cut(raw, before)), wanted)
    kept = field_sets.union(named(field_sets.cut(raw, field_sets.difference(there, kept))), wanted)
    found: Object = typed_values.without(
        new, field_sets.intersection(field_sets.difference(there, kept), before), struct
    )
    return found


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
        lines += [f"- {path}" for one, path in conflicts if one == manager]
    message = f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)
    raise RefusedError(409, "Conflict", message, causes=causes)


def _unchanged_fields(live: Object, api_version: str, struct: Struct) -> FieldSet:
    """The fields that kubectl has noted as applied by the client, and nobody has changed since."""
    try:
        noted = json.loads(annotations(live).get(LAST_APPLIED) or "null")
    except ValueError:
        return NOTHING
    is_note = isinstance(noted, dict) and noted.get("apiVersion") == api_version
    if not is_note or any(typed_values.type_faults(noted, struct)):
        return NOTHING
    try:
        fields = typed_values.owned_fields(noted, struct)
        for differing in typed_values.compare(noted, live, struct):
            fields = field_sets.difference(fields, differing)
    except UntypedError:
        return NOTHING
    return fields


def _renoted(obj: Object, configuration: Object) -> Object:
    """The object with the configuration as kubectl's note, if it has one and that isn't too large.

    It keeps the way back to applying by the client open.
    """
    notes = annotations(obj)
    if not notes.get(LAST_APPLIED):
        return obj
    metadata, said = metadata_of(configuration), annotations(configuration)
    if LAST_APPLIED in said:
        rest = {key: value for key, value in said.items() if key != LAST_APPLIED}
        configuration = {**configuration, "metadata": {**metadata, "annotations": rest}}
    text = json.dumps(configuration, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    notes = {**notes, LAST_APPLIED: f"{escaped(text)}\n"}
    if annotations_size_bytes(notes) > ANNOTATIONS_SIZE_MAX_BYTES:
        del notes[LAST_APPLIED]
    return {**obj, "metadata": {**metadata_of(obj), "annotations": notes}}


def _unusable(what: str, obj: Object, why: str, joint: str = "") -> RefusedError:
    said = (_metadata(obj).get(field) for field in ("namespace", "name"))
    name = "/".join(one if isinstance(one, str) else "" for one in said)
    tail = f" {joint}{why}" if joint else f": {why}"
    return internal(f"{what} ({name}; {_group_version_kind(obj)}){tail}")


def _metadata(obj: Object) -> Object:
    found = obj.get("metadata")
    return found if isinstance(found, Mapping) else {}


def _group_version_kind(obj: Object) -> str:
    group, _, version = str(obj.get("apiVersion") or "").rpartition("/")
    return f"{group}/{version}, Kind={obj.get('kind') or ''}"
