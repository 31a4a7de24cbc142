"""Create: from what a client sends to a stored object."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.kinds import Kind
from podium.api.times import timestamp
from podium.apiserver.admission import Admission, Operation, Request
from podium.apiserver.defaulting import apply_defaults
from podium.apiserver.long_work import apart, kept
from podium.apiserver.patching import track
from podium.apiserver.refusals import bad_request, internal, invalid, no_generated_name
from podium.apiserver.strategy import Creation, strategy_of
from podium.apiserver.validation import first_faults
from podium.apiserver.verbs.identities import generated_name, new_uid, without_server_fields
from podium.apiserver.verbs.options import WriteOptions
from podium.apiserver.verbs.writing import Writer
from podium.apiserver.versions import stored_version
from podium.store.store import Store

Object = Mapping[str, Any]

_NAMELESS = FieldError(
    "metadata.name", None, "name or generateName is required", ErrorKind.REQUIRED
)
_OTHER_NAMESPACE = (
    "the namespace of the provided object does not match the namespace sent on the request"
)


class Creator:
    """Creates objects of all kinds."""

    def __init__(self, store: Store, writer: Writer, admission: Admission, rng: Random) -> None:
        self._store = store
        self._writer = writer
        self._admission = admission
        self._rng = rng
        # Apart, so that names don't depend on how many other objects were created.
        self._names_rng = Random(rng.getrandbits(64))

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
        obj = apart(apply_defaults, _received(kind, obj, namespace), kind.name)
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
        if obj["metadata"].get("resourceVersion"):
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
        creation = Creation(now_s, self._rng, lambda: [*self._store.list(kind.name).items])
        obj = strategy.create({**obj, "metadata": metadata}, creation)
        faults = apart(first_faults, obj)
        if not name:
            faults = [_NAMELESS, *faults]
        if faults:
            raise invalid(name, faults, kind.name, kind.group)
        return obj

    def _name(self, kind: Kind, metadata: Mapping[str, Any]) -> str:
        base, namespace = metadata.get("generateName"), metadata.get("namespace", "")
        if metadata.get("name") or not base:
            return str(metadata.get("name") or "")

        def is_taken(name: str) -> bool:
            return self._store.get(kind.name, namespace, name) is not None

        name = kept("name", lambda: generated_name(base, self._names_rng, is_taken))
        if is_taken(name):
            raise no_generated_name(kind, name)
        return name


def _received(kind: Kind, obj: Object, namespace: str) -> Object:
    """The object in its kind's own version, in its namespace, without what only servers say."""
    metadata = without_server_fields(obj.get("metadata") or {})
    own = metadata.pop("namespace", namespace)
    if namespace:
        metadata["namespace"] = namespace
        if own != namespace:
            raise bad_request(_OTHER_NAMESPACE)
    return {**stored_version(kind, obj), "metadata": metadata}
