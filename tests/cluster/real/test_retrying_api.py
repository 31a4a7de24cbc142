"""Which calls are made again, after which answers, and which have been carried out already."""

import asyncio
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from podium.api.objects import Object
from podium.cluster.client.http_api import CallFailedError
from podium.cluster.real import retrying_api
from podium.cluster.real.call_queue import RateLimiter
from podium.cluster.real.retrying_api import TRIES_MAX, RetryingApi, outcome_seen
from podium.machines.effects import Bind, Create, Delete, Effect, Patch, Replace
from podium.machines.events import UNKNOWN_OUTCOME, CallError, Outcome
from podium.machines.reconciler.work_queue import Backoff

BIND = Bind(namespace="d", name="p", uid="u", node_name="n")
DELETE = Delete(kind="Pod", namespace="d", name="p", uid="u")
UNKNOWN = CallError(504, UNKNOWN_OUTCOME, "no answer")
DOWN = CallError(503, "ServiceUnavailable", "can't be reached")
BUSY = CallError(429, "TooManyRequests", "later", 0.01)
CONFLICT = CallError(409, "Conflict", "it has changed")
GONE = CallError(404, "NotFound", "it is gone")


def stored(node: str = "", uid: str = "u", **metadata: str) -> Object:
    spec = {"nodeName": node} if node else {}
    return {"metadata": {"uid": uid, "resourceVersion": "7", **metadata}, "spec": spec}


class Server:
    """Answers calls one after the other, the last answer again and again."""

    def __init__(self, found: Object | None, *answers: CallError | None) -> None:
        self.calls, self.looks = 0, 0
        self._answers, self._found = deque(answers), found

    async def call(self, effect: Effect) -> Outcome:
        self.calls += 1
        await asyncio.sleep(0)
        error = self._answers.popleft() if len(self._answers) > 1 else self._answers[0]
        return Outcome(effect, error)

    async def get(self, kind: str, name: str, namespace: str = "") -> Object:
        self.looks += 1
        if self._found is None:
            raise CallFailedError(GONE)
        return self._found


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[[Server, Effect], CallError | None]:
    monkeypatch.setattr(retrying_api, "_BACKOFF", Backoff(first_s=0.0, max_s=0.0))

    def call(server: Server, effect: Effect) -> CallError | None:
        async def scenario() -> Outcome:
            free = RateLimiter(-1, 1, lambda: 0.0)
            api: Any = server
            return await RetryingApi(api, free, free, Random(1)).call(effect)

        return asyncio.run(scenario()).error

    return call


Ask = Callable[[Server, Effect], CallError | None]


PATCH = Patch(kind="Pod", name="p", namespace="d", body={})
UNNAMED = Create(kind="ConfigMap", obj={"metadata": {"generateName": "a-"}})
GOING = stored("n", deletionTimestamp="2026-01-01T00:00:00Z")
FORBIDDEN = CallError(403, "Forbidden", "no")
BROKEN = CallError(500, "InternalError", "etcd")


