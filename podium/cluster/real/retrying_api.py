"""Retries of failed calls; a call that was carried out is never repeated.

| response | reaction |
| --- | --- |
| 429 | the call is repeated after the server's Retry-After |
| server not reached, 503 | the call is repeated after a back-off |
| 500, 502, 504, none | the object is read, and the call is repeated unless it was carried out |
| 409 of a binding | the object is read: an earlier try may have been carried out |
| anything else | the response is the outcome |

A call that became unnecessary while it waited in the queue is dropped.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from http import HTTPStatus
from random import Random
from typing import Any

from podium.api.objects import Object, is_terminating, metadata_of
from podium.api.pods import node_name_of
from podium.cluster.client.http_api import CallFailedError, HttpApi
from podium.cluster.real.call_queue import CallQueue, RateLimiter, urgency_of
from podium.machines.async_api import ObjectList, WatchEventLike
from podium.machines.effects import Bind, Create, Delete, Effect, Evict, Patch, Replace
from podium.machines.events import CallError, Outcome
from podium.machines.reconciler.work_queue import Backoff

TRIES_MAX = 5
CALLS_MAX = 32
"""Limit of concurrent calls, each on a connection; more wait, the urgent ones less long."""
EVENTS_WAITING_MAX = 10_000
"""Limit of waiting writes of Events; more are dropped."""
_EVENT_CALLS_MAX = 8
_BACKOFF = Backoff(first_s=0.25, max_s=5.0)
_REPEATED = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_OPEN = frozenset(
    {HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT}
)
_LOST = CallError(HTTPStatus.TOO_MANY_REQUESTS, "TooManyRequests", "too many events are waiting")
_NEEDLESS = CallError(HTTPStatus.GONE, "Gone", "the call isn't needed any more")

_logger = logging.getLogger(__name__)


class RetryingApi:
    """An API server with retries; implements `podium.machines.async_api.AsyncApi`.

    Events have a separate queue, and are written one at a time while other calls are waiting or
    under way, so that Events about bindings don't delay bindings.
    """

    def __init__(self, api: HttpApi, calls: RateLimiter, events: RateLimiter, rng: Random) -> None:
        self.repeated: Counter[int] = Counter()
        """Number of repetitions, by HTTP code."""
        self.events_lost = 0
        """Number of Events that were dropped because too many were waiting."""
        self.waited: Callable[[Effect, float], None] = lambda effect, seconds: None
        """Called with each call and how many seconds it waited for a slot."""
        self.is_needless: Callable[[Effect], bool] = lambda effect: False
        """Returns whether a queued call has become unnecessary."""
        self._api = api
        self._lists = calls
        self._rng = rng
        self._events = CallQueue(_EVENT_CALLS_MAX, events)
        self._calls = CallQueue(CALLS_MAX, calls, goes_before=self._events)
        self._events_waiting = 0

    async def call(self, effect: Effect) -> Outcome:
        if not (isinstance(effect, Create | Patch) and effect.kind == "Event"):
            return await self._persistently(effect, self._calls)
        if self._events_waiting >= EVENTS_WAITING_MAX:
            if not self.events_lost:
                _logger.warning("events are lost: too many wait to be written")
            self.events_lost += 1
            return Outcome(effect, _LOST)
        self._events_waiting += 1
        try:
            return await self._persistently(effect, self._events)
        finally:
            self._events_waiting -= 1

    async def list(self, kind: str) -> ObjectList:
        await asyncio.sleep(self._lists.reserve_s())
        return await self._api.list(kind)

    def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        return self._api.watch(kind, revision)

    async def _persistently(self, effect: Effect, queue: CallQueue) -> Outcome:
        tries, may_be_done, urgency = 0, False, urgency_of(effect)
        while True:
            async with queue.slot(urgency) as waited_s:
                if self.is_needless(effect):
                    return Outcome(effect, _NEEDLESS)
                self.waited(effect, waited_s)
                outcome = await self._api.call(effect)
            tries += 1
            error = outcome.error
            if error is None:
                return outcome
            is_open = error.code in _OPEN or error.is_unknown
            may_be_done = may_be_done or is_open
            is_conflict = isinstance(effect, Bind) and error.code == HTTPStatus.CONFLICT
            if (may_be_done or is_conflict) and (target := target_of(effect)) is not None:
                stored: Object | None = None
                is_seen = True
                try:
                    async with queue.slot(urgency):
                        stored = await self._api.get(*target)
                except CallFailedError as failed:
                    is_seen = failed.error.code == HTTPStatus.NOT_FOUND
                if is_seen and (seen := outcome_seen(effect, stored)) is not None:
                    return seen
            if not (error.code in _REPEATED or is_open) or tries >= TRIES_MAX:
                return outcome
            self.repeated[error.code] += 1
            wait_s = max(_BACKOFF.jittered_s(tries, self._rng), error.retry_after_s)
            _logger.debug("%s again in %.2f s: %s", type(effect).__name__, wait_s, error.message)
            await asyncio.sleep(wait_s)


def target_of(effect: Effect) -> tuple[str, str, str] | None:
    """Return kind, name and namespace of a call's object; None if it has no name yet."""
    match effect:
        case Bind(namespace=namespace, name=name) | Evict(namespace=namespace, name=name):
            return "Pod", name, namespace
        case Delete(kind=kind) | Patch(kind=kind):
            return kind, effect.name, effect.namespace
        case Create(kind=kind, obj=obj) | Replace(kind=kind, obj=obj):
            metadata = metadata_of(obj)
            name = str(metadata.get("name") or "")
            return (kind, name, str(metadata.get("namespace") or "")) if name else None
    return None


