"""Calls to an API server in the same process."""

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, metadata_of, name
from podium.apiserver.attributes import Attributes
from podium.apiserver.patching.patch_result import PatchRequest
from podium.apiserver.refusals import no_room
from podium.apiserver.server import ApiServer
from podium.apiserver.store.errors import NoRoomError
from podium.apiserver.verbs.verb_options import DeleteOptions
from podium.machines.effects import Bind, Create, Delete, Effect, Evict, Patch, Replace
from podium.machines.events import CallError, Outcome

_STRATEGIC = "application/strategic-merge-patch+json"


def carry_out(server: ApiServer, effect: Effect, now_s: float) -> Outcome:
    """Carry out an effect, and return its outcome; a refusal is an outcome, too; raises KeyError.

    A `Record` isn't a call: an `EventRecorder` turns records into calls that write Events.
    """
    try:
        return Outcome(effect, obj=_answer(server, effect, now_s))
    except RefusedError as error:
        refused = error
    except NoRoomError:
        refused = no_room()
    wait_s = float(refused.retry_after_s or 0)
    return Outcome(effect, CallError(refused.code, refused.reason, refused.message, wait_s))


def _answer(server: ApiServer, effect: Effect, now_s: float) -> Object | None:
    match effect:
        case Create(kind=kind, obj=obj) | Replace(kind=kind, obj=obj):
            served, namespace = server.kinds.named(kind), metadata_of(obj).get("namespace", "")
            if isinstance(effect, Create):
                return server.create(Attributes(served, str(namespace), "", now_s), obj)
            subresource = effect.subresource
            request = Attributes(served, str(namespace), name(obj), now_s, subresource)
            return server.replace(request, obj).obj
        case Patch(kind=kind, subresource=subresource):
            served = server.kinds.named(kind)
            request = Attributes(served, effect.namespace, effect.name, now_s, subresource)
            return server.patch(request, PatchRequest(_STRATEGIC, effect.body)).obj
        case Delete(kind=kind):
            request = Attributes(server.kinds.named(kind), effect.namespace, effect.name, now_s)
            options = DeleteOptions(
                grace_period_s=effect.grace_period_s,
                uid=effect.uid or None,
                resource_version=effect.resource_version or None,
                propagation=effect.propagation,
            )
            return server.delete(request, options).obj
        case Bind(namespace=namespace) | Evict(namespace=namespace):
            request = Attributes(KINDS["Pod"], namespace, effect.name, now_s)
            if isinstance(effect, Bind):
                return server.bind(request, effect.binding)
            server.evict(request, effect.eviction)
            return None
    raise KeyError(type(effect))
