"""The scheduling cycle: what one decision takes into account."""

import pytest

from podium.scheduler.framework.cycle.scheduling_cycle import Timing
from podium.scheduler.scheduler import Scheduler
from tests.objects import ZONE, near, node, pod, required


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


@pytest.mark.parametrize("known_key", [False, True])
def test_nominated_pods_of_a_class_met_later(known_key: bool) -> None:
    """Their topology keys are counted, though nobody had them when the pod was first decided."""
    keys = [near("other", ZONE)] if known_key else []
    shy = pod("shy", affinity=required("podAntiAffinity", near("new"), *keys))
    scheduler = Scheduler()
    scheduler.load(
        [node("n1", zone="z1"), node("n2", zone="z2"), node("n3", zone="z3")],
        [pod("other-1", on="n3")],
    )
    assert scheduler.decide(scheduler.pending(shy)).node_name == "n1"
    scheduler.nominator.nominate(scheduler.pending(pod("new")), "n1")
    assert scheduler.decide(scheduler.pending(shy)).node_name == "n2"


@pytest.mark.parametrize("count", [2, 9])
def test_dry_runs_with_nominated_pods_of_a_class_met_later(count: int) -> None:
    """Pods that the preemptor keeps away from are nominated to all nodes but the last."""
    names = [f"n{index}" for index in range(count)]
    scheduler = Scheduler()
    scheduler.load(
        [node(name, cpu="2") for name in names],
        [pod(f"low-{name}", "2", on=name) for name in names],
    )
    shy = pod("shy", priority=5, affinity=required("podAntiAffinity", near("new")))
    first = scheduler.decide(scheduler.pending(shy)).preemption
    assert first is not None
    assert [names[row] for row in first.candidate_rows] == names
    for name in names[:-1]:
        scheduler.nominator.nominate(scheduler.pending(pod(f"new-{name}", priority=5)), name)
    second = scheduler.decide(scheduler.pending(shy)).preemption
    assert second is not None
    assert [names[row] for row in second.candidate_rows] == names[-1:]


def test_dry_runs_for_a_nominated_pod_are_not_those_of_others_of_its_class() -> None:
    scheduler = Scheduler()
    names = ["n1", "n2"]
    full = [pod(f"low-{name}", "2", on=name) for name in names]
    scheduler.load([node(name, cpu="2") for name in names], full)
    first, second = (scheduler.pending(pod(name, "2", priority=5)) for name in ("a-1", "a-2"))
    for name, others in (("n1", ["n2"]), ("n2", ["n1"])):
        scheduler.nominator.nominate(first, name)
        for preemptor, candidates in ((first, names), (second, others)):
            preemption = scheduler.decide(preemptor).preemption
            assert preemption is not None
            assert [names[row] for row in preemption.candidate_rows] == candidates


@pytest.mark.parametrize(
    ("named", "taken"), [(["n3"], "n3"), (["full", "n3", "n2"], "n3"), (["full"], "n1"), ([], "n1")]
)
def test_a_preferred_node_is_taken_only_where_it_ties_with_the_best(
    named: list[str], taken: str
) -> None:
    scheduler = Scheduler()
    nodes = [node(name) for name in ("full", "n1", "n2", "n3")]
    scheduler.load(nodes, [pod("there", "2", on="full")])
    new = scheduler.pending(pod("new"))
    scheduler.preferred.placements[new.uid] = named
    assert scheduler.decide(new).node_name == taken


def test_extension_points_are_measured_with_what_they_came_to() -> None:
    """Filtering has succeeded once any node fits."""
    scheduler = Scheduler()
    scheduler.load([node("n1", cpu="2"), node("n2", cpu="4")], [])
    seconds, measured = iter(range(100)), []
    scheduler.measure(Timing(lambda: next(seconds), lambda *told: measured.append(told)))
    for cpu in ("1", "3", "5"):
        scheduler.decide(scheduler.pending(pod("p", cpu=cpu)))
    profile = "default-scheduler"
    assert measured == [
        (1, "Filter", "Success", profile),
        (1, "Filter", "Success", profile),
        (1, "Filter", "Unschedulable", profile),
        (1, "PostFilter", "Unschedulable", profile),
    ]
