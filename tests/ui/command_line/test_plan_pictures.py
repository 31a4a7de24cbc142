"""The pictures of a plan: what is drawn of it, and how much; and rows about pods that are alike."""

from podium.api.policy.disruption_target import BY_SCHEDULER
from podium.api.presentation import Bars, Paragraph, Tone, Tree
from podium.whatif.plan.plan_report import Disruption, NodeFilling, Plan, PodShare
from podium.whatif.plan.presentation.plan_pictures import before_and_after, cascades, lanes
from podium.whatif.plan.presentation.plan_presentation import shown_once
from tests.replacing import replace

LOST = Disruption(pod="d/low", node="n", at=0.0, cause=BY_SCHEDULER, by="d/high")
AGAIN = replace(LOST, replacement="d/low-2", replaced_on="m")
IN_TURN = replace(LOST, pod="d/lowest", node="m", by="d/low-2")


def tree(*disruptions: Disruption) -> Tree:
    found = cascades(Plan(disruptions=disruptions)).blocks[0]
    assert isinstance(found, Tree)
    return found


def test_who_gives_way_to_a_replacement_hangs_below_it() -> None:
    (root,) = tree(AGAIN, IN_TURN).branches
    assert root.text == "d/high needs room"
    (lost,) = root.branches
    (again,) = lost.branches
    assert (again.text, again.tone) == ("d/low-2 is on m", Tone.GOOD)
    assert [one.text.split()[0] for one in again.branches] == ["d/lowest"]


def test_pods_whose_names_come_again_end() -> None:
    (root,) = tree(replace(AGAIN, by=""), replace(AGAIN, by="d/low-2")).branches
    assert root.text == "The changes themselves"


def test_much_is_cut() -> None:
    section = cascades(Plan(disruptions=(LOST,) * 65))
    assert section.blocks[1] == Paragraph("5 pods more lose a place.")
    pod = PodShare("d/p", 0, 0.0, is_leaving=False, is_other=True)
    filled = tuple(NodeFilling(f"n{number}", (pod,) * 200, ()) for number in range(41))
    (bars,) = before_and_after(Plan(nodes=filled)).blocks
    assert isinstance(bars, Bars)
    assert "1 node more change." in bars.notes
    _, (before, after) = bars.rows[0]
    assert sum(piece.share for piece in before) <= 1.0001
    assert (before[0].tone, after) == (Tone.BAD, [])


def test_nothing_is_drawn_of_what_takes_no_time() -> None:
    assert lanes(Plan()).blocks == []


def test_a_text_is_shown_once_beside_the_pods_it_concerns() -> None:
    rows = [("a", "full"), ("b", "tainted"), ("c", "full")]
    assert [*shown_once(rows, 1)] == [("a", "full"), ("c", "as above"), ("b", "tainted")]
