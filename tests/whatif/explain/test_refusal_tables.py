"""Nodes that refuse a pod for equal reasons, in a row; and one row each where that is asked for."""

from podium.api.presentation import Table
from podium.whatif.explain.explanation_presentation import explanation_presentation, refusal_table
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import node, pod

_TAINT = {"key": "dedicated", "effect": "NoSchedule"}


def test_many_nodes_share_a_row_with_the_range_of_what_they_lack() -> None:
    state = [node(f"n{number:02}", str(1 + number % 6)) for number in range(12)]
    state += [node("t", "9", taints=[_TAINT]), pod("low", "1", on="n05"), pod("new", "8")]
    explanation = explain_pod(PlanRequest(LoadedState(state)), "default/new")
    obstacles = explanation.decisions[0].obstacles
    rows = [[str(cell) for cell in row] for row in refusal_table(obstacles, wide=False).rows]
    assert [(row[0], row[3], row[4]) for row in rows] == [
        ("12 nodes, such as n00", "Insufficient cpu", "needs 8 CPU, 2 to 7 CPU short"),
        ("t", "node(s) had untolerated taint(s)", "taint dedicated:NoSchedule isn't tolerated"),
    ]
    assert len(refusal_table(obstacles, wide=True).rows) == 13


def test_what_would_make_a_pod_fit_comes_first() -> None:
    state = [node("n", "1"), pod("new", "2")]
    explanation = explain_pod(PlanRequest(LoadedState(state)), "default/new")
    presentation = explanation_presentation(explanation)
    assert presentation.headline.startswith("0/1 nodes are available")
    blocks = [block for one in presentation.filled_sections() for block in one.blocks]
    titles = [block.title for block in blocks if isinstance(block, Table)]
    assert titles == ["It would fit with", "Nodes that don't fit"]


def test_a_pod_that_has_a_node_is_not_headed_by_why_it_could_not() -> None:
    state = [node("n", "4", taints=[_TAINT]), pod("runs", "1", on="n")]
    explained = explain_pod(PlanRequest(LoadedState(state)), "default/runs")
    presentation = explanation_presentation(explained)
    assert presentation.headline.startswith("It is on n;")
    decisions = [one for one in presentation.sections if one.title.startswith("Decision")]
    assert [one.is_detail for one in decisions] == [True]
