"""`podium capacity`: exit codes and outputs."""

import json

import pytest

from tests.objects import node, pod, priority_class

SMALL = "small=cpu=4,memory=16Gi:0.21"


@pytest.fixture
def state(write) -> str:
    return write("state.yaml", node("a", "3"), pod("low", on="a"), priority_class("high", 9))


@pytest.fixture
def web(write) -> str:
    return write("web.yaml", pod("web", priorityClassName="high"))


def test_fewer_than_hoped_for_is_exit_code_2(podium, state, web) -> None:
    assert podium("capacity", "-f", state, "--pod", web, "--at-least", "2").exit_code == 0
    asked = ("capacity", "-f", state, "--pod", web, "--at-least", "3")
    result = podium(*asked)
    assert result.exit_code == 2
    assert result.output.startswith("2 more pods fit; at least 3 were hoped for.\n")
    result = podium(*asked, "--preempt")
    assert result.exit_code == 0
    assert "2 more pods fit; 3 if 1 pod gives way; at least 3 were hoped for." in result.output


def test_changes_are_made_before(podium, state, web) -> None:
    result = podium("capacity", "-f", state, "--add-node", "a*2", "--pod", web, "-o", "json")
    assert json.loads(result.stdout)["withoutPreemption"]["pods"] == 8


def test_pods_that_no_node_helps_are_exit_code_2(podium, state, write) -> None:
    huge = write("huge.yaml", pod("huge", "9"))
    result = podium("capacity", "-f", state, "--pod", huge, "--node-shape", SMALL)
    assert result.exit_code == 2
    assert "No choice of these nodes was found with which no pod waits" in result.output
    assert "PENDING PODS WITH 1 NODE OF EACH SHAPE" in result.output


def test_what_is_asked_for_has_to_be_understood(podium, state, web) -> None:
    for more, why in (
        ((), "error: no pods are given: "),
        (("--pod", f"{web}*0"), "must be FILE or KIND/NAME, with *COUNT from 1 to 10000"),
        (("--node-shape", "small"), "must be NAME=RESOURCES:COST"),
    ):
        result = podium("capacity", "-f", state, *more)
        assert result.exit_code == 1
        assert why in result.output
