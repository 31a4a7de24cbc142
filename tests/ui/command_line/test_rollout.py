"""`podium rollout`: exit codes and outputs."""

import json

import pytest

from tests.objects import node, priority_class, workload


@pytest.fixture
def state(write) -> str:
    web = workload("StatefulSet", "web", replicas=1, serviceName="web")
    return write("state.yaml", node("a", "1"), web)


@pytest.fixture
def classes(write) -> str:
    return write("classes.yaml", priority_class("high", 1000), priority_class("low", 1))


def test_an_order_is_printed_in_each_form(podium, state, classes) -> None:
    asked = ("rollout", "-f", state, "--repair", "--classes", classes, "--assign", "sts/web=high")
    result = podium(*asked, "-o", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["verdict"] == "Safe"
    assert podium(*asked).output.startswith("The order as given is safe.\n")
    assert podium(*asked, "-o", "markdown").stdout.startswith("## Introducing priority classes\n")


def test_no_order_is_exit_code_2(podium, state, classes) -> None:
    asked = ("rollout", "-f", state, "--classes", classes, "--assign", "sts/web=none")
    result = podium(*asked, "--more-nodes", "0")
    assert result.exit_code == 2
    assert "No order of these steps is safe; 1 step played." in result.output
    assert "no PriorityClass with name none was found" in result.output


def test_what_is_asked_for_has_to_be_understood(podium, state, classes) -> None:
    important = ("--assign", "sts/web=high", "--important", "huge")
    for more, why in (
        ((), "no classes are given: "),
        (("--classes", classes), "there is no workload, nor a default class, to be rolled out"),
        (("--assign", "sts/db=high"), "--assign sts/db=high: the state has no StatefulSet"),
        (important, "--important huge: there is no such class"),
    ):
        result = podium("rollout", "-f", state, *more)
        assert result.exit_code == 1
        assert why in result.output
