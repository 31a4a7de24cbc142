"""Update: the new version of a stored object, and whether the change is allowed."""

from collections.abc import Mapping
from typing import Any

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object, metadata_of, spec_of, without
from podium.api.values.integers import parse_count
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding import DecodedObject
from podium.apiserver.kinds.registration import registrations
from podium.apiserver.long_work import apart
from podium.apiserver.patching import PatchRequest, apply_patch, track, with_old_times
from podium.apiserver.refusals import bad_request, internal, invalid, modified
from podium.apiserver.verbs.list import ANY_VERSION, version_fault
from podium.apiserver.versions import shown_version, stored_version

UNCONDITIONAL = (None, *ANY_VERSION)
"""Values of resourceVersion that stand for any stored version."""

# Kinds with defaults that an update of the status can change.
_DEFAULTS_BESIDES_SPEC = frozenset({"Namespace", "Node", "ReplicationController"})
_KEPT = ("generation", "creationTimestamp", "resourceVersion", "selfLink")
_KEPT_UNLESS_GIVEN = ("uid", "namespace", "deletionGracePeriodSeconds")


def patched(kind: Kind, current: Object, patch: PatchRequest) -> DecodedObject:
    """Apply a patch to an object, and return it in the kind's stored version."""
    result = apart(apply_patch, kind, shown_version(kind, current, patch.api_version), patch)
    return DecodedObject(stored_version(kind, result.obj), result.warnings)


def placed(request: Attributes, obj: Object) -> Object:
    """Return an object with the request's namespace; raises RefusedError as `check_key` does."""
    check_key(request, obj)
    namespace, metadata = request.namespace, metadata_of(obj)
    if metadata.get("namespace", "") == namespace:
        return obj
    place = {"namespace": namespace} if namespace else {}
    return {**obj, "metadata": {**without(metadata, "namespace"), **place}}


def check_key(request: Attributes, obj: Object) -> None:
    """Check an object's name and namespace against the request; raises RefusedError (400)."""
    metadata = metadata_of(obj)
    own, own_namespace = metadata.get("name"), metadata.get("namespace")
    name, namespace = request.name, request.namespace
    if not own:
        why = "name must be provided"
        raise bad_request(f"the name of the object ({name} based on URL) was undeterminable: {why}")
    if own != name:
        raise bad_request(
            f"the name of the object ({own}) does not match the name on the URL ({name})"
        )
    if namespace and own_namespace and own_namespace != namespace:
        raise bad_request(
            f"the namespace of the object ({own_namespace}) does not match the namespace on the "
            f"request ({namespace})"
        )


def tracked(request: Attributes, old: Object | None, new: Object) -> Object:
    """Return an object with managedFields updated, if the request has a field manager."""
    return apart(track, request, old, new) if request.options.field_manager else new


def completed_update(request: Attributes, old: Object, new: Object) -> Object:
    """Return an updated object with defaults and managedFields."""
    kind = request.kind
    is_custom = isinstance(kind, CustomKind)
    if request.subresource != "status" or is_custom or kind.key in _DEFAULTS_BESIDES_SPEC:
        new = apart(registrations.completed, kind, new, is_new=False)
    if not request.options.field_manager:
        return new
    new = tracked(request, old, new)
    # Present even if empty, as an update without the field keeps the stored entries.
    return {**new, "metadata": {"managedFields": [], **new["metadata"]}}


def check_version(kind: Kind, metadata: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """Check an update's resourceVersion against the stored one; raises RefusedError."""
    version = metadata.get("resourceVersion")
    if version == before["resourceVersion"] or version in UNCONDITIONAL:
        return
    if parse_count(version) is None:
        raise internal(version_fault(version))
    raise modified(kind, before["name"])


def prepared_update(request: Attributes, old: Object, new: Object) -> Object:
    """Return an updated object in the form to store; raises RefusedError (422) if it is invalid."""
    kind, subresource = request.kind, request.subresource
    if new["metadata"] is not old["metadata"]:
        # Fields that an update can't set keep their values, and empty ones go. A change that is
        # refused, such as another uid, is left to validation.
        metadata, before = new["metadata"], old["metadata"]
        settled = {
            field: value
            for field, value in metadata.items()
            if (value or value == 0) and field not in _KEPT
        }
        settled |= {field: before[field] for field in _KEPT if field in before}
        for field in _KEPT_UNLESS_GIVEN:
            if field in before:
                settled.setdefault(field, before[field])
        if before.get("deletionTimestamp"):
            settled["deletionTimestamp"] = before["deletionTimestamp"]
        if "managedFields" in before and "managedFields" not in metadata:
            settled["managedFields"] = before["managedFields"]
        new = {**new, "metadata": before if settled == before else settled}
    strategy = registrations.registration_of(kind).strategy
    prepare = strategy.subresources[subresource] if subresource else strategy.update
    new = with_old_times(prepare(new, old, request.now_s), old)
    faults = apart(registrations.validate_update, kind, new, old, subresource)
    if faults:
        raise invalid(request.name, faults, kind.name, kind.group)
    return new


def is_finished_off(old: Object, new: Object) -> bool:
    """Return whether an update removes the last finalizer of a terminating object."""
    before = old["metadata"]
    if not before.get("deletionTimestamp") or before.get("deletionGracePeriodSeconds"):
        return False
    spec_finalizers = new["kind"] == "Namespace" and spec_of(new).get("finalizers")
    return not (new["metadata"].get("finalizers") or spec_finalizers)
