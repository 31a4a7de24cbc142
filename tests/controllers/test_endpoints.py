"""Slices and Endpoints list the pods behind a service, as they come, serve and go."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.controllers.endpoints import EndpointsController, EndpointSliceController
from tests import objects
from tests.controllers.worlds import World
from tests.objects import Obj

PORTS = [{"name": "http", "port": 80, "targetPort": "web"}]


def service(**spec: Any) -> Obj:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "default", "labels": {"team": "blue"}},
        "spec": {"selector": {"app": "web"}, "ports": PORTS, **spec},
    }


def pod(name: str, app: str = "web", port: int = 8080, **annotations: str) -> Obj:
    ports = [{"name": "web", "containerPort": port}]
    scripted = {f"podium.dev/{key.replace('_', '-')}": v for key, v in annotations.items()}
    containers = [objects.container("1m", ports=ports)]
    return objects.pod(name, app=app, annotations=scripted, containers=containers)


def world(*objects: Obj, faults: Faults = NO_FAULTS) -> World:
    made = World(EndpointSliceController, EndpointsController, faults=faults)
    for one in objects:
        made.create(one)
    made.driver.advance(1)
    return made


def endpoints(made: World) -> dict[str, tuple[bool, bool, bool]]:
    """Of the slices, by pod: ready, serving, terminating."""
    return {
        one["targetRef"]["name"]: tuple(
            one["conditions"][field] for field in ("ready", "serving", "terminating")
        )
        for found in made.all("EndpointSlice")
        for one in found["endpoints"] or ()
    }


def subsets(made: World) -> list[tuple[list[str], list[str], list[int]]]:
    """Of the Endpoints: names of ready pods, of others, and the numbers of the ports."""

    def names(subset: Any, field: str) -> list[str]:
        return sorted(one["targetRef"]["name"] for one in subset.get(field) or ())

    return [
        (
            names(one, "addresses"),
            names(one, "notReadyAddresses"),
            [port["port"] for port in one.get("ports") or ()],
        )
        for one in made.get("Endpoints", "web").get("subsets") or ()
    ]


UP, STARTING, LEAVING = (True, True, False), (False, False, False), (False, True, True)


def test_slices_and_endpoints_name_the_pods_behind_the_service() -> None:
    made = world(service(), pod("a"), pod("b", app="other"))
    (only,), found = made.all("EndpointSlice"), made.get("Endpoints", "web")
    assert only["metadata"]["name"].startswith("web-")
    assert only["metadata"]["labels"] == {
        "team": "blue",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    }
    managed = {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}
    assert found["metadata"]["labels"] == {"team": "blue", **managed}
    (owner,) = only["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("Service", "web", True)
    assert only["ports"] == [{"name": "http", "port": 8080, "protocol": "TCP"}]
    (endpoint,), (address,) = only["endpoints"], found["subsets"][0]["addresses"]
    assert endpoint["addresses"] == [address["ip"]] == [made.get("Pod", "a")["status"]["podIP"]]
    assert endpoint["nodeName"] == address["nodeName"] == "n1"
    assert (endpoints(made), subsets(made)) == ({"a": UP}, [(["a"], [], [8080])])


def test_pods_are_ready_when_they_are_and_leave_when_they_end() -> None:
    made = world(service(), pod("a", ready_after="10s"), pod("b", termination="20s"))
    assert (endpoints(made), subsets(made)) == ({"a": STARTING, "b": UP}, [(["b"], ["a"], [8080])])
    made.driver.advance(10)
    assert (endpoints(made), subsets(made)) == ({"a": UP, "b": UP}, [(["a", "b"], [], [8080])])
    made.delete("Pod", "b")
    made.driver.advance(5)
    assert (endpoints(made), subsets(made)) == ({"a": UP, "b": LEAVING}, [(["a"], [], [8080])])
    made.driver.advance(30)
    assert endpoints(made) == {"a": UP}


def test_unready_pods_count_where_the_service_says_so() -> None:
    made = world(service(publishNotReadyAddresses=True), pod("a", ready_after="10s"))
    assert (endpoints(made), subsets(made)) == ({"a": (True, False, False)}, [(["a"], [], [8080])])


def test_one_empty_slice_says_that_there_is_no_pod() -> None:
    made = world(service())
    (only,) = made.all("EndpointSlice")
    assert (only["endpoints"] or [], only["ports"] or [], subsets(made)) == ([], [], [])
    made.create(pod("a"))
    made.driver.advance(1)
    assert endpoints(made) == {"a": UP}
    assert len(made.all("EndpointSlice")) == 1


def test_services_without_selector_are_left_to_others() -> None:
    made = world(service(selector=None), pod("a"))
    assert made.all("EndpointSlice") == made.all("Endpoints") == []


def test_pods_that_listen_elsewhere_have_a_slice_and_a_subset_of_their_own() -> None:
    made = world(service(), pod("a"), pod("b", port=9090), pod("c", port=9090))
    found = {
        one["ports"][0]["port"]: [e["targetRef"]["name"] for e in one["endpoints"]]
        for one in made.all("EndpointSlice")
    }
    assert found == {8080: ["a"], 9090: ["b", "c"]}
    assert subsets(made) == [(["a"], [], [8080]), (["b", "c"], [], [9090])]


def test_a_hundred_endpoints_make_a_slice() -> None:
    made = world(service(), *(pod(f"p{number}") for number in range(130)))
    assert sorted(len(one["endpoints"]) for one in made.all("EndpointSlice")) == [30, 100]
    assert len(endpoints(made)) == 130
    for number in range(110):
        made.delete("Pod", f"p{number}")
    made.driver.advance(60)
    assert [*endpoints(made)] == [f"p{number}" for number in range(110, 130)]
    assert len(made.all("EndpointSlice")) == 1


def test_the_zone_is_the_nodes() -> None:
    made = world(service(), pod("a"))
    made.patch("Node", "n1", {"metadata": {"labels": {objects.ZONE: "z1"}}})
    made.driver.advance(0)
    (only,) = made.all("EndpointSlice")
    assert only["endpoints"][0]["zone"] == "z1"


@pytest.mark.parametrize("app", ["other", None])
def test_a_pod_with_other_labels_leaves(app: str | None) -> None:
    made = world(service(), pod("a"))
    made.patch("Pod", "a", {"metadata": {"labels": {"app": app}}})
    made.driver.advance(0)
    assert (endpoints(made), subsets(made)) == ({}, [])


def test_another_selector_selects_other_pods() -> None:
    made = world(service(), pod("a"), pod("b", app="other"))
    made.patch("Service", "web", {"spec": {"selector": {"app": "other"}}})
    made.driver.advance(0)
    assert (endpoints(made), subsets(made)) == ({"b": UP}, [(["b"], [], [8080])])


def test_nothing_is_written_without_need() -> None:
    made = world(service(), pod("a"), pod("b"))
    made.writes.clear()
    for kind, name in (("Pod", "a"), ("Service", "web")):
        made.patch(kind, name, {"metadata": {"annotations": {"note": "new"}}})
    made.driver.advance(10)
    assert [call for call in made.writes if call.who.startswith("endpoint")] == []


def test_a_slice_that_is_deleted_or_emptied_by_hand_is_recreated() -> None:
    made = world(service(), pod("a"))
    (only,) = made.all("EndpointSlice")
    made.delete("EndpointSlice", only["metadata"]["name"])
    made.driver.advance(1)
    (again,) = made.all("EndpointSlice")
    assert again["metadata"]["uid"] != only["metadata"]["uid"]
    made.patch("EndpointSlice", again["metadata"]["name"], {"endpoints": []})
    made.driver.advance(1)
    assert endpoints(made) == {"a": UP}


def test_a_headless_service_is_marked() -> None:
    made = world(service(clusterIP="None"), pod("a"))
    (only,) = made.all("EndpointSlice")
    assert only["metadata"]["labels"]["service.kubernetes.io/headless"] == ""


def test_ports_may_have_unknown_fields() -> None:
    made = world(service(), pod("a"))
    (only,) = made.all("EndpointSlice")
    port = {**only["ports"][0], "unknown": {"a": 1}}
    made.patch("EndpointSlice", only["metadata"]["name"], {"ports": [port]})
    made.create(pod("b"))
    made.driver.advance(5)
    assert {*endpoints(made)} == {"a", "b"}
    assert len(made.all("EndpointSlice")) == 1


def test_endpoints_go_with_their_service() -> None:
    made = world(service(), pod("a"))
    made.delete("Service", "web")
    made.driver.advance(0)
    assert made.get("Endpoints", "web") is None


def test_what_fails_is_tried_again() -> None:
    trouble = Faults(refused=0.2, unanswered=0.1, restarts=0.05, slow_watches=0.2)
    made = world(service(), *(pod(f"p{number}") for number in range(20)), faults=trouble)
    made.driver.advance(60)
    for number in range(10):
        made.delete("Pod", f"p{number}")
    made.driver.advance(300)
    assert {*endpoints(made)} == {f"p{number}" for number in range(10, 20)}
    assert sum(len(one["endpoints"] or ()) for one in made.all("EndpointSlice")) == 10
