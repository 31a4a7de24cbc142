"""What the API rejects for a misspelt reference says what was likely meant."""

from typing import Any

import pytest

from tests.objects import Obj, namespace, node, pod, priority_class, workload
from tests.whatif.plan.plans import planned

RUNTIME = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "gvisor"},
    "handler": "runsc",
}
STATE: list[Obj] = [
    node("n"),
    namespace("default"),
    namespace("payments"),
    priority_class("critical", 1000),
    RUNTIME,
]


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ({"priorityClassName": "critcal"}, "critical"),
        ({"priorityClassName": "system-node-crtical"}, "system-node-critical"),
        ({"runtimeClassName": "gviser"}, "gvisor"),
        ({"namespace": "paymnts"}, "payments"),
    ],
)
def test_the_name_that_is_most_like_it_is_suggested(misspelt: dict[str, Any], meant: str) -> None:
    (rejected,) = planned(STATE, pod("new", **misspelt)).rejected
    assert rejected.message.endswith(f"; is {meant} meant?")


def test_pods_of_a_workload_that_arent_let_in_say_it_too() -> None:
    asked = workload("Deployment", "web", replicas=2, template={"priorityClassName": "critcal"})
    (rejected,) = planned(STATE, asked).rejected
    assert rejected.count == 2
    assert rejected.message.endswith("with name critcal was found; is critical meant?")


def test_nothing_is_suggested_that_isnt_like_it() -> None:
    (rejected,) = planned(STATE, pod("new", priorityClassName="zebra")).rejected
    assert rejected.message.endswith("no PriorityClass with name zebra was found")
