"""Long work is done elsewhere, and comes to the same."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from podium.apiserver.long_work import LongWork, PostponedError
from podium.apiserver.requests import Request, Response, handle
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from tests.apiserver.requests.client import pod

PODS = "/api/v1/namespaces/default/pods"
MERGE = {"Content-Type": "application/merge-patch+json"}


def new_server() -> ApiServer:
    server = ApiServer(Store(), Random(1))
    server.bootstrap(0.0)
    return server


def answered(
    server: ApiServer, request: Request, meanwhile: Callable[[int], None] = lambda number: None
) -> tuple[Response, int]:
    """The answer, and how often its verb was given up before."""
    work, number = LongWork(is_large=True), 0
    while True:
        revision = server.store.revision
        try:
            with work:
                return handle(server, request, 5.0 + number), number
        except PostponedError as postponed:
            assert server.store.revision == revision
            meanwhile(number)
            postponed.work()
            number += 1


def post(obj: Any, path: str = PODS) -> Request:
    return Request("POST", path, {}, json.dumps(obj).encode())


def patch(body: Any, name: str = "a") -> Request:
    return Request("PATCH", f"{PODS}/{name}", MERGE, json.dumps(body).encode())


def alike(response: Response) -> Any:
    """An answer without what differs from server to server."""
    body = json.loads(response.content())
    for field in ("uid", "resourceVersion"):
        body.get("metadata", {}).pop(field, None)
    return response.code, body


@pytest.mark.parametrize(
    "obj",
    [
        pod("a"),
        {**pod("a"), "spec": {"containers": []}},
        {"kind": "Pod", "spec": 5},
        {**pod("a"), "metadata": {"generateName": "a-"}},
    ],
)
def test_a_creation_comes_to_the_same(obj: Any) -> None:
    server = new_server()
    long, given_up = answered(server, post(obj))
    assert given_up
    assert alike(long) == alike(handle(new_server(), post(obj), 5.0))
    assert len(server.store.list("Pod").items) == (long.code == 201)


def test_so_does_a_patch_which_sees_what_others_have_written_meanwhile() -> None:
    server = new_server()
    handle(server, post(pod("a")), 5.0)

    def meanwhile(number: int) -> None:
        if number == 1:
            handle(server, patch({"metadata": {"labels": {"by": "others"}}}), 6.0)

    response, given_up = answered(server, patch({"metadata": {"labels": {"x": "y"}}}), meanwhile)
    assert response.code == 200
    assert given_up > 2
    (stored,) = server.store.list("Pod").items
    assert stored["metadata"]["labels"] == {"by": "others", "x": "y"}


def test_a_list_is_as_it_was_when_it_was_asked_for() -> None:
    server = new_server()
    handle(server, post(pod("a")), 5.0)
    request = Request("GET", PODS)
    response, given_up = answered(server, request, lambda _: create(server, "b"))
    assert given_up == 1
    names = [one["metadata"]["name"] for one in json.loads(response.content())["items"]]
    assert names == ["a"]


def create(server: ApiServer, name: str) -> None:
    assert handle(server, post(pod(name)), 5.0).code == 201


def test_what_changes_all_the_time_is_worked_on_in_the_end() -> None:
    server = new_server()
    handle(server, post(pod("a")), 5.0)

    def meanwhile(number: int) -> None:
        handle(server, patch({"metadata": {"labels": {"n": str(number)}}}), 6.0)

    response, given_up = answered(server, patch({"metadata": {"labels": {"x": "y"}}}), meanwhile)
    assert response.code == 200
    assert given_up < 20
