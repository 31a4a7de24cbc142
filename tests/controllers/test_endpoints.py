"""Slices of many endpoints, changed by others, and in spite of faults."""

from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.controllers.endpoints import EndpointsController, EndpointSliceController
from tests import objects
from tests.controllers.worlds import World
from tests.objects import Obj

PORTS = [{"name": "http", "port": 80, "targetPort": "web"}]
SERVICE: Obj = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"selector": {"app": "web"}, "ports": PORTS},
}


def pod(name: str) -> Obj:
    ports = [{"name": "web", "containerPort": 8080}]
    return objects.pod(name, app="web", containers=[objects.container("1m", ports=ports)])


def world(*names: str, faults: Faults = NO_FAULTS) -> World:
    """The service and pods of these names."""
    made = World(EndpointSliceController, EndpointsController, faults=faults)
    for obj in (SERVICE, *map(pod, names)):
        made.create(obj)
    made.driver.advance(1)
    return made


def endpoints(made: World) -> list[str]:
    """The names of the pods in all slices."""
    slices = made.all("EndpointSlice")
    return [one["targetRef"]["name"] for found in slices for one in found["endpoints"] or ()]


def test_a_hundred_endpoints_make_a_slice() -> None:
    made = world(*(f"p{number}" for number in range(130)))
    assert sorted(len(one["endpoints"]) for one in made.all("EndpointSlice")) == [30, 100]
    assert len(endpoints(made)) == 130
    for number in range(110):
        made.delete("Pod", f"p{number}")
    made.driver.advance(60)
    assert endpoints(made) == [f"p{number}" for number in range(110, 130)]
    assert len(made.all("EndpointSlice")) == 1


def test_a_slice_that_is_deleted_or_emptied_by_hand_is_recreated() -> None:
    made = world("a")
    (only,) = made.all("EndpointSlice")
    made.delete("EndpointSlice", only["metadata"]["name"])
    made.driver.advance(1)
    (again,) = made.all("EndpointSlice")
    assert again["metadata"]["uid"] != only["metadata"]["uid"]
    made.patch("EndpointSlice", again["metadata"]["name"], {"endpoints": []})
    made.driver.advance(1)
    assert endpoints(made) == ["a"]


def test_ports_may_have_unknown_fields() -> None:
    made = world("a")
    (only,) = made.all("EndpointSlice")
    port = {**only["ports"][0], "unknown": {"a": 1}}
    made.patch("EndpointSlice", only["metadata"]["name"], {"ports": [port]})
    made.create(pod("b"))
    made.driver.advance(5)
    assert {*endpoints(made)} == {"a", "b"}
    assert len(made.all("EndpointSlice")) == 1


def test_what_fails_is_tried_again() -> None:
    trouble = Faults(refused=0.2, unanswered=0.1, restarts=0.05, slow_watches=0.2)
    made = world(*(f"p{number}" for number in range(20)), faults=trouble)
    made.driver.advance(60)
    for number in range(10):
        made.delete("Pod", f"p{number}")
    made.driver.advance(300)
    assert {*endpoints(made)} == {f"p{number}" for number in range(10, 20)}
    assert sum(len(one["endpoints"] or ()) for one in made.all("EndpointSlice")) == 10
