"""Pods that kube-scheduler leaves asleep although they fit, and what is said of them."""

from typing import Any

from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.presentation.plan_summary_text import summary_lines
from tests.objects import HOST, Obj, namespace, node, pod, required
from tests.whatif.plan.plans import planned, request

STORE = pod("store", namespace="back")
WHY = "no event had woken it, and it was tried only because it had waited for 5m30s"
REJECTED = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}


def states(**term: Any) -> list[Obj]:
    """`client` waits to be near a pod of a namespace that its term selects by labels."""
    back = namespace("back")
    back["metadata"]["labels"] = {"tier": "back"}
    by_labels = {
        "topologyKey": HOST,
        "labelSelector": {"matchLabels": {"app": "store"}},
        "namespaceSelector": {"matchLabels": {"tier": "back"}},
        **term,
    }
    return [node("n1"), back, pod("client", affinity=required("podAffinity", by_labels))]


def rejected(waiting: Obj) -> Obj:
    """A pod of a state whose scheduler has found no place for it."""
    return {**waiting, "status": {"phase": "Pending", "conditions": [REJECTED]}}


def summary(plan: Plan) -> list[str]:
    return [line for line in summary_lines(plan, wide=False) if "event" in line]


def explained(state: list[Obj], *applied: Obj, **settings: Any) -> str:
    return explain_pod(request(state, *applied, **settings), "default/client").sleep


def placed(plan: Plan) -> dict[str, tuple[float, float | None]]:
    return {one.pod: (one.at, one.overslept_seconds) for one in plan.placements}


def test_a_pod_that_no_event_wakes_is_placed_when_it_has_waited_for_five_minutes() -> None:
    outcome = planned(states(), STORE)
    assert placed(outcome) == {"back/store": (0.0, None), "default/client": (330.0, 330.0)}
    (bound,) = (one for one in outcome.timeline if one.reason)
    assert (bound.pod, bound.reason) == ("default/client", WHY)
    assert summary(outcome) == [f"Pod default/client is placed at t+330s only: {WHY}."]
    assert explained(states(), STORE).startswith(f"As to when it got its place: {WHY}.")


def test_a_plan_that_ends_before_says_where_it_would_fit_and_when_it_is_tried() -> None:
    outcome = planned(states(), STORE, until_s=60.0)
    (pending,) = outcome.pending
    assert (pending.fits_on, pending.tried_at) == ("n1", 330.0)
    sleep = "would fit on n1 by now, but no event wakes it: it is tried at t+330s"
    assert summary(outcome) == [f"Pod default/client {sleep}."]
    assert explained(states(), STORE, until_s=60.0).startswith(f"It {sleep}.")


def test_nothing_is_said_of_pods_that_fit_nowhere_or_are_woken() -> None:
    (pending,) = planned(states(), until_s=60.0).pending
    assert (pending.fits_on, pending.tried_at) == ("", None)
    assert explained(states()) == ""
    outcome = planned(states(namespaces=["back"]), STORE)
    assert [one.overslept_seconds for one in outcome.placements] == [None, None]
    assert summary(outcome) == []


def test_pods_of_a_state_that_waited_in_vain_and_fit_are_explained() -> None:
    *others, client = states()
    running = {**STORE, "spec": {**STORE["spec"], "nodeName": "n1"}}
    said = explained([*others, running, rejected(client)])
    assert said.startswith("kube-scheduler has found no place for it, as its status says")
    assert "it is tried again within 5.5 minutes" in said
    assert explained([*others, rejected(client)], STORE) != said


def test_pods_that_a_state_s_scheduler_rejected_wait_for_what_wakes_them() -> None:
    """A node wakes those that lack room; those that fit, or can preempt, are tried at once."""
    outcome = planned([node("n1", "1"), rejected(pod("large", "4"))], node("n2"))
    assert placed(outcome) == {"default/large": (0.0, None)}
    *others, client = states()
    outcome = planned([*others, rejected(client)], STORE)
    assert placed(outcome) == {"back/store": (0.0, None), "default/client": (330.0, 330.0)}
    state = [node("n1"), pod("low", "4", on="n1", terminationGracePeriodSeconds=0)]
    outcome = planned([*state, rejected(pod("high", "4", priority=5))])
    assert [one.preemptor for one in outcome.preemptions] == ["default/high"]
    free = planned([node("n1"), rejected(pod("free", "4"))])
    assert placed(free) == {"default/free": (0.0, None)}


def test_rejected_pods_of_a_state_are_explained_as_things_are_at_the_beginning() -> None:
    explanation = explain_pod(request([node("n"), rejected(pod("large", "8"))]), "default/large")
    (view,) = explanation.decisions
    assert (view.at, explanation.sleep) == (0.0, "")
    assert view.message.startswith("0/1 nodes are available: 1 Insufficient cpu.")
    *others, client = states()
    asked = request([*others, rejected(client)], STORE)
    first, second = explain_pod(asked, "default/client").decisions
    assert (first.at, first.node, second.at, second.node) == (0.0, "", 330.0, "n1")
