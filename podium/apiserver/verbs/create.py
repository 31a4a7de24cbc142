"""Create: adds the fields that the server sets to a client's object."""

from collections.abc import Iterator
from functools import partial
from random import Random

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
        faults = apart(faults_of, kind, obj)
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
