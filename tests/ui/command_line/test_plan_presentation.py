"""Rows about pods that are alike."""

from podium.whatif.plan.presentation.plan_presentation import shown_once


def test_a_text_is_shown_once_beside_the_pods_it_concerns() -> None:
    rows = [("a", "full"), ("b", "tainted"), ("c", "full")]
    assert [*shown_once(rows, 1)] == [("a", "full"), ("c", "as above"), ("b", "tainted")]
