"""Create: completes a client's object with the fields that only the server sets, and stores it."""

from collections.abc import Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.objects import Object, controller_of, metadata_of
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.process.recent_values import Recent
from podium.api.values.generated_names import generated_names
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.kinds.registration.registrations import faults_of, registration_of
from podium.apiserver.kinds.registration.strategy import Creation
from podium.apiserver.long_work import apart, kept
from podium.apiserver.refusals import bad_request, invalid
from podium.apiserver.store.store import Store
from podium.apiserver.versions import stored_version

_NAMELESS = FieldError(
    "metadata.name", None, "name or generateName is required", ErrorKind.REQUIRED
)
_NAMED_MAX = 10_000
_SERVER_FIELDS = frozenset(
    [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
        "managedFields",
    ]
)


def received(request: Attributes, obj: Object) -> Object:
    """The object in its kind's own version, in its namespace, without what only servers say.

    Raises RefusedError: 400, it says that it belongs into another namespace.
    """
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
    """A random UUID (version 4)."""
    bits = rng.getrandbits(128)
    digits = f"{bits:032x}"
    variant = "89ab"[bits >> 62 & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


class Maker:
    """Makes new objects ready to be stored; generated names depend on a salt."""

    def __init__(self, store: Store, rng: Random, names_salt: str) -> None:
        self._store = store
        self._rng = rng
        self._names_salt = names_salt
        self._names: Recent[tuple[str, str], Iterator[str]] = Recent(_NAMED_MAX)

    def prepared(self, request: Attributes, obj: Object) -> Object:
        """The object as it would be stored; raises RefusedError: 422, with all its faults."""
        kind = request.kind
        registration = registration_of(kind)
        metadata = {**obj["metadata"], "uid": kept("uid", lambda: new_uid(self._rng))}
        metadata["creationTimestamp"] = timestamp(request.now_s)
        name = self._name(kind, metadata)
        if name:
            metadata["name"] = name
        if registration.strategy.counts_generations:
            metadata["generation"] = 1
        creation = Creation(
            request.now_s, self._rng, lambda: [*self._store.list(kind.key).items], request.user
        )
        obj = registration.prepared({**obj, "metadata": metadata}, creation)
        name = str(obj["metadata"].get("name") or "")
        faults = apart(faults_of, kind, obj)
        if not name:
            faults = [_NAMELESS, *faults]
        if faults:
            raise invalid(name, faults, kind.name, kind.group)
        return obj

    def _name(self, kind: Kind, metadata: Mapping[str, Any]) -> str:
        """The object's own name, or one that begins as it says; empty if it says nothing.

        The same owner's objects are named alike in each run, whatever else is created.
        """
        base, namespace = metadata.get("generateName"), metadata.get("namespace", "")
        if metadata.get("name") or not base:
            return str(metadata.get("name") or "")
        owner = controller_of({"metadata": metadata}) or {"kind": kind.name, "name": base}
        identity = f"{self._names_salt}{owner['kind']} {namespace}/{owner['name']}"
        names = self._names.get((identity, base))
        if names is None:

            def is_taken(name: str) -> bool:
                return self._store.get(kind.key, namespace, name) is not None

            names = generated_names(base, identity, is_taken)
            self._names.put((identity, base), names)
        return str(kept("name", partial(next, names)))


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
    """The namespaces and priority classes that every cluster has."""
    for name in NAMESPACES:
        yield KINDS["Namespace"], {"metadata": {"name": name}}
    for name, value in SYSTEM_PRIORITY_CLASSES.items():
        priority_class = {"value": value, "description": _DESCRIPTIONS[name]}
        yield KINDS["PriorityClass"], {"metadata": {"name": name}, **priority_class}
