"""Endpoints list the addresses behind a service: those that are ready, and those that aren't."""

from typing import Any

from podium.controllers.endpoints import EndpointsController
from tests.controllers.builders import Obj
from tests.controllers.services import pod, service
from tests.controllers.worlds import World


def world(*objects: Obj) -> World:
    made = World(EndpointsController)
    for one in objects:
        made.create(one)
    made.driver.advance(1)
    return made


def subsets(made: World) -> list[tuple[list[str], list[str], list[int]]]:
    """Names of ready pods, of others, and the numbers of the ports."""
    return [
        (_names(one, "addresses"), _names(one, "notReadyAddresses"), _ports(one))
        for one in made.get("Endpoints", "web").get("subsets") or ()
    ]


def _names(subset: Any, sort: str) -> list[str]:
    return sorted(one["targetRef"]["name"] for one in subset.get(sort) or ())


def _ports(subset: Any) -> list[int]:
    return [port["port"] for port in subset.get("ports") or ()]


def test_ready_pods_and_others_stand_apart() -> None:
    made = world(service(), pod("a"), pod("b", ready_after="10s"), pod("c", app="other"))
    assert subsets(made) == [(["a"], ["b"], [8080])]
    made.driver.advance(10)
    assert subsets(made) == [(["a", "b"], [], [8080])]
    found = made.get("Endpoints", "web")
    assert found["metadata"]["labels"] == {
        "team": "blue",
        "endpoints.kubernetes.io/managed-by": "endpoint-controller",
    }
    assert found["subsets"][0]["addresses"][0]["nodeName"] == "n1"


def test_terminating_pods_leave_at_once() -> None:
    made = world(service(), pod("a"), pod("b", termination="20s"))
    made.delete("Pod", "b")
    made.driver.advance(0)
    assert subsets(made) == [(["a"], [], [8080])]


def test_pods_that_listen_elsewhere_make_another_subset() -> None:
    made = world(service(), pod("a"), pod("b", port=9090))
    assert subsets(made) == [(["a"], [], [8080]), (["b"], [], [9090])]


def test_services_without_pods_have_empty_endpoints() -> None:
    assert subsets(world(service())) == []


def test_endpoints_go_with_their_service() -> None:
    made = world(service(), pod("a"))
    made.delete("Service", "web")
    made.driver.advance(0)
    assert made.get("Endpoints", "web") is None


def test_services_without_selector_are_left_to_others() -> None:
    assert world(service(selector=None), pod("a")).all("Endpoints") == []


def test_nothing_is_written_without_need() -> None:
    made = world(service(), pod("a"))
    made.writes.clear()
    made.patch("Service", "web", {"metadata": {"annotations": {"note": "new"}}})
    made.patch("Pod", "a", {"metadata": {"annotations": {"note": "new"}}})
    made.driver.advance(10)
    assert [call for call in made.writes if call.who == "endpoint-controller"] == []
