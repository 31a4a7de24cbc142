"""Create: from what a client sends to a stored object."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from podium.api.custom_kinds import CustomKind
from podium.api.errors import ErrorKind, FieldError
from podium.api.kinds import Kind
from podium.api.objects import Object, controller_of, metadata_of
from podium.api.objects import name as name_of
from podium.api.times import timestamp
from podium.apiserver.admission import Admission, Operation, Request
from podium.apiserver.custom.rules import completed, faults_of
from podium.apiserver.long_work import apart, kept
from podium.apiserver.patching import track
from podium.apiserver.refusals import bad_request, forbidden, internal, invalid
from podium.apiserver.strategy import Creation, strategy_of
from podium.apiserver.verbs.identities import new_uid, without_server_fields
from podium.apiserver.verbs.options import WriteOptions
from podium.apiserver.verbs.writing import Writer
from podium.apiserver.versions import stored_version
from podium.controllers.generated_names import generated_names
from podium.core.recent import Recent
from podium.store.store import Store

_NAMELESS = FieldError(
    "metadata.name", None, "name or generateName is required", ErrorKind.REQUIRED
)
_NAMED_MAX = 10_000
_OTHER_NAMESPACE = (
    "the namespace of the provided object does not match the namespace sent on the request"
)


_CLOSING = "create not allowed while custom resource definition is terminating"


class Creator:
    """Creates objects of all kinds."""

    def __init__(
        self, store: Store, writer: Writer, admission: Admission, rng: Random, names_salt: str
    ) -> None:
        self._store = store
        self._writer = writer
        self._admission = admission
        self._rng = rng
        self._names_salt = names_salt
        self._names: Recent[tuple[str, str], Iterator[str]] = Recent(_NAMED_MAX)

    def create(
        self,
        kind: Kind,
        obj: Object,
        namespace: str,
        now_s: float,
        options: WriteOptions,
        owners: Sequence[Object] | None = None,
    ) -> Object:
        """See `ApiServer.create`; `owners` are the managedFields, if they are known already."""
        if isinstance(kind, CustomKind) and kind.is_closing:
            raise forbidden(kind, name_of(obj), _CLOSING)
        obj = apart(completed, kind, _received(kind, obj, namespace))
        if owners is not None:
            obj = {**obj, "metadata": {**obj["metadata"], "managedFields": owners}}
        elif options.field_manager:
            manager = options.field_manager
            obj = apart(track, kind, None, obj, manager=manager, now_s=now_s)
        request = Request(operation=Operation.CREATE, kind=kind, namespace=namespace, now_s=now_s)
        obj = self._prepared(kind, self._admission.admit(request, obj), now_s)
        if options.judge is not None:
            options.judge(None, obj)
        charged = self._admission.validate(request, obj)
        version = obj["metadata"].get("resourceVersion") or ""
        # As kube-apiserver has it: 0, or what is no number, says nothing.
        if version.isdecimal() and version.strip("0"):
            raise internal("resourceVersion should not be set on objects to be created")
        return self._writer.create(kind, obj, charged, dry_run=options.dry_run)

    def _prepared(self, kind: Kind, obj: Object, now_s: float) -> Object:
        """The object as it would be stored, if nothing is wrong with it."""
        strategy = strategy_of(kind)
        metadata = {**obj["metadata"], "uid": kept("uid", lambda: new_uid(self._rng))}
        metadata["creationTimestamp"] = timestamp(now_s)
        name = self._name(kind, metadata)
        if name:
            metadata["name"] = name
        if strategy.counts_generations:
            metadata["generation"] = 1
        creation = Creation(now_s, self._rng, lambda: [*self._store.list(kind.key).items])
        obj = strategy.create({**obj, "metadata": metadata}, creation)
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


def _received(kind: Kind, obj: Object, namespace: str) -> Object:
    """The object in its kind's own version, in its namespace, without what only servers say."""
    metadata = without_server_fields(metadata_of(obj))
    own = metadata.pop("namespace", namespace)
    if namespace:
        metadata["namespace"] = namespace
        if own != namespace:
            raise bad_request(_OTHER_NAMESPACE)
    return {**stored_version(kind, obj), "metadata": metadata}
