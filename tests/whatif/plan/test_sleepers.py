"""Pods that kube-scheduler leaves asleep although they fit, and what is said of them."""

from typing import Any

from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.presentation.plan_summary_text import summary_lines
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import HOST, Obj, namespace, node, pod
from tests.whatif.plan.plans import planned


def states() -> list[Obj]:
    """`client` waits to be near a pod of a namespace that its term selects by labels."""
    back = namespace("back")
    back["metadata"]["labels"] = {"tier": "back"}
    term = {
        "topologyKey": HOST,
        "labelSelector": {"matchLabels": {"app": "store"}},
        "namespaceSelector": {"matchLabels": {"tier": "back"}},
    }
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    return [node("n1"), back, pod("client", affinity={"podAffinity": rule})]


STORE = pod("store", namespace="back")
WHY = "no event had woken it, and it was tried only because it had waited for 5m30s"


def summary(plan: Plan) -> list[str]:
    return [line for line in summary_lines(plan, wide=False) if "event" in line]


def explained(state: list[Obj], *applied: Any, until_s: float | None = None) -> str:
    changes = (Apply(applied),) if applied else ()
    return explain_pod(
        PlanRequest(LoadedState(state), changes, until_s=until_s), "default/client"
    ).sleep


def test_a_pod_that_no_event_wakes_is_placed_when_it_has_waited_for_five_minutes() -> None:
    outcome = planned(states(), STORE)
    placed = {one.pod: (one.at_s, one.overslept_s) for one in outcome.placements}
    assert placed == {"back/store": (0.0, None), "default/client": (330.0, 330.0)}
    (bound,) = (one for one in outcome.timeline if one.detail)
    assert (bound.pod, bound.detail) == ("default/client", WHY)
    assert summary(outcome) == [f"Pod default/client is placed at t+330s only: {WHY}."]
    assert explained(states(), STORE).startswith(f"As to when it got its place: {WHY}.")


def test_a_plan_that_ends_before_says_where_it_would_fit_and_when_it_is_tried() -> None:
    outcome = planned(states(), STORE, until_s=60.0)
    (pending,) = outcome.pending
    assert (pending.fits_on, pending.tried_at_s) == ("n1", 330.0)
    sleep = "would fit on n1 by now, but no event wakes it: it is tried at t+330s"
    assert summary(outcome) == [f"Pod default/client {sleep}."]
    assert explained(states(), STORE, until_s=60.0).startswith(f"It {sleep}.")


def test_nothing_is_said_of_pods_that_fit_nowhere_or_are_woken() -> None:
    (pending,) = planned(states(), until_s=60.0).pending
    assert (pending.fits_on, pending.tried_at_s) == ("", None)
    assert explained(states()) == ""
    woken = states()
    term = woken[-1]["spec"]["affinity"]["podAffinity"]
    term["requiredDuringSchedulingIgnoredDuringExecution"][0]["namespaces"] = ["back"]
    outcome = planned(woken, STORE)
    assert [one.overslept_s for one in outcome.placements] == [None, None]
    assert summary(outcome) == []


def test_pods_of_a_state_that_waited_in_vain_and_fit_are_explained() -> None:
    waited = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    *others, client = states()
    client["status"] = {"conditions": [waited]}
    running = {**STORE, "spec": {**STORE["spec"], "nodeName": "n1"}}
    said = explained([*others, running, client])
    assert said.startswith("kube-scheduler has found no place for it, as its status says")
    assert "it is tried again within 5.5 minutes" in said
    assert explained([*others, client], STORE) != said


REJECTED = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}


def rejected(waiting: Obj) -> Obj:
    """A pod of a state whose scheduler has found no place for it."""
    return {**waiting, "status": {"phase": "Pending", "conditions": [REJECTED]}}


def test_pods_that_a_state_s_scheduler_rejected_wait_for_what_wakes_them() -> None:
    """A node wakes those that lack room, but not one that waits for a limit of volumes."""
    large = rejected(pod("large", "4"))
    outcome = planned([node("n1", "1"), large], node("n2"))
    assert {one.pod: one.at_s for one in outcome.placements} == {"default/large": 0.0}
    *others, client = states()
    outcome = planned([*others, rejected(client)], STORE)
    placed = {one.pod: (one.at_s, one.overslept_s) for one in outcome.placements}
    assert placed == {"back/store": (0.0, None), "default/client": (330.0, 330.0)}


def test_pods_that_fit_in_the_state_already_are_tried_at_once() -> None:
    """So are those for which others can give way: who rejected them can't be told any more."""
    high = rejected(pod("high", "4", priority=5))
    state = [node("n1"), pod("low", "4", on="n1", terminationGracePeriodSeconds=0)]
    outcome = planned([*state, high])
    assert [one.preemptor for one in outcome.preemptions] == ["default/high"]
    free = planned([node("n1"), rejected(pod("free", "4"))])
    assert {one.pod: one.at_s for one in free.placements} == {"default/free": 0.0}


def test_rejected_pods_of_a_state_are_explained_as_things_are_at_the_beginning() -> None:
    explanation = explain_pod(
        PlanRequest(LoadedState([node("n"), rejected(pod("large", "8"))])), "default/large"
    )
    (view,) = explanation.decisions
    assert (view.at_s, explanation.sleep) == (0.0, "")
    assert view.message.startswith("0/1 nodes are available: 1 Insufficient cpu.")
    *others, client = states()
    request = PlanRequest(LoadedState([*others, rejected(client)]), (Apply([STORE]),))
    first, second = explain_pod(request, "default/client").decisions
    assert (first.at_s, first.node, second.at_s, second.node) == (0.0, "", 330.0, "n1")
