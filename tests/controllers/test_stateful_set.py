"""StatefulSets over a real API server: what recorded scenes don't show, such as claims."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS
from podium.controllers.stateful_set import StatefulSetController
from tests import objects
from tests.controllers.worlds import TROUBLE, World
from tests.objects import Obj

RESOURCES = {"requests": {"storage": "1Gi"}}
CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": RESOURCES},
}
CLAIMS: Obj = {"volumeClaimTemplates": [CLAIM]}
SCRIPT = {
    "podium.dev/startup": "1s",
    "podium.dev/ready-after": "4s",
    "podium.dev/termination": "2s",
}


def stateful_set(replicas: int = 3, **spec: Any) -> Obj:
    made = objects.workload("StatefulSet", "s", replicas=replicas, serviceName="web", **spec)
    made["spec"]["template"]["metadata"]["annotations"] = dict(SCRIPT)
    made["spec"]["template"]["spec"]["containers"] = [{"name": "c", "image": "v1"}]
    return made


def world_with(one: Obj, *machines: Any, **options: Any) -> World:
    world = World(StatefulSetController, *machines, **options)
    world.create(one)
    world.run_until(30)
    return world


def roll(world: World, image: str) -> None:
    template = {"spec": {"containers": [{"name": "c", "image": image}]}}
    world.patch("StatefulSet", "s", {"spec": {"template": template}})


def images(world: World) -> dict[str, str]:
    return {
        pod["metadata"]["name"]: pod["spec"]["containers"][0]["image"]
        for pod in sorted(world.all("Pod"), key=lambda pod: str(pod["metadata"]["name"]))
    }


def status(world: World) -> Obj:
    found: Obj = world.get("StatefulSet", "s")["status"]
    return found


def test_what_is_allowed_is_dropped_only_where_it_was_not_before() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "maxUnavailable": 2}}
    world = world_with(stateful_set())
    allowed = {"spec": {"updateStrategy": rolling}}
    world.patch("StatefulSet", "s", allowed)
    (dropped,) = world.all("StatefulSet")
    assert dropped["spec"]["updateStrategy"]["rollingUpdate"] == {"partition": 0}
    kept = {**dropped, "spec": {**dropped["spec"], **allowed["spec"]}}
    world.server.store.update("StatefulSet", kept)
    world.patch("StatefulSet", "s", {"spec": {"replicas": 2}})
    assert world.all("StatefulSet")[0]["spec"]["updateStrategy"] == rolling


@pytest.mark.parametrize("seed", range(4))
def test_faults_and_restarts_leave_what_is_wanted(seed: int) -> None:
    world = world_with(stateful_set(**CLAIMS), faults=TROUBLE, seed=seed)
    roll(world, "v2")
    world.run_until(100)
    world.driver.faults = NO_FAULTS
    world.run_until(600)
    assert images(world) == {"s-0": "v2", "s-1": "v2", "s-2": "v2"}
    assert status(world)["availableReplicas"] == 3
