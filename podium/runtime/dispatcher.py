"""The dispatcher: the only place where effects become calls of the API."""

from collections.abc import Callable, Mapping
from typing import Any

from podium.api.objects import Object
from podium.api.refused import RefusedError
from podium.apiserver.server import ApiServer
from podium.apiserver.verbs.options import DeleteOptions, PatchRequest
from podium.control.effects import Bind, Create, Delete, Effect, Evict, Patch, Replace
from podium.control.events import CallError, Outcome

_STRATEGIC = "application/strategic-merge-patch+json"


class Dispatcher:
    """Carries effects out on an API server in the same process.

    Records aren't calls but become some, by `podium.runtime.recorder`.

    Args:
        server: the API server.
    """

    def __init__(self, server: ApiServer) -> None:
        self._server = server
        self._calls: Mapping[type[Effect], Callable[[Any, float], Object | None]] = {
            Create: self._create,
            Replace: self._replace,
            Patch: self._patch,
            Delete: self._delete,
            Bind: self._bind,
            Evict: self._evict,
        }

    def call(self, effect: Effect, now_s: float) -> Outcome:
        """Make a call, and say what became of it.

        Raises:
            KeyError: the effect is no call.
        """
        try:
            return Outcome(effect, obj=self._calls[type(effect)](effect, now_s))
        except RefusedError as refused:
            return Outcome(effect, _error_of(refused))

    def _create(self, effect: Create, now_s: float) -> Object:
        namespace = effect.obj["metadata"].get("namespace", "")
        return self._server.create(
            self._server.kinds.named(effect.kind), effect.obj, namespace, now_s
        )

    def _replace(self, effect: Replace, now_s: float) -> Object:
        kind, metadata = self._server.kinds.named(effect.kind), effect.obj["metadata"]
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        if effect.subresource == "scale":
            return self._server.replace_scale(kind, namespace, name, effect.obj, now_s)
        return self._server.replace(
            kind, effect.obj, namespace, name, now_s, subresource=effect.subresource
        ).obj

    def _patch(self, effect: Patch, now_s: float) -> Object:
        kind, patch = self._server.kinds.named(effect.kind), PatchRequest(_STRATEGIC, effect.body)
        if effect.subresource == "scale":
            return self._server.patch_scale(kind, effect.namespace, effect.name, patch, now_s)
        return self._server.patch(
            kind, effect.namespace, effect.name, patch, now_s, subresource=effect.subresource
        ).obj

    def _delete(self, effect: Delete, now_s: float) -> Object:
        how = DeleteOptions(
            grace_period_s=effect.grace_period_s,
            uid=effect.uid or None,
            resource_version=effect.resource_version or None,
            propagation=effect.propagation,
        )
        return self._server.delete(
            self._server.kinds.named(effect.kind), effect.namespace, effect.name, how, now_s=now_s
        ).obj

    def _bind(self, effect: Bind, now_s: float) -> Object:
        metadata = {"namespace": effect.namespace, "name": effect.name, "uid": effect.uid}
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": metadata,
            "target": {"kind": "Node", "name": effect.node_name},
        }
        return self._server.bind(effect.namespace, effect.name, binding, now_s)

    def _evict(self, effect: Evict, now_s: float) -> None:
        options: dict[str, object] = {}
        if effect.grace_period_s is not None:
            options["gracePeriodSeconds"] = effect.grace_period_s
        if effect.uid:
            options["preconditions"] = {"uid": effect.uid}
        eviction = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"namespace": effect.namespace, "name": effect.name},
            "deleteOptions": options,
        }
        self._server.evict(effect.namespace, effect.name, eviction, now_s)


def _error_of(refused: RefusedError) -> CallError:
    return CallError(
        refused.code, refused.reason, refused.message, float(refused.retry_after_s or 0)
    )
