"""The scheduling cycle: what one decision takes into account."""

from podium.scheduler import Scheduler
from tests.core.objects import near, node, pod, required


def test_nominated_pods_may_leave_no_node_though_others_score() -> None:
    """The room is taken by a nominated pod; ranking what is left must not stumble over nothing."""
    scheduler = Scheduler()
    scheduler.load(
        [node("n1", cpu="2")],
        [pod("friend-1", on="n1", priority=5, affinity=required("podAffinity", near("new")))],
    )
    scheduler.nominator.nominate(scheduler.pending(pod("rival", priority=5)), "n1")
    decision = scheduler.decide(scheduler.pending(pod("new", priority=5)))
    assert decision.node_name == ""
    assert decision.error == ""
    assert decision.preemption is not None
    assert decision.preemption.node_name == ""
