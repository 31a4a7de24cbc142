"""Create and update: the version of an object to store, and whether the change is allowed."""

from collections.abc import Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object, controller_of, metadata_of, spec_of, without
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.process.recent_values import Recent
from podium.api.values.generated_names import generated_names
from podium.api.values.integers import parse_count
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.typed import DecodedObject
from podium.apiserver.kinds.registration import registrations
from podium.apiserver.kinds.registration.registrations import faults_of, registration_of
from podium.apiserver.kinds.registration.strategy import Creation
from podium.apiserver.long_work import apart, kept
from podium.apiserver.patching.ownership.owners import track, with_old_times
from podium.apiserver.patching.patch_result import PatchRequest, apply_patch
from podium.apiserver.refusals import bad_request, internal, invalid, modified
from podium.apiserver.registry import shown_version, stored_version
from podium.apiserver.store.store import Store
from podium.apiserver.verbs.reading import ANY_VERSION, version_fault

_NAMELESS = FieldError(
    "metadata.name", None, "name or generateName is required", ErrorKind.REQUIRED
)
_NAMED_MAX = 10_000
_SERVER_FIELDS = (
    *("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"),
    *("selfLink", "managedFields"),
)


def received(request: Attributes, obj: Object) -> Object:
    """Return a client's object in its stored version, as far as clients set it."""
    metadata = {
        field: value
        for field, value in metadata_of(obj).items()
        if value and field not in _SERVER_FIELDS
    }
    own = metadata.pop("namespace", request.namespace)
    if request.namespace:
        metadata["namespace"] = request.namespace
        if own != request.namespace:
            why = "does not match the namespace sent on the request"
            raise bad_request(f"the namespace of the provided object {why}")
    return {**stored_version(request.kind, obj), "metadata": metadata}


def new_uid(rng: Random) -> str:
    """Return a random UUID (version 4)."""
    bits = rng.getrandbits(128)
    digits = f"{bits:032x}"
    variant = "89ab"[bits >> 62 & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


class Maker:
    """Prepares new objects for storage; a salt changes generated names."""

    def __init__(self, store: Store, rng: Random, names_salt: str) -> None:
        self._store = store
        self._rng = rng
        self._names_salt = names_salt
        self._names: Recent[tuple[str, str], Iterator[str]] = Recent(_NAMED_MAX)

    def prepared(self, request: Attributes, obj: Object) -> Object:
        """Return a new object in the form to store; raises RefusedError (422) if it is invalid."""
        kind = request.kind
        registration = registration_of(kind)
        metadata = {**obj["metadata"], "uid": kept("uid", lambda: new_uid(self._rng))}
        metadata["creationTimestamp"] = timestamp(request.now_s)
        base, namespace = metadata.get("generateName"), metadata.get("namespace", "")
        if base and not metadata.get("name"):
            # Objects of one owner get the same names in each run, whatever else is created.
            owner = controller_of({"metadata": metadata}) or {"kind": kind.name, "name": base}
            identity = f"{self._names_salt}{owner['kind']} {namespace}/{owner['name']}"
            names = self._names.get((identity, base))
            if names is None:

                def is_taken(name: str) -> bool:
                    return self._store.get(kind.key, namespace, name) is not None

                names = generated_names(base, identity, is_taken)
                self._names.put((identity, base), names)
            metadata["name"] = kept("name", partial(next, names))
        if registration.strategy.counts_generations:
            metadata["generation"] = 1
        creation = Creation(
            request.now_s, self._rng, lambda: [*self._store.list(kind.key).items], request.user
        )
        obj = registration.prepared({**obj, "metadata": metadata}, creation)
        name = str(obj["metadata"].get("name") or "")
        faults = [
            *namespace_faults(self._store, request, obj, None),
            *apart(faults_of, kind, obj),
        ]
        if not name:
            faults = [_NAMELESS, *faults]
        if faults:
            raise invalid(name, faults, kind.name, kind.group)
        return obj


NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")

_DESCRIPTIONS = {
    "system-node-critical": (
        "Used for system critical pods that must not be moved from their current node."
    ),
    "system-cluster-critical": (
        "Used for system critical pods that must run in the cluster, but can be moved to another "
        "node if necessary."
    ),
}


def first_objects() -> Iterator[tuple[Kind, Object]]:
    """Yield the initial namespaces and PriorityClasses of every cluster."""
    for name in NAMESPACES:
        yield KINDS["Namespace"], {"metadata": {"name": name}}
    for name, value in SYSTEM_PRIORITY_CLASSES.items():
        priority_class = {"value": value, "description": _DESCRIPTIONS[name]}
        yield KINDS["PriorityClass"], {"metadata": {"name": name}, **priority_class}


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


def namespace_faults(
    store: Store, request: Attributes, obj: Object, old: Object | None
) -> Iterator[FieldError]:
    """Yield the faults of a new object or a changed subresource that depend on the namespace."""
    rules = registration_of(request.kind).namespace_rules
    if rules and (old is None or request.subresource) and request.subresource in rules:
        namespace = store.get("Namespace", "", request.namespace) or {}
        yield from rules[request.subresource](obj, old, namespace)


def prepared_update(store: Store, request: Attributes, old: Object, new: Object) -> Object:
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
    faults = [
        *namespace_faults(store, request, new, old),
        *apart(registrations.validate_update, kind, new, old, subresource),
    ]
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
