"""Subresources that are verbs of their own: binding, eviction and scale."""

from dataclasses import replace
from typing import Any

from podium.api.kinds import KINDS, Kind
from podium.api.objects import Object, metadata_of
from podium.apiserver.admission import Admission, Operation, Request
from podium.apiserver.decoding import PatchType
from podium.apiserver.patching import apply_configuration, track
from podium.apiserver.refusals import bad_request
from podium.apiserver.subresources.binding import bind, check_binding
from podium.apiserver.subresources.eviction import evict
from podium.apiserver.subresources.scale import replicas_path, scale_of, scaled
from podium.apiserver.verbs.changing import check_key, patched
from podium.apiserver.verbs.deleting import Deleter
from podium.apiserver.verbs.options import DeleteOptions, PatchRequest, WriteOptions
from podium.apiserver.verbs.reading import get
from podium.apiserver.verbs.updating import Updater
from podium.apiserver.verbs.writing import Writer
from podium.store.store import Store

_POD, _BUDGET = KINDS["Pod"], KINDS["PodDisruptionBudget"]
_SCALE = Kind("autoscaling", "Scale", "scales")


class Subresources:
    """Binds and evicts pods, and scales workloads."""

    def __init__(
        self,
        store: Store,
        writer: Writer,
        admission: Admission,
        updater: Updater,
        deleter: Deleter,
    ) -> None:
        self._store = store
        self._writer = writer
        self._admission = admission
        self._updater = updater
        self._deleter = deleter

    def bind(
        self, namespace: str, name: str, binding: Object, now_s: float, options: WriteOptions
    ) -> Object:
        """See `ApiServer.bind`."""
        _check_name("Binding", binding, name)
        binding = self._admitted("binding", namespace, name, binding, now_s)
        check_binding(binding)
        bound = bind(get(self._store, _POD, namespace, name), binding, now_s)
        return self._writer.update(_POD, bound, dry_run=options.dry_run)

    def evict(
        self, namespace: str, name: str, eviction: Object, now_s: float, options: WriteOptions
    ) -> None:
        """See `ApiServer.evict`."""
        pod = get(self._store, _POD, namespace, name)
        eviction = self._admitted("eviction", namespace, name, eviction, now_s)
        budgets = self._store.list(_BUDGET.name, namespace).items
        granted = evict(pod, budgets, eviction, now_s)
        if options.dry_run or granted.delete_options.get("dryRun"):
            return
        how = DeleteOptions.of(granted.delete_options)
        with self._store.transaction():
            if granted.budget is not None:
                self._writer.update(_BUDGET, granted.budget, dry_run=False)
            if granted.pod != pod:
                self._writer.update(_POD, granted.pod, dry_run=False)
            self._deleter.delete(_POD, namespace, name, how, now_s, options)

    def get_scale(self, kind: Kind, namespace: str, name: str) -> Object:
        """See `ApiServer.get_scale`."""
        return scale_of(kind, get(self._store, kind, namespace, name))

    def replace_scale(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        scale: Object,
        now_s: float,
        options: WriteOptions,
    ) -> Object:
        """See `ApiServer.replace_scale`."""
        check_key(scale.get("metadata") or {}, namespace, name)
        workload = get(self._store, kind, namespace, name)
        return self._scale(kind, workload, scale, now_s, options)

    def patch_scale(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        patch: PatchRequest,
        now_s: float,
        options: WriteOptions,
    ) -> Object:
        """See `ApiServer.patch_scale`."""
        workload = get(self._store, kind, namespace, name)
        if patch.patch_type == PatchType.APPLY:
            return self._apply_scale(kind, workload, patch.body, now_s, options)
        scale, _ = patched(_SCALE, scale_of(kind, workload), replace(patch, api_version=""))
        check_key(scale.get("metadata") or {}, namespace, name)
        return self._scale(kind, workload, scale, now_s, options)

    def _scale(
        self, kind: Kind, workload: Object, scale: Object, now_s: float, options: WriteOptions
    ) -> Object:
        wanted = scaled(kind, workload, scale)
        if options.field_manager:
            manager, options = options.field_manager, replace(options, field_manager="")
            wanted = track(
                kind, workload, wanted, manager=manager, now_s=now_s, subresource="scale"
            )
        return scale_of(kind, self._updater.update(kind, workload, wanted, now_s, options))

    def _apply_scale(
        self,
        kind: Kind,
        workload: Object,
        configuration: Object,
        now_s: float,
        options: WriteOptions,
    ) -> Object:
        """Apply a Scale, which owns the workload's number of replicas."""
        manager = options.field_manager
        metadata = workload["metadata"]
        # Who owns what is told by the workload.
        scale = apply_configuration(
            _SCALE,
            scale_of(kind, workload),
            configuration,
            manager=manager,
            now_s=now_s,
            force=True,
        )
        check_key(scale.get("metadata") or {}, metadata.get("namespace", ""), metadata["name"])
        wanted = scaled(kind, workload, scale)
        owned = {
            "apiVersion": kind.api_version,
            "kind": kind.name,
            "metadata": {"name": metadata["name"]},
            **_only(wanted, replicas_path(kind)),
        }
        applied = apply_configuration(
            kind,
            workload,
            owned,
            manager=manager,
            now_s=now_s,
            force=options.force,
            subresource="scale",
        )
        owners = applied["metadata"]["managedFields"]
        wanted = {**wanted, "metadata": {**wanted["metadata"], "managedFields": owners}}
        untracked = replace(options, field_manager="")
        return scale_of(kind, self._updater.update(kind, workload, wanted, now_s, untracked))

    def _admitted(
        self, subresource: str, namespace: str, name: str, obj: Object, now_s: float
    ) -> Object:
        request = Request(
            operation=Operation.CREATE,
            kind=_POD,
            namespace=namespace,
            now_s=now_s,
            name=name,
            subresource=subresource,
        )
        obj = self._admission.admit(request, obj)
        self._admission.validate(request, obj)
        return obj


def _only(obj: Object, path: tuple[str, ...]) -> dict[str, Any]:
    """An object that says nothing but what stands at a path."""
    first, *rest = path
    return {first: _only(obj[first], tuple(rest)) if rest else obj[first]}


def _check_name(kind: str, obj: Object, name: str) -> None:
    if metadata_of(obj).get("name") != name:
        raise bad_request(f"name in URL does not match name in {kind} object")
