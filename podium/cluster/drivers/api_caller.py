"""The dispatcher: the only place where effects become calls of the API."""

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

_STRATEGIC = "application/strategic-merge-patch+json"


class ApiCaller:
    """Carries effects out on an API server in the same process.

    Records aren't calls but become some, by `podium.cluster.drivers.event_recorder`.
    """

    def __init__(self, server: ApiServer) -> None:
        self._server = server

    def call(self, effect: Effect, now_s: float) -> Outcome:
        """Make a call, and say what became of it; raises KeyError if the effect is no call."""
        try:
            return Outcome(effect, obj=self._answer(effect, now_s))
        except RefusedError as refused:
            return Outcome(effect, _error_of(refused))
        except NoRoomError:
            return Outcome(effect, _error_of(no_room()))

    def _answer(self, effect: Effect, now_s: float) -> Object | None:
        server = self._server
        match effect:
            case Create(obj=obj):
                kind = server.kinds.named(effect.kind)
                return server.create(Attributes(kind, _place(obj), "", now_s), obj)
            case Replace(obj=obj):
                kind = server.kinds.named(effect.kind)
                request = Attributes(kind, _place(obj), name(obj), now_s, effect.subresource)
                return server.replace(request, obj).obj
            case Patch():
                kind, place = server.kinds.named(effect.kind), effect.namespace
                request = Attributes(kind, place, effect.name, now_s, effect.subresource)
                return server.patch(request, PatchRequest(_STRATEGIC, effect.body)).obj
            case Delete():
                kind = server.kinds.named(effect.kind)
                how = DeleteOptions(
                    grace_period_s=effect.grace_period_s,
                    uid=effect.uid or None,
                    resource_version=effect.resource_version or None,
                    propagation=effect.propagation,
                )
                return server.delete(
                    Attributes(kind, effect.namespace, effect.name, now_s), how
                ).obj
            case Bind():
                request = Attributes(KINDS["Pod"], effect.namespace, effect.name, now_s)
                return server.bind(request, effect.binding)
            case Evict():
                request = Attributes(KINDS["Pod"], effect.namespace, effect.name, now_s)
                server.evict(request, effect.eviction)
                return None
        raise KeyError(type(effect))


def _place(obj: Object) -> str:
    return str(metadata_of(obj).get("namespace", ""))


def _error_of(refused: RefusedError) -> CallError:
    return CallError(
        refused.code, refused.reason, refused.message, float(refused.retry_after_s or 0)
    )
