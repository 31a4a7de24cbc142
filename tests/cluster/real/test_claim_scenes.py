"""Claims that wait for their volumes while `podium scheduler` binds a pod, on a real API server."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from tests.claim_scenes import SCENES, Obj, Stage
from tests.cluster.real.conftest import StartPodium, on_both_in_soak
from tests.cluster.real.world import World, until

pytestmark = on_both_in_soak
_NOW = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}


class RealStage(Stage):
    """A server that is asked over HTTP."""

    def __init__(self, world: World) -> None:
        self._world = world

    def create(self, obj: Obj) -> Obj:
        return self._world.plane.ask("POST", _path(obj["kind"]), obj)

    def merge(self, kind: str, name: str, body: Obj, subresource: str = "") -> None:
        self._world.plane.merge(f"{_path(kind)}/{name}/{subresource}".rstrip("/"), body)

    def delete(self, kind: str, name: str) -> None:
        self._world.plane.ask("DELETE", f"{_path(kind)}/{name}", _NOW)

    def get(self, kind: str, name: str) -> Any:
        listed = self._world.plane.ask("GET", _path(kind))["items"]
        return next((one for one in listed if one["metadata"]["name"] == name), None)

    def events(self) -> list[tuple[str, str, str]]:
        path = "/apis/events.k8s.io/v1/namespaces/default/events"
        listed = self._world.plane.ask("GET", path)["items"]
        return [(one["reason"], one["regarding"]["name"], one["note"]) for one in listed]

    def until(self, look: Callable[[], Any]) -> Any:
        return until(look)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


def _path(kind: str) -> str:
    found = KINDS[kind]
    group = f"/apis/{found.group}/v1" if found.group else "/api/v1"
    place = "/namespaces/default" if found.namespaced else ""
    return f"{group}{place}/{found.plural}"


@pytest.mark.parametrize("scene", SCENES)
def test_a_claim_that_waits_for_its_volume(
    world: World, podium: StartPodium, scene: Callable[[Stage], None]
) -> None:
    podium("--no-leader-elect")
    scene(RealStage(world))
