"""The API server without a network: the verbs of kube-apiserver v1.36 for all its clients."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TypeVar

import msgspec
from msgspec import structs

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.kinds.custom_kinds import DEFINITION, CustomKind
from podium.api.objects import Object, is_terminating, metadata_of, place_of
from podium.api.objects import name as name_of
from podium.api.usage import UsageReader
from podium.apiserver import refusals
from podium.apiserver.admission.chain import Admission
from podium.apiserver.admission.plugin import AdmissionOptions, Derived
from podium.apiserver.attributes import Attributes, Operation, WriteOptions
from podium.apiserver.authentication.users import ServiceAccountTokens
from podium.apiserver.custom_resources.definition_effects import settle
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.kinds.registration.registrations import completed, registration_of
from podium.apiserver.long_work import apart, concerns, is_long
from podium.apiserver.patching.ownership.owners import apply_configuration
from podium.apiserver.patching.patch_result import PatchRequest
from podium.apiserver.rbac.authorizer import Authorizer, check_grant
from podium.apiserver.rbac.claim_status import check_claim_status
from podium.apiserver.registry import Registry, shown_version, stored_version
from podium.apiserver.schema.struct_types import METRICS
from podium.apiserver.selection import ALL, Selection
from podium.apiserver.store.kind_index import Page
from podium.apiserver.store.store import Store
from podium.apiserver.subresources.bind_and_evict import bind, check_binding, evict
from podium.apiserver.subresources.scale import scale_of, with_patched_scale, with_scale
from podium.apiserver.verbs import writing as updates
from podium.apiserver.verbs.delete import answer, check_preconditions, marked
from podium.apiserver.verbs.reading import WatchStream, list_objects
from podium.apiserver.verbs.verb_options import Deleted, DeleteOptions, ListOptions, Written
from podium.apiserver.verbs.writing import Maker, first_objects, received

__all__ = [
    "ApiOptions",
    "ApiServer",
    "Attributes",
    "DeleteOptions",
    "Deleted",
    "ListOptions",
    "PatchRequest",
    "WatchStream",
    "WriteOptions",
    "Written",
]

OBJECT_BYTES_MAX = 7 * 2**20
"""The largest object, as JSON. kube-apiserver's limit is 1.5 MiB of Protobuf, in which parts with
long names and short values, such as containers, are a fifth as long."""

_T = TypeVar("_T")

_DELETE = DeleteOptions()
_LIST = ListOptions()
_POD, _BUDGET = KINDS["Pod"], KINDS["PodDisruptionBudget"]
_SCALE = "scale"
_CLOSING = "create not allowed while custom resource definition is terminating"
_NO_SUCH_UID = (
    "uid mismatch: the provided object specified uid {}, and no existing object was found"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiOptions:
    """Options of a server: admission, optional kinds, and the salt of generated names."""

    admission: AdmissionOptions = field(default_factory=AdmissionOptions)
    names_salt: str = ""
    kinds: tuple[Kind, ...] = ()


class ApiServer:
    """Executes the verbs of the API on a store.

    A write takes `Attributes`, which identify the object, and the object or patch to write.
    Namespaces are empty for cluster-scoped kinds and, in lists and watches, for all namespaces.
    Objects are JSON values that are shared with the store and must not be modified. Every verb
    raises `RefusedError` where kube-apiserver returns an error.
    """

    def __init__(self, store: Store, rng: Random, options: ApiOptions | None = None) -> None:
        """Serve the objects of a store; `rng` is the source of uids, addresses and ports."""
        options = options or ApiOptions()
        self.store = store
        self._admission = Admission(store, options.admission)
        self._maker = Maker(store, rng, options.names_salt)
        self.service_account_tokens: ServiceAccountTokens | None = None
        self.reaches_nodes = False
        """Whether logs are fetched from kubelets."""
        self.usage: UsageReader | None = None
        """Reads the resource usage of nodes and pods; None without metrics."""
        self.authorizer = Authorizer(store)
        self._registry = partial(Registry, optional=options.kinds)
        self._kinds = Derived(store, DEFINITION.key, self._registry)

    @property
    def kinds(self) -> Registry:
        """The kinds that are currently served."""
        return self._kinds()

    def serve_metrics(self, usage: UsageReader) -> None:
        """Serve the usage of nodes and pods as metrics.k8s.io."""
        self.usage = usage
        served = partial(self._registry, unstored=METRICS.values())
        self._kinds = Derived(self.store, DEFINITION.key, served)

    def bootstrap(self, now_s: float, objects: Iterable[tuple[Kind, Object]] | None = None) -> None:
        """Create the objects that don't exist yet, by default the initial ones of every cluster."""
        for kind, obj in first_objects() if objects is None else objects:
            if self.store.get(kind.key, *place_of(obj)) is None:
                self.create(Attributes(kind, place_of(obj)[0], "", now_s), obj)

    def get(self, kind: Kind, namespace: str, name: str) -> Object:
        """Return a stored object."""
        obj = self.store.get(kind.key, namespace, name)
        if obj is None:
            raise refusals.not_found(kind, name)
        return obj

    def list(
        self, kind: Kind, namespace: str, selection: Selection = ALL, options: ListOptions = _LIST
    ) -> Page:
        """List objects by namespace and name."""
        return list_objects(self.store, kind, namespace, selection, options)

    def watch(
        self, kind: Kind, namespace: str, selection: Selection = ALL, options: ListOptions = _LIST
    ) -> WatchStream:
        """Start a watch of the objects of a selection."""
        return WatchStream(self.store, kind, namespace, selection, options)

    def create(
        self, request: Attributes, obj: Object, owners: Sequence[Object] | None = None
    ) -> Object:
        """Create an object by `name` or `generateName`; `owners` are its managedFields if given."""
        kind = request.kind
        if isinstance(kind, CustomKind) and kind.is_closing:
            raise refusals.forbidden(kind, name_of(obj), _CLOSING)
        request = structs.replace(request, operation=Operation.CREATE, name="")
        obj = apart(completed, kind, received(request, obj))
        if owners is None:
            obj = updates.tracked(request, None, obj)
        else:
            obj = {**obj, "metadata": {**obj["metadata"], "managedFields": owners}}
        check_grant(self.authorizer, request, obj)
        obj = self._maker.prepared(request, self._admission.admit(request, obj))
        charged = self._admission.validate(request, obj)
        version = obj["metadata"].get("resourceVersion") or ""
        # kube-apiserver ignores 0 and texts that are no number.
        if version.isdecimal() and version.strip("0"):
            raise refusals.internal("resourceVersion should not be set on objects to be created")
        return self._settled(request, self._write(request, obj, charged, is_new=True))

    def replace(self, request: Attributes, obj: Object) -> Written:
        """Replace an object or a subresource; if missing, objects of some kinds are created."""
        kind, name = request.kind, request.name
        old = self.store.get(kind.key, request.namespace, name)
        concerns(old or {})
        options = registration_of(kind).strategy.options
        if request.subresource == _SCALE and old is not None:
            return self._scale(request, old, with_scale(request, old, obj))
        new = stored_version(kind, updates.placed(request, obj))
        if old is None:
            if request.subresource or "create-on-update" not in options:
                raise refusals.not_found(kind, name)
            return Written(self.create(request, new), True)
        uid, version = new["metadata"].get("uid"), new["metadata"].get("resourceVersion")
        if uid and uid != old["metadata"]["uid"]:
            raise refusals.uid_conflict(kind, request.namespace, name, uid, old["metadata"]["uid"])
        if version in updates.UNCONDITIONAL and "conditional" in options:
            fault = FieldError("metadata.resourceVersion", 0, "must be specified for an update")
            raise refusals.invalid(name, [fault], kind.plural, kind.group)
        return Written(self._update(request, old, new), False)

    def patch(self, request: Attributes, patch: PatchRequest) -> Written:
        """Patch an object or a subresource; server-side apply creates a missing object."""
        request = structs.replace(request, verb="patch")
        kind = request.kind
        is_apply = patch.patch_type == PatchType.APPLY
        old = self.store.get(kind.key, request.namespace, request.name)
        concerns(old or {})
        if old is None and (not is_apply or request.subresource):
            raise refusals.not_found(kind, request.name)
        if request.subresource == _SCALE and old is not None:
            return self._scale(request, old, with_patched_scale(request, old, patch))
        if old is not None and not is_apply:
            result = updates.patched(kind, old, patch)
            new = result.obj
            if new.get("metadata") is not old["metadata"]:
                new = updates.placed(request, new)
            return Written(self._update(request, old, new), False, result.warnings)
        # Server-side apply updates managedFields itself.
        live = None if old is None else shown_version(kind, old, patch.api_version)
        applied = apart(apply_configuration, request, live, patch.body, patch.api_version)
        uid = metadata_of(applied).get("uid")
        if old is None and uid:
            raise refusals.conflict(kind.plural, request.name, _NO_SUCH_UID.format(uid), kind.group)
        new = stored_version(kind, updates.placed(request, applied))
        owners = new["metadata"].get("managedFields") or []
        if old is None:
            return Written(self.create(request, new, owners), True)
        # Present even if empty, as an update without the field keeps the stored entries.
        new = {**new, "metadata": {**new["metadata"], "managedFields": owners}}
        return Written(self._update(request.untracked(), old, new), False)

    def _scale(self, request: Attributes, old: Object, new: Object) -> Written:
        updated = self._update(structs.replace(request.untracked(), subresource=""), old, new)
        return Written(scale_of(request.kind, updated), False)

    def _update(self, request: Attributes, old: Object, new: Object) -> Object:
        """Store an updated object, unless it is equal to the stored one.

        If the update removes the last finalizer of a terminating object, the object is deleted, and
        returned in its last state.
        """
        request = structs.replace(request, operation=Operation.UPDATE, old=old)
        new = updates.completed_update(request, old, new)
        check_grant(self.authorizer, request, new)
        new = self._admission.admit(request, new)
        updates.check_version(request.kind, new["metadata"], old["metadata"])
        new = updates.prepared_update(self.store, request, old, new)
        check_claim_status(self.authorizer, request, new)
        charged = self._admission.validate(request, new)
        if updates.is_finished_off(old, new):
            self._remove(request, old)
        elif new == old:
            new = old
        else:
            new = self._write(request, new, charged)
        return self._settled(request, new)

    def delete(self, request: Attributes, how: DeleteOptions = _DELETE) -> Deleted:
        """Delete an object, or mark it as terminating if a grace period or finalizers keep it."""
        return self._settled(request, self._delete(request, how))

    def _delete(self, request: Attributes, how: DeleteOptions) -> Deleted:
        kind = request.kind
        obj = self.get(kind, request.namespace, request.name)
        check_preconditions(kind, obj["metadata"], how)
        request = structs.replace(request, operation=Operation.DELETE, subresource="", old=obj)
        self._admission.admit(request, obj)
        self._admission.validate(request, obj)
        noted, goes = marked(kind, obj, how, request.now_s)
        if noted is not obj:
            noted = self._write(request, noted)
        if not goes:
            return Deleted(noted, False, noted)
        last = self._remove(request, noted)
        return Deleted(last, True, answer(kind, last))

    def delete_collection(
        self,
        request: Attributes,
        selection: Selection = ALL,
        how: DeleteOptions = _DELETE,
        options: ListOptions = _LIST,
    ) -> Page:
        """Delete the objects of a list, and return the list as it was before."""
        listing = self.list(request.kind, request.namespace, selection, options)
        for obj in listing.items:
            place, name = place_of(obj)
            self._delete(structs.replace(request, namespace=place, name=name), how)
        return self._settled(request, listing)

    def bind(self, request: Attributes, binding: Object) -> Object:
        """Bind a pod to the node in a `Binding`, and return the pod."""
        binding = self._admitted(request, "binding", binding)
        check_binding(binding)
        pod = self.get(_POD, request.namespace, request.name)
        return self._write(request, bind(pod, binding, request.now_s))

    def evict(self, request: Attributes, eviction: Object) -> None:
        """Evict a pod as requested by an `Eviction`, if its disruption budget allows it."""
        eviction = self._admitted(request, "eviction", eviction)
        pod = self.get(_POD, request.namespace, request.name)
        budgets = self.store.list(_BUDGET.name, request.namespace).items
        granted = evict(pod, budgets, eviction, request.now_s)
        if request.options.dry_run or granted.delete_options.get("dryRun"):
            return
        with self.store.transaction():
            if granted.budget is not None:
                self._write(structs.replace(request, kind=_BUDGET), granted.budget)
            if granted.pod != pod:
                self._write(request, granted.pod)
            self._delete(request, DeleteOptions.of(granted.delete_options))

    def _admitted(self, request: Attributes, subresource: str, obj: Object) -> Object:
        request = structs.replace(request, operation=Operation.CREATE, subresource=subresource)
        obj = self._admission.admit(request, obj)
        if metadata_of(obj).get("name") != request.name:
            what = f"{subresource.capitalize()} object"
            raise refusals.bad_request(f"name in URL does not match name in {what}")
        self._admission.validate(request, obj)
        return obj

    def _write(
        self,
        request: Attributes,
        obj: Object,
        charged: Sequence[Object] = (),
        *,
        is_new: bool = False,
    ) -> Object:
        """Add or replace an object together with the charged quotas, unless this is a dry run."""
        kind, size = request.kind, len(apart(msgspec.json.encode, obj)) if is_long() else 0
        if size > OBJECT_BYTES_MAX:
            most = f"at most {OBJECT_BYTES_MAX} are kept"
            raise refusals.entity_too_large(f"the object would take {size} bytes as JSON; {most}")
        existing = self.store.get(kind.key, *place_of(obj)) if is_new else None
        if existing is not None:
            ending = is_terminating(existing)
            raise refusals.already_exists(kind, name_of(obj), is_terminating=ending)
        if request.options.dry_run:
            return obj
        write = self.store.create if is_new else self.store.update
        if not charged:
            return write(kind.key, obj)
        with self.store.transaction():
            for quota in charged:
                self.store.update(quota["kind"], quota)
            return write(kind.key, obj)

    def _remove(self, request: Attributes, obj: Object) -> Object:
        """Remove an object from the store, and return its last state."""
        if request.options.dry_run:
            return obj
        return self.store.delete(request.kind.key, request.namespace, request.name)

    def settle(self, now_s: float) -> None:
        """Process CustomResourceDefinitions that were written directly to the store."""
        with self.store.transaction():
            settle(self.store, lambda *target: self._delete(Attributes(*target), _DELETE), now_s)

    def _settled(self, request: Attributes, result: _T) -> _T:
        kind = request.kind
        if kind is DEFINITION or (isinstance(kind, CustomKind) and kind.is_closing):
            self.settle(request.now_s)
        return result
