"""NodePorts by example: what conflicts, and the set that upstream keeps of used ports."""

import pytest

from podium.scheduler.framework.interface import FilterState
from podium.scheduler.plugins.node_ports import HostPort, NodePorts
from tests.scheduler.plugins.small_cluster import Obj, cluster, node, pending, pod

ANY = "0.0.0.0"


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ((ANY, "TCP", 80), (ANY, "TCP", 80), True),
        ((ANY, "TCP", 80), ("10.0.0.1", "TCP", 80), True),
        (("10.0.0.1", "TCP", 80), ("10.0.0.1", "TCP", 80), True),
        (("10.0.0.1", "TCP", 80), ("10.0.0.2", "TCP", 80), False),
        ((ANY, "TCP", 80), (ANY, "UDP", 80), False),
        ((ANY, "TCP", 80), (ANY, "TCP", 81), False),
    ],
)
def test_conflicts(one: tuple[str, str, int], other: tuple[str, str, int], conflict: bool) -> None:
    assert HostPort(*one).conflicts(HostPort(*other)) is conflict
    assert HostPort(*other).conflicts(HostPort(*one)) is conflict


def holding(name: str, priority: int, *ports: Obj) -> Obj:
    return pod(name, priority=priority, containers=[{"name": "c", "ports": [*ports]}])


HTTP = {"containerPort": 8080, "hostPort": 80}


def state_of(*pods: Obj, wanted: Obj) -> FilterState:
    handle = cluster([node("n")], [(obj, "n") for obj in pods])
    state = NodePorts(handle).filter(pending(handle, wanted))
    assert state is not None
    return state


def test_a_taken_port_can_be_freed() -> None:
    state = state_of(holding("a", 0, HTTP), wanted=holding("p", 1, HTTP))
    status = state.status(0, state.code(0))
    assert str(status.code) == "Unschedulable"
    assert status.reasons == ("node(s) didn't have free ports for the requested pod ports",)
    assert state.code(0, (-1, -1)) == 0


def test_a_port_of_a_pod_that_stays_is_not_freed() -> None:
    other = {"hostPort": 80, "hostIP": "10.0.0.1"}
    state = state_of(holding("a", 0, HTTP), holding("b", 9, other), wanted=holding("p", 1, HTTP))
    assert state.code(0, (-1, -1)) != 0


def test_a_port_that_two_pods_hold_is_freed_by_either() -> None:
    state = state_of(holding("a", 0, HTTP), holding("b", 9, HTTP), wanted=holding("p", 1, HTTP))
    assert state.code(0) != 0
    assert state.code(0, (-1, -1)) == 0


def test_pods_that_want_no_port_of_the_node_are_no_concern() -> None:
    handle = cluster([node("n")])
    wanted = holding("p", 0, {"containerPort": 8080}, {"containerPort": 9090, "hostPort": 0})
    assert NodePorts(handle).filter(pending(handle, wanted)) is None


def test_only_init_containers_that_keep_running_hold_ports() -> None:
    handle = cluster([node("n")])
    container = {"name": "c", "ports": [HTTP]}
    once = pending(handle, pod(initContainers=[container]))
    sidecar = pending(handle, pod(initContainers=[{**container, "restartPolicy": "Always"}]))
    assert NodePorts(handle).filter(once) is None
    assert NodePorts(handle).filter(sidecar) is not None
