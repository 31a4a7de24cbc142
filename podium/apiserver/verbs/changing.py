"""Replace, patch and apply: what a request makes of a stored object, before it is updated."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds import Kind
from podium.api.objects import Object
from podium.apiserver.decoding import PatchType
from podium.apiserver.long_work import apart, concerns
from podium.apiserver.patching import Patched, apply_configuration, apply_patch
from podium.apiserver.refusals import bad_request, conflict, invalid, not_found, uid_conflict
from podium.apiserver.strategy import strategy_of
from podium.apiserver.verbs.creating import Creator
from podium.apiserver.verbs.options import PatchRequest, WriteOptions, Written
from podium.apiserver.verbs.updating import UNCONDITIONAL, Updater
from podium.apiserver.versions import shown_version, stored_version
from podium.store.store import Store

_NOBODY = "uid mismatch: the provided object specified uid {}, and no existing object was found"


class Changer:
    """Changes objects of all kinds as requests ask for it."""

    def __init__(self, store: Store, creator: Creator, updater: Updater) -> None:
        self._store = store
        self._creator = creator
        self._updater = updater

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
        old = self._store.get(kind.key, namespace, name)
        concerns(old or {})
        if old is None:
            if subresource or not strategy_of(kind).create_on_update:
                raise not_found(kind, name)
            return Written(self._creator.create(kind, new, namespace, now_s, options), True)
        uid, version = new["metadata"].get("uid"), new["metadata"].get("resourceVersion")
        if uid and uid != old["metadata"]["uid"]:
            raise uid_conflict(kind, namespace, name, uid, old["metadata"]["uid"])
        if version in UNCONDITIONAL and not strategy_of(kind).unconditional_update:
            why = "must be specified for an update"
            fault = FieldError("metadata.resourceVersion", 0, why)
            raise invalid(name, [fault], kind.plural, kind.group)
        return Written(self._updater.update(kind, old, new, now_s, options, subresource), False)

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
        old = self._store.get(kind.key, namespace, name)
        concerns(old or {})
        if patch.patch_type == PatchType.APPLY:
            return self._apply(kind, namespace, name, old, patch, now_s, options, subresource)
        if old is None:
            raise not_found(kind, name)
        result = patched(kind, old, patch)
        new = result.obj
        if new.get("metadata") is not old["metadata"]:
            check_key(new.get("metadata") or {}, namespace, name)
            new = _in_namespace(new, namespace)
        updated = self._updater.update(kind, old, new, now_s, options, subresource)
        return Written(updated, False, result.warnings)

    def _apply(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        old: Object | None,
        patch: PatchRequest,
        now_s: float,
        options: WriteOptions,
        subresource: str,
    ) -> Written:
        """Server-side apply, which creates what isn't there; owners are noted as it goes."""
        if old is None and subresource:
            raise not_found(kind, name)
        applied = apart(
            apply_configuration,
            kind,
            None if old is None else shown_version(kind, old, patch.api_version),
            patch.body,
            manager=options.field_manager,
            now_s=now_s,
            force=options.force,
            api_version=patch.api_version,
            subresource=subresource,
        )
        metadata = applied.get("metadata") or {}
        if old is None and metadata.get("uid"):
            raise conflict(kind.plural, name, _NOBODY.format(metadata["uid"]), kind.group)
        check_key(metadata, namespace, name)
        new = _in_namespace(stored_version(kind, applied), namespace)
        if old is None:
            owners = new["metadata"].get("managedFields") or ()
            created = self._creator.create(kind, new, namespace, now_s, options, owners)
            return Written(created, True)
        untracked = replace(options, field_manager="")
        return Written(self._updater.update(kind, old, new, now_s, untracked, subresource), False)


def patched(kind: Kind, current: Object, patch: PatchRequest) -> Patched:
    """The object with a patch applied, in the kind's own version."""
    result = apart(
        apply_patch,
        kind,
        shown_version(kind, current, patch.api_version),
        patch.patch_type,
        patch.body,
        api_version=patch.api_version,
        field_validation=patch.field_validation,
    )
    obj = stored_version(kind, result.obj)
    return result if obj is result.obj else Patched(obj, result.warnings)


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
