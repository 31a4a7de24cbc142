"""Server-side apply: a manager sets the fields of its configuration, and owns them.

The configuration is merged into the object. Fields that the manager applied before and omits now
are removed, unless another applier owns them. A change of a field that another manager owns is a
conflict; if it is forced, the manager takes over the field. Fields that were set by client-side
`kubectl apply` are no conflict for kubectl.

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
from podium.apiserver.refusals import bad_request, internal
from podium.apiserver.schema import Struct
from podium.apiserver.schema.custom import struct_for
from podium.apiserver.validation.names import ANNOTATIONS_SIZE_MAX_BYTES, annotations_size_bytes

# The manager of fields that were set before managers were tracked.
_BEFORE_FIRST_APPLY = "before-first-apply"
# The manager of `kubectl apply --server-side`, which alone updates the annotation.
_KUBECTL = "kubectl"


def apply_configuration(
    request: Attributes, current: Object | None, configuration: Object, api_version: str = ""
) -> Object:
    """Apply a configuration to an object (None if it doesn't exist), both of `api_version`.

    Returns:
        The object with its managedFields, neither defaulted nor validated.

    Raises:
        RefusedError: 409, other managers own fields that would change; 400 or 500, the
            configuration is invalid.
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
