"""Host ports in use, as watch events come in: kube-scheduler keeps them as a set."""

from typing import Any

from podium.machines.effects import Bind
from tests.scheduler.machine.builders import pod
from tests.scheduler.machine.test_scheduler_machine import Hand, node, of


def with_port(name: str, node_name: str = "", **metadata: Any) -> dict[str, Any]:
    made = pod(name, node=node_name, **metadata)
    (container,) = made["spec"]["containers"]
    container["ports"] = [{"containerPort": 80, "hostPort": 80, "protocol": "TCP"}]
    return made


def sharing() -> Hand:
    """Two pods have one port, and one of them leaves."""
    hand = Hand()
    hand.start(node(), with_port("x", "n1"), with_port("y", "n1"))
    hand.tell_gone("Pod", "y")
    return hand


def test_whoever_leaves_frees_the_port_for_others_to_take() -> None:
    hand = sharing()
    hand.tell("Pod", with_port("p"))
    (binding,) = of(hand.wake(), Bind)
    assert binding.name == "p"


def test_an_update_of_the_other_takes_it_again() -> None:
    hand = sharing()
    hand.tell("Pod", with_port("x", "n1", annotations={"seen": "yes"}))
    hand.tell("Pod", with_port("p"))
    assert of(hand.wake(), Bind) == []
