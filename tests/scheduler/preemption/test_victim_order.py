"""Orders of importance: pod by pod and on columns of pods they say the same."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.scheduler.config.scheduler_options import VictimOrder
from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.preemption.victim_order import IMPORTANCE, PRIORITY, Importance, column_of
from podium.scheduler.preemption.victim_table import VictimTables
from podium.scheduler.scheduler import Scheduler
from tests.objects import Obj, node, pod

# An order that no option stands for: what changes here must change on columns too.
SHORT_NAMES = Importance((PRIORITY, column_of(lambda pod: -len(pod.name))))
ORDERS = {**IMPORTANCE, "short names": SHORT_NAMES}
ALL = {"cpu": "1m", "memory": "1"}
CLASSES: dict[str, Obj] = {
    "Guaranteed": {"requests": ALL, "limits": ALL},
    "Burstable": {"requests": {"cpu": "1m"}},
    "BestEffort": {},
}


@st.composite
def pods(draw: st.DrawFn) -> list[Obj]:
    """Pods on three nodes, many of them alike, so that there are ties; at times a long row."""
    count = draw(st.integers(0, 40))
    return [_drawn(draw, number) for number in range(count)]


def _drawn(draw: st.DrawFn, number: int) -> Obj:
    name = f"{'p' * draw(st.integers(1, 2))}{number:02}"
    started: dict[str, Any] = draw(st.sampled_from([{}, {"start": "2026-01-01T00:00:00Z"}]))
    obj = pod(name, on=f"n{draw(st.sampled_from([1, 1, 2, 3]))}", **started)
    obj["spec"]["priority"] = draw(st.integers(0, 1))
    resources = CLASSES[draw(st.sampled_from(sorted(CLASSES)))]
    obj["spec"]["containers"][0]["resources"] = resources
    return obj


@given(pods())
@pytest.mark.parametrize("order", ORDERS)
def test_pods_and_columns_of_pods_come_in_the_same_order(order: str, on_nodes: list[Obj]) -> None:
    importance, scheduler = ORDERS[order], Scheduler()
    scheduler.load([node(f"n{number}") for number in (1, 2, 3)], on_nodes)
    snapshot = scheduler.snapshot
    slots = np.flatnonzero(snapshot.pods.rows >= 0)
    rows = snapshot.pods.rows[slots]
    in_order = [snapshot.pods.pods[slots[i]] for i in importance.order(snapshot, slots, rows)]
    expected = []
    for row in range(3):
        on_row = list(snapshot.pods_on[row])
        importance.sort(on_row)
        expected += on_row
    assert [pod.name for pod in in_order] == [pod.name for pod in expected]


def test_every_option_stands_for_an_order() -> None:
    assert set(IMPORTANCE) == set(VictimOrder)


def test_qos_classes_count_between_priority_and_start() -> None:
    scheduler, objects = Scheduler(), []
    for hour, (qos_class, resources) in enumerate(reversed(CLASSES.items())):
        obj = pod(qos_class, on="n1", start=f"2026-01-01T0{hour}:00:00Z")
        obj["spec"]["containers"][0]["resources"] = resources
        objects.append(obj)
    scheduler.load([node("n1")], objects)
    on_node = list(scheduler.snapshot.pods_on[0])
    IMPORTANCE[VictimOrder.DEFAULT].sort(on_node)
    assert [placed.name for placed in on_node] == ["BestEffort", "Burstable", "Guaranteed"]
    IMPORTANCE[VictimOrder.QOS_CLASS].sort(on_node)
    assert [placed.name for placed in on_node] == ["Guaranteed", "Burstable", "BestEffort"]


@pytest.mark.parametrize("nodes", [1, 9])
def test_a_dry_run_goes_by_the_order_on_few_rows_and_on_many(nodes: int) -> None:
    """Few rows are run one by one, many at once: the names that are longest go first on each."""
    scheduler, names = Scheduler(), [f"n{number}" for number in range(nodes)]
    here = [pod(f"{who}-{n}", on=n) for n in names for who in ("a", "aaa", "aa")]
    scheduler.load([node(n, cpu="3") for n in names], here)
    preemptor = scheduler.pending(pod("p", priority=5))
    evaluation = scheduler.decide(preemptor).evaluation
    assert evaluation is not None
    tables = VictimTables(scheduler.snapshot, scheduler.budgets, SHORT_NAMES)
    run = DryRun(tables, scheduler.nominator)
    run.update(preemptor, evaluation.filtering, np.ones(scheduler.snapshot.node_count, bool))
    victims = [[victim.name for victim in run.victims_on(row)] for row in range(nodes)]
    assert victims == [[f"aaa-{n}"] for n in scheduler.snapshot.names[:nodes]]
