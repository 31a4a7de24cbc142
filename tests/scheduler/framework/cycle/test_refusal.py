"""A refusal is that of the whole class for as long as nothing changes, and no longer."""

from collections.abc import Callable

import pytest

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.config.scheduler_options import PreemptionProtection, SchedulerOptions
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import placed_pod
from tests.objects import budget, namespace, node, pod


def full(options: SchedulerOptions | None = None) -> Scheduler:
    scheduler = Scheduler(options=options)
    scheduler.load([node("n1"), node("n2")], [pod("a-1", "4", on="n1"), pod("a-2", "4", on="n2")])
    return scheduler


def refused(scheduler: Scheduler, name: str) -> Decision:
    decision = scheduler.decide(scheduler.pending(pod(name, "3")))
    assert decision.pod.name == name
    assert not decision.node_name
    return decision


def test_pods_of_a_class_share_it() -> None:
    scheduler = full()
    first, second = refused(scheduler, "b-1"), refused(scheduler, "b-2")
    assert second.outcome is first.outcome
    assert second.post_filter is first.post_filter
    message = failure_message(first, scheduler.snapshot)
    assert failure_message(second, scheduler.snapshot) is message


CHANGES: dict[str, Callable[[Scheduler], object]] = {
    "a pod comes": lambda made: made.snapshot.add_pod(
        placed_pod(pod("c-1", "0"), made.snapshot.classes), "n1"
    ),
    "a pod starts": lambda made: made.snapshot.restart_pod(made.snapshot.pods_on[0][0], 1),
    "a pod is nominated": lambda made: made.nominator.nominate(made.pending(pod("c", "0")), "n1"),
    "a node comes": lambda made: made.snapshot.set_node(node("n3", cpu="1")),
    "a budget comes": lambda made: made.budgets.replace([Budget.of(budget("a"))]),
    "an object comes": lambda made: made.listers.set(namespace("x")),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_has_it_found_out_anew(change: Callable[[Scheduler], object]) -> None:
    scheduler = full()
    first = refused(scheduler, "b-1")
    change(scheduler)
    assert refused(scheduler, "b-2").outcome is not first.outcome


def test_nominated_pods_have_their_own() -> None:
    scheduler = full()
    first = refused(scheduler, "b-1")
    nominated = scheduler.pending(pod("b-2", "3"))
    scheduler.nominator.nominate(nominated, "n1")
    assert scheduler.decide(nominated).outcome is not first.outcome


def test_plugins_that_go_by_more_are_asked_each_time() -> None:
    """What is protected for a while may be free the next time."""
    scheduler = full(SchedulerOptions(protection=PreemptionProtection(toleration=True)))
    assert refused(scheduler, "b-1").outcome is not refused(scheduler, "b-2").outcome


def test_who_preempts_is_weighed_each_time() -> None:
    scheduler = full()
    urgent = [scheduler.pending(pod(name, "3", priority=9)) for name in ("b-1", "b-2")]
    decisions = [scheduler.decide(one) for one in urgent]
    assert all(one.preemption is not None and one.preemption.node_name for one in decisions)
    assert decisions[0].outcome is not decisions[1].outcome
