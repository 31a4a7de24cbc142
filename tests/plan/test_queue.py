"""Pods are decided in the order of the queue, and again while anything changes."""

from podium.plan.queue import waiting
from tests.plan.objects import HOST, node, places, planned, pod, priority_class


def names(pods: list[object]) -> list[str]:
    return [one["metadata"]["name"] for one in pods]  # type: ignore[index]


def test_the_higher_priority_goes_first() -> None:
    state = [node("n"), priority_class("high", 10)]
    outcome = planned(state, pod("a"), pod("b", priorityClassName="high"), pod("c"))
    assert list(places(outcome)) == ["b", "a", "c"]


def test_the_pods_of_the_state_are_there_before_those_that_are_applied() -> None:
    outcome = planned([node("n"), pod("late", created="2030-01-01T00:00:00Z")], pod("new"))
    assert list(places(outcome)) == ["late", "new"]


def test_equals_go_in_order_of_creation_and_then_of_the_files() -> None:
    pods = [
        pod("undated-1"),
        pod("second", created="2026-01-02T00:00:00Z"),
        pod("first", created="2026-01-01T00:00:00Z"),
        pod("undated-2"),
    ]
    assert names(waiting(pods)) == ["first", "second", "undated-1", "undated-2"]


def test_pods_on_nodes_and_pods_that_are_being_deleted_dont_wait() -> None:
    deleted = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    assert waiting([pod("on", on="n"), pod("going", metadata=deleted)]) == []


def test_a_pod_is_tried_again_once_what_it_waits_for_is_there() -> None:
    near = {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "friend"}}, "topologyKey": HOST}
            ]
        }
    }
    outcome = planned([node("a"), node("b")], pod("shy", affinity=near), pod("friend"))
    assert places(outcome) == {"friend": "a", "shy": "a"}
    assert not outcome.pending


def test_what_fits_nowhere_stays_pending_with_the_schedulers_message() -> None:
    outcome = planned([node("a"), node("b", unschedulable=True)], pod("big", "5"))
    (pending,) = outcome.pending
    assert pending.pod == "default/big"
    assert pending.message == (
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. "
        "no new claims to deallocate, preemption: 0/2 nodes are available: "
        "2 Preemption is not helpful for scheduling."
    )


def test_gated_pods_and_those_of_other_schedulers_arent_tried() -> None:
    outcome = planned(
        [node("n")],
        pod("gated", schedulingGates=[{"name": "example.com/wait"}]),
        pod("foreign", schedulerName="mine"),
    )
    assert not outcome.placements
    assert not outcome.pending
    (gated,) = outcome.gated
    assert (gated.pod, gated.plugin) == ("default/gated", "SchedulingGates")
    assert gated.message == "waiting for scheduling gates: [example.com/wait]"
    (ignored,) = outcome.ignored
    assert (ignored.pod, ignored.scheduler_name) == ("default/foreign", "mine")


def test_a_terminating_pod_keeps_its_room_until_it_is_gone() -> None:
    going = {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}
    state = [node("n", "1"), pod("old", on="n", metadata=going)]
    (placed,) = planned(state, pod("new")).placements
    assert (placed.pod, round(placed.at_s)) == ("default/new", 30)
    assert planned(state, pod("new")).disruptions == ()
    early = planned(state, pod("new"), until_s=20.0)
    assert [pending.pod for pending in early.pending] == ["default/new"]


def test_a_finished_pod_leaves_its_room() -> None:
    done = pod("done", on="n", status={"phase": "Succeeded"})
    assert places(planned([node("n", "1"), done], pod("new"))) == {"new": "n"}
