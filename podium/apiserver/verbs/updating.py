"""Replace and patch: from a stored object to the next version of it.

Both come down to the same: the object that is asked for is completed, prepared by the kind's
strategy, judged against the stored one, and stored if anything has changed. An object that only
its finalizers kept goes with the last of them.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds import Kind
from podium.apiserver.admission import Admission, Operation, Request
from podium.apiserver.defaulting import apply_defaults
from podium.apiserver.patching import Patched, apply_patch
from podium.apiserver.refusals import bad_request, invalid, modified, not_found, uid_conflict
from podium.apiserver.strategy import strategy_of
from podium.apiserver.update_validation import validate_update
from podium.apiserver.verbs.creating import Creator
from podium.apiserver.verbs.options import PatchRequest, WriteOptions, Written
from podium.apiserver.verbs.reading import parse_version
from podium.apiserver.verbs.writing import Writer
from podium.apiserver.versions import shown_version, stored_version
from podium.store.store import Store

Object = Mapping[str, Any]

# In place of a resourceVersion: whichever version there is.
_UNCONDITIONAL = (None, "", "0")
_KEPT = ("generation", "creationTimestamp", "resourceVersion", "selfLink")
_KEPT_UNLESS_GIVEN = ("uid", "namespace", "deletionGracePeriodSeconds")


class Updater:
    """Changes objects of all kinds."""

    def __init__(
        self, store: Store, writer: Writer, admission: Admission, creator: Creator
    ) -> None:
        self._store = store
        self._writer = writer
        self._admission = admission
        self._creator = creator

    def replace(
        self,
        kind: Kind,
        obj: Object,
        namespace: str,
        name: str,
        now_s: float,
        options: WriteOptions,
        subresource: str,
    ) -> Written:
        """See `ApiServer.replace`."""
        check_key(obj.get("metadata") or {}, namespace, name)
        new = _in_namespace(stored_version(kind, obj), namespace)
        old = self._store.get(kind.name, namespace, name)
        if old is None:
            if subresource or not strategy_of(kind).create_on_update:
                raise not_found(kind, name)
            return Written(self._creator.create(kind, new, namespace, now_s, options), True)
        uid, version = new["metadata"].get("uid"), new["metadata"].get("resourceVersion")
        if uid and uid != old["metadata"]["uid"]:
            raise uid_conflict(kind, namespace, name, uid, old["metadata"]["uid"])
        if version not in _UNCONDITIONAL:
            parse_version(version)
        elif not strategy_of(kind).unconditional_update:
            why = "must be specified for an update"
            fault = FieldError("metadata.resourceVersion", 0, why)
            raise invalid(name, [fault], kind.plural, kind.group)
        return Written(self.update(kind, old, new, now_s, options, subresource), False)

    def patch(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        patch: PatchRequest,
        now_s: float,
        options: WriteOptions,
        subresource: str,
    ) -> Written:
        """See `ApiServer.patch`."""
        old = self._store.get(kind.name, namespace, name)
        if old is None:
            raise not_found(kind, name)
        result = patched(kind, old, patch)
        check_key(result.obj.get("metadata") or {}, namespace, name)
        new = _in_namespace(result.obj, namespace)
        updated = self.update(kind, old, new, now_s, options, subresource)
        return Written(updated, False, result.warnings)

    def update(
        self,
        kind: Kind,
        old: Object,
        new: Object,
        now_s: float,
        options: WriteOptions,
        subresource: str = "",
    ) -> Object:
        """Store the next version of an object.

        Args:
            kind: the object's kind.
            old: as it is stored.
            new: as it is asked for; its resourceVersion, if it has one, must be the stored one's.
            now_s: the time, in seconds since the epoch.
            options: how to write.
            subresource: what may be changed; empty for all but what has a subresource.

        Returns:
            The object as it is now, or, if it is gone with its last finalizer, as it was to be.
        """
        metadata, before = new["metadata"], old["metadata"]
        request = Request(
            operation=Operation.UPDATE,
            kind=kind,
            namespace=before.get("namespace", ""),
            now_s=now_s,
            name=before["name"],
            old=old,
            subresource=subresource,
        )
        if new.get("spec") is not old.get("spec") or kind.name == "Node":
            new = apply_defaults(new, kind.name)
        new = self._admission.admit(request, new)
        version = metadata.get("resourceVersion")
        if version != before["resourceVersion"] and version not in _UNCONDITIONAL:
            raise modified(kind, before["name"])
        if metadata is not before:
            new = {**new, "metadata": _settled(new["metadata"], before)}
        strategy = strategy_of(kind)
        prepare = strategy.subresources[subresource] if subresource else strategy.update
        new = prepare(new, old, now_s)
        faults = validate_update(kind, new, old, subresource)
        if faults:
            raise invalid(before["name"], faults, kind.name, kind.group)
        charged = self._admission.validate(request, new)
        if _is_finished_off(new, old):
            self._writer.delete(kind, old, dry_run=options.dry_run)
            return new
        if new == old:
            return old
        return self._writer.update(kind, new, charged, dry_run=options.dry_run)


def patched(kind: Kind, current: Object, patch: PatchRequest) -> Patched:
    """The object with a patch applied, in the kind's own version."""
    result = apply_patch(
        kind,
        shown_version(kind, current, patch.api_version),
        patch.patch_type,
        patch.body,
        api_version=patch.api_version,
        field_validation=patch.field_validation,
    )
    return Patched(stored_version(kind, result.obj), result.warnings)


def _settled(metadata: Mapping[str, Any], before: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata with what an update can't change as it was, and without empty fields.

    What an update may not even try to change, such as the uid, is left to validation.
    """
    settled = {field: v for field, v in metadata.items() if (v or v == 0) and field not in _KEPT}
    for field in _KEPT:
        if field in before:
            settled[field] = before[field]
    for field in _KEPT_UNLESS_GIVEN:
        if field in before and field not in settled:
            settled[field] = before[field]
    if before.get("deletionTimestamp"):
        settled["deletionTimestamp"] = before["deletionTimestamp"]
    if "managedFields" in before and "managedFields" not in metadata:
        settled["managedFields"] = before["managedFields"]
    return settled


def _is_finished_off(new: Object, old: Object) -> bool:
    """Whether nothing holds an object any more that was to be deleted."""
    before = old["metadata"]
    if not before.get("deletionTimestamp") or before.get("deletionGracePeriodSeconds"):
        return False
    spec_finalizers = new["kind"] == "Namespace" and (new.get("spec") or {}).get("finalizers")
    return not (new["metadata"].get("finalizers") or spec_finalizers)


def _in_namespace(obj: Object, namespace: str) -> Object:
    """The object with a namespace, or without one if that is empty."""
    metadata = obj.get("metadata") or {}
    if metadata.get("namespace", "") == namespace:
        return obj
    others = {field: value for field, value in metadata.items() if field != "namespace"}
    place = {"namespace": namespace} if namespace else {}
    return {**obj, "metadata": {**others, **place}}


def check_key(metadata: Mapping[str, Any], namespace: str, name: str) -> None:
    """Make sure that an object is the one that the request is about.

    Raises:
        Refused: 400, it has no name, or another name or namespace.
    """
    own, place = metadata.get("name"), metadata.get("namespace")
    if not own:
        why = "name must be provided"
        raise bad_request(f"the name of the object ({name} based on URL) was undeterminable: {why}")
    if own != name:
        raise bad_request(
            f"the name of the object ({own}) does not match the name on the URL ({name})"
        )
    if namespace and place and place != namespace:
        raise bad_request(
            f"the namespace of the object ({place}) does not match the namespace on the "
            f"request ({namespace})"
        )
