"""Roles and bindings permit, refuse and tell what they do at the real API server."""

import json
from typing import Any

from tests.apiserver.rbac.probes import PROBES, answers, clear
from tests.apiserver.requests.client import Client
from tests.cluster.real.world import World


def test_everything_is_answered_as_the_real_one_answers_it(world: World) -> None:
    def ask_real(method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, Any]:
        content = None if body is None else json.dumps(body)
        response = world.plane.client.request(method, path, content=content, headers=headers)
        is_json = "json" in response.headers["Content-Type"]
        return response.status_code, response.json() if is_json else {}

    ours = Client()
    ours.bootstrap_access()
    clear(ask_real)
    try:
        found, expected = answers(ours.ask_plainly), answers(ask_real)
    finally:
        clear(ask_real)
    assert len(found) == len(PROBES) > 50
    for one, other in zip(found, expected, strict=True):
        assert one == other
