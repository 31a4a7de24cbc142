"""The dispatcher: the only place where effects become calls of the API."""

from collections.abc import Callable, Mapping
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, metadata_of, name
from podium.api.refused import RefusedError
from podium.apiserver.attributes import Attributes
from podium.apiserver.refusals import no_room
from podium.apiserver.server import ApiServer
from podium.apiserver.store.errors import NoRoomError
from podium.apiserver.verbs.verb_options import DeleteOptions, PatchRequest
from podium.machines.effects import Bind, Create, Delete, Effect, Evict, Patch, Replace
from podium.machines.events import CallError, Outcome

_POD = KINDS["Pod"]
_STRATEGIC = "application/strategic-merge-patch+json"


class ApiCaller:
    """Carries effects out on an API server in the same process.

    Records aren't calls but become some, by `podium.cluster.drivers.event_recorder`.
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
        """Make a call, and say what became of it; raises KeyError if the effect is no call."""
        try:
            return Outcome(effect, obj=self._calls[type(effect)](effect, now_s))
        except RefusedError as refused:
            return Outcome(effect, _error_of(refused))
        except NoRoomError:
            return Outcome(effect, _error_of(no_room()))

    def _attributes(self, effect: Patch | Delete, now_s: float, subresource: str) -> Attributes:
        kind = self._server.kinds.named(effect.kind)
        return Attributes(kind, effect.namespace, effect.name, now_s, subresource)

    def _create(self, effect: Create, now_s: float) -> Object:
        kind, place = self._server.kinds.named(effect.kind), _place(effect.obj)
        return self._server.create(Attributes(kind, place, "", now_s), effect.obj)

    def _replace(self, effect: Replace, now_s: float) -> Object:
        kind, place = self._server.kinds.named(effect.kind), _place(effect.obj)
        request = Attributes(kind, place, name(effect.obj), now_s, effect.subresource)
        return self._server.replace(request, effect.obj).obj

    def _patch(self, effect: Patch, now_s: float) -> Object:
        request = self._attributes(effect, now_s, effect.subresource)
        return self._server.patch(request, PatchRequest(_STRATEGIC, effect.body)).obj

    def _delete(self, effect: Delete, now_s: float) -> Object:
        how = DeleteOptions(
            grace_period_s=effect.grace_period_s,
            uid=effect.uid or None,
            resource_version=effect.resource_version or None,
            propagation=effect.propagation,
        )
        return self._server.delete(self._attributes(effect, now_s, ""), how).obj

    def _bind(self, effect: Bind, now_s: float) -> Object:
        metadata = {"namespace": effect.namespace, "name": effect.name, "uid": effect.uid}
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": metadata,
            "target": {"kind": "Node", "name": effect.node_name},
        }
        return self._server.bind(Attributes(_POD, effect.namespace, effect.name, now_s), binding)

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
        self._server.evict(Attributes(_POD, effect.namespace, effect.name, now_s), eviction)


def _place(obj: Object) -> str:
    return str(metadata_of(obj).get("namespace", ""))


def _error_of(refused: RefusedError) -> CallError:
    return CallError(
        refused.code, refused.reason, refused.message, float(refused.retry_after_s or 0)
    )
