"""Update: what a request makes of a stored object, and whether it may become that."""

from collections.abc import Mapping
from typing import Any

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object, metadata_of, spec_of, without
from podium.api.values.integers import parse_count
from podium.apiserver.attributes import Attributes
from podium.apiserver.kinds.registration.registrations import (
    completed,
    registration_of,
    validate_update,
)
from podium.apiserver.long_work import apart
from podium.apiserver.patching import Patched, apply_patch, track, with_old_times
from podium.apiserver.refusals import bad_request, internal, invalid, modified
from podium.apiserver.verbs.list import version_fault
from podium.apiserver.verbs.verb_options import PatchRequest
from podium.apiserver.versions import shown_version, stored_version

UNCONDITIONAL = (None, "", "0")
"""In place of a resourceVersion: whichever version there is."""

# Kinds of which something can have a default that an update of the status can change.
_DEFAULTS_BESIDES_SPEC = frozenset({"Namespace", "Node", "ReplicationController"})
_KEPT = ("generation", "creationTimestamp", "resourceVersion", "selfLink")
_KEPT_UNLESS_GIVEN = ("uid", "namespace", "deletionGracePeriodSeconds")


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
    return result._replace(obj=stored_version(kind, result.obj))


def placed(request: Attributes, obj: Object) -> Object:
    """The object in the namespace of the request; raises RefusedError: 400, it is another one."""
    check_key(request, obj)
    namespace, metadata = request.namespace, metadata_of(obj)
    if metadata.get("namespace", "") == namespace:
        return obj
    place = {"namespace": namespace} if namespace else {}
    return {**obj, "metadata": {**without(metadata, "namespace"), **place}}


def check_key(request: Attributes, obj: Object) -> None:
    """Refuse an object with another name or namespace than requested; raises RefusedError: 400."""
    metadata = metadata_of(obj)
    own, place = metadata.get("name"), metadata.get("namespace")
    name, namespace = request.name, request.namespace
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


def tracked(request: Attributes, old: Object | None, new: Object) -> Object:
    """The object with managedFields that tell of this write, if its writer is named."""
    return apart(track, request, old, new) if request.options.field_manager else new


def completed_update(request: Attributes, old: Object, new: Object) -> Object:
    """The object with its defaults and owners."""
    kind = request.kind
    is_custom = isinstance(kind, CustomKind)
    if request.subresource != "status" or is_custom or kind.key in _DEFAULTS_BESIDES_SPEC:
        new = apart(completed, kind, new, is_new=False)
    if not request.options.field_manager:
        return new
    new = tracked(request, old, new)
    # Named even if there are none, as an update that leaves them out keeps what there is.
    return {**new, "metadata": {"managedFields": [], **new["metadata"]}}


def check_version(kind: Kind, metadata: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """Refuse a write that goes by an older version than the stored one.

    Raises RefusedError: 409; or 500, as upstream has it, if that is no version.
    """
    version = metadata.get("resourceVersion")
    if version == before["resourceVersion"] or version in UNCONDITIONAL:
        return
    if parse_count(version) is None:
        raise internal(version_fault(version))
    raise modified(kind, before["name"])


def prepared_update(request: Attributes, old: Object, new: Object) -> Object:
    """The object as it would be stored; raises RefusedError: 422, with all its faults."""
    kind, subresource = request.kind, request.subresource
    if new["metadata"] is not old["metadata"]:
        settled = _settled(new["metadata"], old["metadata"])
        new = {**new, "metadata": old["metadata"] if settled == old["metadata"] else settled}
    strategy = registration_of(kind).strategy
    prepare = strategy.subresources[subresource] if subresource else strategy.update
    new = with_old_times(prepare(new, old, request.now_s), old)
    faults = apart(validate_update, kind, new, old, subresource)
    if faults:
        raise invalid(request.name, faults, kind.name, kind.group)
    return new


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


def is_finished_off(old: Object, new: Object) -> bool:
    """Whether nothing holds an object any more that was to be deleted."""
    before = old["metadata"]
    if not before.get("deletionTimestamp") or before.get("deletionGracePeriodSeconds"):
        return False
    spec_finalizers = new["kind"] == "Namespace" and spec_of(new).get("finalizers")
    return not (new["metadata"].get("finalizers") or spec_finalizers)
