"""Scale-down order: each criterion alone decides, and an earlier one before a later one."""

from itertools import permutations

import pytest

from podium.api.pods import DELETION_COST
from podium.controllers.kit.pod_deletion_order import removal_order, scale_down_order
from tests.objects import Obj

HOUR_NANOS = 3600 * 10**9


def at(hour: int) -> str:
    return f"1970-01-01T{hour:02}:00:00Z"


def pod(
    called: str,
    *,
    node: str = "n",
    phase: str = "Running",
    ready: int | None = 1,
    cost: str = "",
    restarts: int = 0,
    sidecar_restarts: int = 0,
    created: int | None = 1,
) -> Obj:
    """A pod; `ready` and `created` are hours, None for not ready and without a time."""
    condition = {"type": "Ready", "status": "True", "lastTransitionTime": at(ready or 0)}
    return {
        "metadata": {
            "name": called,
            "uid": f"uid-{called}",
            "annotations": {DELETION_COST: cost} if cost else {},
            "creationTimestamp": None if created is None else at(created),
        },
        "spec": {"nodeName": node, "initContainers": [{"name": "s", "restartPolicy": "Always"}]},
        "status": {
            "phase": phase,
            "conditions": [] if ready is None else [condition],
            "containerStatuses": [{"name": "c", "restartCount": restarts}],
            "initContainerStatuses": [{"name": "s", "restartCount": sidecar_restarts}],
        },
    }


def order(*pods: Obj, now: int | None = None) -> list[str]:
    return [one["metadata"]["name"] for one in scale_down_order(pods, pods, now)]


# The first of each pair goes; by all later criteria the second would.
PAIRS = [
    (pod("b", node=""), pod("a", phase="Pending", ready=None)),
    (pod("b", phase="Pending"), pod("a", phase="Unknown", ready=None)),
    (pod("b", phase="Unknown"), pod("a", ready=None)),
    (pod("b", ready=None), pod("a", cost="-5")),
    (pod("b", cost="-1"), pod("a", ready=5)),
    (pod("b", cost="2"), pod("a", cost="10", ready=5)),
    (pod("b", ready=2), pod("a", ready=1, restarts=3)),
    (pod("b", ready=0, restarts=2), pod("a", ready=0, restarts=1, sidecar_restarts=9)),
    (pod("b", sidecar_restarts=1), pod("a", created=9)),
    (pod("b", created=None), pod("a", created=9)),
    (pod("b", created=2), pod("a", created=1)),
    (pod("a"), pod("b")),
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_criterion(first: Obj, second: Obj) -> None:
    expected = [first["metadata"]["name"], second["metadata"]["name"]]
    assert order(first, second) == order(second, first) == expected


def test_crowded_nodes_are_thinned_out_first() -> None:
    pods = [pod("a", node="m"), pod("b"), pod("c", ready=9)]
    assert order(*pods) == ["c", "b", "a"]
    related = [*pods, pod("x", node="m"), pod("y", node="m")]
    found = scale_down_order(pods, related)
    assert [one["metadata"]["name"] for one in found] == ["a", "c", "b"]


def test_with_a_clock_ages_count_by_their_magnitude() -> None:
    young, old, older = pod("c", ready=9), pod("b", ready=2), pod("a", ready=1)
    assert order(young, old, older) == ["c", "b", "a"]
    assert order(young, old, older, now=10 * HOUR_NANOS) == ["c", "a", "b"]


def test_a_cost_that_is_no_number_is_none() -> None:
    assert order(pod("b", cost="-1"), pod("a", cost="cheap")) == ["b", "a"]
    assert order(pod("b", cost="-01"), pod("a")) == ["a", "b"]


def test_jobs_do_not_weigh_costs() -> None:
    pods = [pod("a", cost="5", node="m"), pod("b"), pod("c")]
    assert [one["metadata"]["name"] for one in removal_order(pods)] == ["a", "b", "c"]


def test_the_order_does_not_depend_on_the_order_given() -> None:
    pods = [PAIRS[0][0], PAIRS[1][1], pod("c", ready=5), pod("d", restarts=1), pod("e")]
    orders = {tuple(order(*given)) for given in permutations(pods)}
    assert len(orders) == 1
