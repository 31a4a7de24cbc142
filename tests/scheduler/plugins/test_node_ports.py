"""NodePorts by example: what conflicts, and the set that upstream keeps of used ports."""

from podium.scheduler.framework.interface import FilterState
from podium.scheduler.plugins.node_ports import NodePorts
from tests.scheduler.plugins.small_cluster import Obj, cluster, node, pending, pod


def holding(name: str, priority: int, *ports: Obj) -> Obj:
    return pod(name, priority=priority, containers=[{"name": "c", "ports": [*ports]}])


HTTP = {"containerPort": 8080, "hostPort": 80}


def state_of(*pods: Obj, wanted: Obj) -> FilterState:
    handle = cluster([node("n")], [(obj, "n") for obj in pods])
    state = NodePorts(handle).filter(pending(handle, wanted))
    assert state is not None
    return state


def test_a_port_that_two_pods_hold_is_freed_by_either() -> None:
    state = state_of(holding("a", 0, HTTP), holding("b", 9, HTTP), wanted=holding("p", 1, HTTP))
    assert state.code(0) != 0
    assert state.code(0, (-1, -1)) == 0


def test_only_init_containers_that_keep_running_hold_ports() -> None:
    handle = cluster([node("n")])
    container = {"name": "c", "ports": [HTTP]}
    once = pending(handle, pod(initContainers=[container]))
    sidecar = pending(handle, pod(initContainers=[{**container, "restartPolicy": "Always"}]))
    assert NodePorts(handle).filter(once) is None
    assert NodePorts(handle).filter(sidecar) is not None