@pytest.mark.parametrize(
    ("effect", "seen", "answers", "outcome", "calls", "looks"),
    [
        (BIND, None, (DOWN, DOWN, None), None, 3, 0),
        (BIND, None, (BUSY, BUSY, None), None, 3, 0),
        (BIND, None, (DOWN,), DOWN, TRIES_MAX, 0),
        (PATCH, None, (CONFLICT,), CONFLICT, 1, 0),
        (PATCH, None, (GONE,), GONE, 1, 0),
        (PATCH, None, (FORBIDDEN,), FORBIDDEN, 1, 0),
        (BIND, stored("n"), (UNKNOWN,), None, 1, 1),
        (BIND, stored(), (UNKNOWN, None), None, 2, 1),
        (BIND, stored("n"), (CONFLICT,), None, 1, 1),
        (DELETE, GOING, (BROKEN,), None, 1, 1),
        (DELETE, None, (BROKEN,), None, 1, 1),
        (DELETE, stored("n", uid="another"), (BROKEN,), None, 1, 1),
        (DELETE, stored("n"), (BROKEN, None), None, 2, 1),
        (UNNAMED, None, (UNKNOWN, None), None, 2, 0),
    ],
    ids=[
        "what was not taken is sent again",
        "what was put off is sent again",
        "in the end the error is the outcome",
        "a conflict is final",
        "not found is final",
        "forbidden is final",
        "a binding that was carried out is not repeated",
        "a binding that was not carried out is repeated",
        "a conflict may be the work of an earlier try",
        "a victim that goes is not deleted twice",
        "a victim that is gone is not deleted twice",
        "another pod of the name is not deleted",
        "a victim that stays is deleted again",
        "what has no name yet cannot be looked up",
    ],
)
def test_calls_are_repeated_with_care(
    effect: Effect,
    seen: Object | None,
    answers: tuple[CallError | None, ...],
    outcome: CallError | None,
    calls: int,
    looks: int,
    ask: Ask,
) -> None:
    server = Server(seen, *answers)
    assert ask(server, effect) == outcome
    assert (server.calls, server.looks) == (calls, looks)


def test_a_binding_to_another_node_is_told(ask: Ask) -> None:
    error = ask(Server(stored("other"), CONFLICT), BIND)
    assert error is not None
    assert (error.reason, "other" in error.message) == ("Conflict", True)


def test_a_patch_that_holds_has_been_carried_out() -> None:
    wanted = {"type": "PodScheduled", "status": "False"}
    status = {"conditions": [wanted], "$setElementOrder/conditions": [], "nominatedNodeName": None}
    body = {"metadata": {"uid": "u", "resourceVersion": "6"}, "status": status}
    effect = Patch(kind="Pod", name="p", namespace="d", subresource="status", body=body)
    has = {**stored(), "status": {"conditions": [{**wanted, "message": "m"}]}}
    found = outcome_seen(effect, has)
    assert found is not None
    assert found.error is None
    changed = outcome_seen(effect, stored())
    assert changed is not None
    assert changed.error is not None
    assert changed.error.reason == "Conflict"
    same = {**body, "metadata": {"uid": "u", "resourceVersion": "7"}}
    again = Patch(kind="Pod", name="p", namespace="d", subresource="status", body=same)
    assert outcome_seen(again, stored()) is None


def test_a_replacement_of_annotations_alone_has_been_carried_out_where_they_are_there() -> None:
    metadata = {"name": "c", "namespace": "d", "uid": "u", "resourceVersion": "7"}
    claim = {"kind": "PersistentVolumeClaim", "metadata": metadata, "spec": {"volumeName": ""}}
    marked = {**claim, "metadata": {**metadata, "annotations": {"selected-node": "n"}}}
    effect = Replace(kind="PersistentVolumeClaim", obj=marked)
    assert outcome_seen(effect, claim) is None
    found = outcome_seen(effect, marked)
    assert found is not None
    assert (found.error, found.obj) == (None, marked)


async def test_events_that_are_too_many_are_lost() -> None:
    free = RateLimiter(-1, 1, lambda: 0.0)
    api = RetryingApi(Server(None, None), free, free, Random(1))  # type: ignore[arg-type]
    create = Create(kind="Event", obj={"metadata": {"name": "e"}})
    number = retrying_api.EVENTS_WAITING_MAX + 5
    outcomes = await asyncio.gather(*(api.call(create) for _ in range(number)))
    assert api.events_lost == sum(one.error is not None for one in outcomes) == 5


async def test_a_call_that_is_not_needed_at_its_turn_is_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retrying_api, "_BACKOFF", Backoff(first_s=0.0, max_s=0.0))
    free, server = RateLimiter(-1, 1, lambda: 0.0), Server(None, DOWN)
    api = RetryingApi(server, free, free, Random(1))  # type: ignore[arg-type]
    api.is_needless = lambda effect: server.calls > 0
    outcome = await api.call(DELETE)
    assert outcome.error is not None
    assert (outcome.error.reason, server.calls) == ("Gone", 1)
