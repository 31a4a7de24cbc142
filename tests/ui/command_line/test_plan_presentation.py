"""Rows about pods that are alike."""

from podium.whatif.plan.presentation.plan_presentation import told_once


def test_a_text_is_told_once_beside_whom_it_is_about() -> None:
    rows = [("a", "full"), ("b", "tainted"), ("c", "full")]
    assert [*told_once(rows, 1)] == [("a", "full"), ("c", "as above"), ("b", "tainted")]
