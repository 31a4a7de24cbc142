"""SchedulingGates, PrioritySort and DefaultBinder: no node needed."""

import pytest

from podium.scheduler.framework.status import SUCCESS, Code
from podium.scheduler.plugins.default_binder import DefaultBinder
from podium.scheduler.plugins.priority_sort import PrioritySort
from podium.scheduler.plugins.scheduling_gates import SchedulingGates
from tests.scheduler.plugins.small_cluster import cluster, pending, pod

EMPTY = cluster([])


def test_gates_are_listed_in_order() -> None:
    gated = pending(EMPTY, pod(schedulingGates=[{"name": "foo"}, {"name": "bar"}]))
    status = SchedulingGates(EMPTY).pre_enqueue(gated)
    assert status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert status.reasons == ("waiting for scheduling gates: [foo bar]",)


@pytest.mark.parametrize("spec", [{}, {"schedulingGates": []}, {"schedulingGates": None}])
def test_a_pod_without_gates_is_let_in(spec: dict[str, object]) -> None:
    assert SchedulingGates(EMPTY).pre_enqueue(pending(EMPTY, pod(**spec))) == SUCCESS


def test_pods_of_one_class_can_differ_in_gates() -> None:
    gated = pending(EMPTY, pod(schedulingGates=[{"name": "a"}]))
    free = pending(EMPTY, pod())
    assert gated.cls is free.cls
    plugin = SchedulingGates(EMPTY)
    assert not plugin.pre_enqueue(gated).is_success
    assert plugin.pre_enqueue(free).is_success


def test_higher_priority_comes_first_then_the_earlier() -> None:
    sort = PrioritySort(EMPTY)
    queue = [(0, 1.0), (7, 3.0), (-1, 0.0), (7, 2.0)]
    keys = [
        (sort.sort_key(pending(EMPTY, pod(priority=priority)), queued_at), (priority, queued_at))
        for priority, queued_at in queue
    ]
    assert [entry for _, entry in sorted(keys)] == [(7, 2.0), (7, 3.0), (0, 1.0), (-1, 0.0)]


def test_the_default_binder_binds() -> None:
    assert DefaultBinder(EMPTY).bind(pending(EMPTY, pod()), "n") == SUCCESS
