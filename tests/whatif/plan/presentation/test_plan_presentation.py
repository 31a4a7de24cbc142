"""What of a plan a terminal shows, and what only at full width."""

import pytest

from podium.whatif.plan.presentation.plan_presentation import printed_plan
from tests.objects import node, pod
from tests.whatif.plan.plans import planned


@pytest.mark.parametrize(("pods", "titles"), [(1, {False: 1, True: 1}), (10, {False: 0, True: 1})])
def test_a_long_timeline_is_shown_at_full_width_only(pods: int, titles: dict[bool, int]) -> None:
    outcome = planned([node("n", "20")], *(pod(f"p-{number}") for number in range(pods)))
    for wide, count in titles.items():
        shown = printed_plan(outcome, wide=wide)
        assert [section.title for section in shown.sections].count("Timeline") == count