def outcome_seen(effect: Effect, stored: Object | None) -> Outcome | None:
    """Derive a call's outcome from the state of its object; None if it can be repeated."""
    match effect:
        case Delete(uid=uid) | Evict(uid=uid):
            if stored is None or _is_another(stored, uid) or is_terminating(stored):
                return Outcome(effect)
            return None
        case Create():
            return None if stored is None else Outcome(effect, obj=stored)
    if stored is None:
        return Outcome(effect, CallError(HTTPStatus.NOT_FOUND, "NotFound", "it is gone"))
    if isinstance(effect, Bind):
        if _is_another(stored, effect.uid):
            return Outcome(effect, CallError(HTTPStatus.NOT_FOUND, "NotFound", "it is another pod"))
        node_name = node_name_of(stored)
        if node_name == effect.node_name:
            return Outcome(effect, obj=stored)
        if node_name:
            why = f'pod {effect.name} is already assigned to node "{node_name}"'
            return Outcome(effect, CallError(HTTPStatus.CONFLICT, "Conflict", why))
        return None
    wanted = effect.body if isinstance(effect, Patch) else getattr(effect, "obj", {})
    required = metadata_of(wanted)
    if _is_another(stored, str(required.get("uid") or "")):
        return Outcome(effect, CallError(HTTPStatus.NOT_FOUND, "NotFound", "it is another one"))
    content = {key: value for key, value in wanted.items() if key != "metadata"}
    if marks := {key: required[key] for key in ("annotations", "labels") if required.get(key)}:
        content["metadata"] = marks
    if content and _holds(stored, content):
        return Outcome(effect, obj=stored)
    version = required.get("resourceVersion")
    if version and version != metadata_of(stored).get("resourceVersion"):
        return Outcome(effect, CallError(HTTPStatus.CONFLICT, "Conflict", "it has changed"))
    return None


def _is_another(stored: Object, uid: str) -> bool:
    return bool(uid) and metadata_of(stored).get("uid") != uid


def _holds(stored: Any, wanted: Any) -> bool:
    """Return whether an object has all values of a strategic merge patch."""
    if isinstance(wanted, Mapping):
        if not isinstance(stored, Mapping):
            return not wanted
        # Keys with a $ are directives of the patch.
        fields = {key: value for key, value in wanted.items() if not key.startswith("$")}
        return all(_holds(stored.get(key), value) for key, value in fields.items())
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        have = stored if isinstance(stored, Sequence) else ()
        return all(any(_holds(one, element) for one in have) for element in wanted)
    return bool(stored == wanted) or (not stored and not wanted)
