"""What is on the nodes before and after a plan, for pictures of it."""

from podium.whatif.plan.plan_report import NodeFilling, PodShare
from tests.objects import node, pod
from tests.whatif.plan.plans import planned


def test_pods_of_nodes_that_change_have_shares_in_ten_thousandths() -> None:
    state = [node("a", "3"), node("b", "3"), pod("first", on="a"), pod("other", "2", on="b")]
    outcome = planned(state, pod("new", "1750m"), draws=True)
    first = PodShare("default/first", 0, 0.3333, is_leaving=False, is_other=False)
    new = PodShare("default/new", 0, 0.5833, is_leaving=False, is_other=True)
    assert outcome.nodes == (NodeFilling("a", (first,), (first, new)),)
