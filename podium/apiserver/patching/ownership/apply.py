"""Server-side apply: a manager says which fields an object is to have, and gets them.

What it says is merged into the object. What it said last time, and doesn't say any more, goes, if
no other applier wants it. What others own and would have to change is a conflict, unless it is
forced; then they own it no longer. What kubectl applied from the client is no conflict for kubectl.

Source: structured-merge-diff and the field managers of apimachinery, v1.36.
"""

from collections.abc import Mapping
from functools import reduce

from podium.api.objects import Object, entries, metadata_of
from podium.api.refused import Cause, RefusedError
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.type_checker import DecodingError
from podium.apiserver.decoding.typed import typed
from podium.apiserver.patching.ownership.field_comparison import FieldComparison, compare
from podium.apiserver.patching.ownership.field_sets import (
    NOTHING,
    FieldSet,
    cut,
    difference,
    intersection,
    outside,
    paths,
    union,
)
from podium.apiserver.patching.ownership.last_applied import KUBECTL, renoted, unchanged_fields
from podium.apiserver.patching.ownership.owner_updates import (
    owned_by_managers,
    reset_fields,
    unowned,
    updated_owners,
    with_owners,
)
from podium.apiserver.patching.ownership.owners import (
    APPLY,
    UPDATE,
    Manager,
    Owned,
    Owners,
    read_owners,
    taken,
)
from podium.apiserver.patching.ownership.steps import (
    UntypedError,
    owned_fields,
    strangers,
    with_named_members,
)
from podium.apiserver.patching.ownership.type_faults import type_faults
from podium.apiserver.patching.ownership.typed_merge import merged, without
from podium.apiserver.refusals import bad_request, internal
from podium.apiserver.schema.custom import struct_for

BEFORE_FIRST_APPLY = "before-first-apply"
"""Owns what was there before anybody was tracked."""


def apply_configuration(
    request: Attributes, current: Object | None, configuration: Object, api_version: str = ""
) -> Object:
    """Apply a configuration.

    Args:
        request: the write; its field manager applies, and owns what it applies. If it is forced,
            fields are taken over that others own.
        current: the object as it is stored; None if there is none yet.
        configuration: what the manager wants the object to have, as `decode_patch` gives it.
        api_version: the version that the request is about, where the kind is served in several;
            `current` is in it, too. Empty for the kind's own.

    Returns:
        the object with its managedFields, neither defaulted nor validated.

    Raises:
        RefusedError: 409 if others own what would change, 400 or 500 if the configuration is wrong.
    """
    run = _Run(request, current, configuration, api_version or request.kind.api_version)
    try:
        obj, owners = run.applied(run.owners_before(current))
    except UntypedError as error:
        raise _unusable("failed to create typed live object", run.live, str(error)) from None
    if request.options.field_manager == KUBECTL:
        obj = renoted(obj, configuration)
    return with_owners(obj, owners)


class _Run:
    """One apply, between its judgement and its result."""

    def __init__(
        self, request: Attributes, current: Object | None, configuration: Object, api_version: str
    ) -> None:
        said = configuration.get("apiVersion") or "", configuration.get("kind") or ""
        if said != (api_version, request.kind.name):
            raise bad_request(f"invalid object type: {_group_version_kind(configuration)}")
        if _metadata(configuration).get("managedFields") is not None:
            raise bad_request("metadata.managedFields must be nil")
        self._request = request
        self._struct = struct_for(request.kind, api_version)
        faults = list(type_faults(configuration, self._struct))
        if faults:
            lines = "\n".join(f"  {fault}" for fault in faults)
            why = faults[0] if len(faults) == 1 else f"errors:\n{lines}"
            raise _unusable("failed to create typed patch object", configuration, why)
        self.live: Object = unowned(current) if current is not None else {}
        self._configuration = configuration
        self._me = Manager(request.options.field_manager, APPLY, request.subresource)
        self._api_version = api_version
        self._reset = reset_fields(request)

    def owners_before(self, current: Object | None) -> Owners:
        """The owners of the object as it is stored; raises UntypedError and RefusedError."""
        if current is None:
            return {}
        owners = read_owners(entries(metadata_of(current), "managedFields"))
        if owners is None:
            raise internal("failed to decode managed fields")
        if owners:
            return owners
        first = Manager(BEFORE_FIRST_APPLY, UPDATE, self._request.subresource, self._api_version)
        return updated_owners(self._request, {}, {}, current, first)

    def applied(self, owners: Owners) -> tuple[Object, Owners]:
        """The object and its owners afterwards; raises UntypedError and RefusedError."""
        now = timestamp(self._request.now_s)
        before = owners.get(self._me)
        claimed = outside(owned_fields(self._configuration, self._struct), self._reset)
        since = before.time if before else now
        owners = {**owners, self._me: Owned(claimed, self._api_version, since)}
        new = merged(self.live, self._configuration, self._struct)
        if before is not None:
            new = self._pruned(new, owners, before.fields)
        found = compare(self.live, new, self._struct).outside(self._reset)
        if not self._request.options.force:
            self._check_conflicts(owners, found)
        owners = taken(taken(owners, found.changed, self._me), found.removed, self._me)
        try:
            stored, _ = typed(self._request.kind, new, self._api_version)
        except DecodingError as fault:
            what = "failed to convert new typed object"
            raise _unusable(what, self._configuration, str(fault), "to object: ") from None
        is_live = all(
            stored.get(name) == self.live.get(name)
            for name in {**self.live, **stored}
            if name not in self._reset
        )
        time = since if is_live else now
        mine = Owned(owned_by_managers(claimed), self._api_version, time)
        others = {one: owned for one, owned in owners.items() if one != self._me}
        return stored, {**others, self._me: mine} if mine.fields else others

    def _pruned(self, new: Object, owners: Owners, before: FieldSet) -> Object:
        """The object without what the manager applied before and nobody owns now.

        A struct goes with the defaults in it if nothing else is left of it.
        """
        raw = owned_fields(new, self._struct)
        wanted = reduce(union, (owned.fields for owned in owners.values()), NOTHING)
        wanted = self._named(union(wanted, strangers(raw, before, self._struct)))
        before, there = self._named(before), self._named(raw)
        kept = union(self._named(cut(raw, before)), wanted)
        kept = union(self._named(cut(raw, difference(there, kept))), wanted)
        found: Object = without(new, intersection(difference(there, kept), before), self._struct)
        return found

    def _named(self, fields: FieldSet) -> FieldSet:
        return with_named_members(fields, self._struct)

    def _check_conflicts(self, owners: Owners, found: FieldComparison) -> None:
        changed = found.changed
        if self._me.name == KUBECTL:
            noted = unchanged_fields(self.live, self._api_version, self._struct)
            changed = difference(changed, noted)
        conflicts = [
            (manager, path)
            for manager in sorted(owners, key=str)
            if manager != self._me
            for path in paths(intersection(owners[manager].fields, changed))
        ]
        if not conflicts:
            return
        causes = tuple(
            Cause("FieldManagerConflict", f"conflict with {manager}", path)
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
