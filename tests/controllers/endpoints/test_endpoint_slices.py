"""Slices say who is behind a service, and follow the pods as they come, serve and go."""

import pytest

from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.controllers.endpoints import EndpointSliceController
from tests.controllers.builders import Obj
from tests.controllers.services import pod, service
from tests.controllers.worlds import World


def world(*objects: Obj, faults: Faults = NO_FAULTS) -> World:
    made = World(EndpointSliceController, faults=faults)
    for one in objects:
        made.create(one)
    made.driver.advance(1)
    return made


def endpoints(made: World) -> dict[str, tuple[bool, bool, bool]]:
    """By pod: ready, serving, terminating."""
    return {
        one["targetRef"]["name"]: (
            one["conditions"]["ready"],
            one["conditions"]["serving"],
            one["conditions"]["terminating"],
        )
        for found in made.all("EndpointSlice")
        for one in found["endpoints"] or ()
    }


UP, STARTING, LEAVING = (True, True, False), (False, False, False), (False, True, True)


def test_a_slice_names_the_pods_behind_the_service() -> None:
    made = world(service(), pod("a"), pod("b", app="other"))
    (only,) = made.all("EndpointSlice")
    metadata = only["metadata"]
    assert metadata["name"].startswith("web-")
    assert metadata["labels"] == {
        "team": "blue",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    }
    (owner,) = metadata["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("Service", "web", True)
    assert only["ports"] == [{"name": "http", "port": 8080, "protocol": "TCP"}]
    (endpoint,) = only["endpoints"]
    assert endpoint["addresses"] == [made.get("Pod", "a")["status"]["podIP"]]
    assert (endpoint["nodeName"], endpoint["targetRef"]["name"]) == ("n1", "a")
    assert endpoints(made) == {"a": UP}


def test_pods_are_ready_when_they_are_and_leave_when_they_end() -> None:
    made = world(service(), pod("a", ready_after="10s"), pod("b", termination="20s"))
    assert endpoints(made) == {"a": STARTING, "b": UP}
    made.driver.advance(10)
    assert endpoints(made) == {"a": UP, "b": UP}
    made.delete("Pod", "b")
    made.driver.advance(5)
    assert endpoints(made) == {"a": UP, "b": LEAVING}
    made.driver.advance(30)
    assert endpoints(made) == {"a": UP}


def test_unready_pods_count_where_the_service_says_so() -> None:
    made = world(service(publishNotReadyAddresses=True), pod("a", ready_after="10s"))
    assert endpoints(made) == {"a": (True, False, False)}


def test_one_empty_slice_says_that_there_is_nobody() -> None:
    made = world(service())
    (only,) = made.all("EndpointSlice")
    assert (only["endpoints"] or [], only["ports"] or []) == ([], [])
    made.create(pod("a"))
    made.driver.advance(1)
    assert endpoints(made) == {"a": UP}
    assert len(made.all("EndpointSlice")) == 1


def test_services_without_selector_are_left_to_others() -> None:
    assert world(service(selector=None), pod("a")).all("EndpointSlice") == []


def test_pods_that_listen_elsewhere_have_a_slice_of_their_own() -> None:
    made = world(service(), pod("a"), pod("b", port=9090), pod("c", port=9090))
    found = {
        one["ports"][0]["port"]: [e["targetRef"]["name"] for e in one["endpoints"]]
        for one in made.all("EndpointSlice")
    }
    assert found == {8080: ["a"], 9090: ["b", "c"]}


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
    labels = {"topology.kubernetes.io/zone": "z1"}
    made.patch("Node", "n1", {"metadata": {"labels": labels}})
    made.driver.advance(0)
    (only,) = made.all("EndpointSlice")
    assert only["endpoints"][0]["zone"] == "z1"


@pytest.mark.parametrize("change", [{"labels": {"app": "other"}}, {"labels": {"app": None}}])
def test_a_pod_with_other_labels_leaves(change: Obj) -> None:
    made = world(service(), pod("a"))
    made.patch("Pod", "a", {"metadata": change})
    made.driver.advance(0)
    assert endpoints(made) == {}


def test_nothing_is_written_without_need() -> None:
    made = world(service(), pod("a"), pod("b"))
    made.writes.clear()
    made.patch("Pod", "a", {"metadata": {"annotations": {"note": "new"}}})
    made.driver.advance(10)
    assert [call for call in made.writes if call.who == "endpointslice-controller"] == []


def test_a_slice_that_is_deleted_or_emptied_by_hand_is_made_anew() -> None:
    made = world(service(), pod("a"))
    (only,) = made.all("EndpointSlice")
    made.delete("EndpointSlice", only["metadata"]["name"])
    made.driver.advance(1)
    (anew,) = made.all("EndpointSlice")
    assert anew["metadata"]["uid"] != only["metadata"]["uid"]
    made.patch("EndpointSlice", anew["metadata"]["name"], {"endpoints": []})
    made.driver.advance(1)
    assert endpoints(made) == {"a": UP}


def test_a_headless_service_is_marked() -> None:
    made = world(service(clusterIP="None"), pod("a"))
    (only,) = made.all("EndpointSlice")
    assert only["metadata"]["labels"]["service.kubernetes.io/headless"] == ""


def test_ports_may_have_fields_that_nobody_knows() -> None:
    made = world(service(), pod("a"))
    (only,) = made.all("EndpointSlice")
    port = {**only["ports"][0], "unknown": {"a": 1}}
    made.patch("EndpointSlice", only["metadata"]["name"], {"ports": [port]})
    made.create(pod("b"))
    made.driver.advance(5)
    assert {*endpoints(made)} == {"a", "b"}
    assert len(made.all("EndpointSlice")) == 1


def test_what_fails_is_tried_again() -> None:
    trouble = Faults(refused=0.2, unanswered=0.1, restarts=0.05, slow_watches=0.2)
    made = world(service(), *(pod(f"p{number}") for number in range(20)), faults=trouble)
    made.driver.advance(60)
    for number in range(10):
        made.delete("Pod", f"p{number}")
    made.driver.advance(300)
    assert {*endpoints(made)} == {f"p{number}" for number in range(10, 20)}
    assert sum(len(one["endpoints"] or ()) for one in made.all("EndpointSlice")) == 10
