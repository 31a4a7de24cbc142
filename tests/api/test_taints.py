"""Taints and tolerations."""

from typing import Any

import pytest

from podium.api.taints import NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE, tolerates, untolerated

TAINT = {"key": "dedicated", "value": "a", "effect": NO_SCHEDULE}


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ({"operator": "Exists"}, True),
        ({"operator": "Exists", "effect": NO_SCHEDULE}, True),
        ({"operator": "Exists", "effect": NO_EXECUTE}, False),
        ({"key": "dedicated", "operator": "Exists"}, True),
        ({"key": "other", "operator": "Exists"}, False),
        ({"key": "dedicated", "value": "a"}, True),
        ({"key": "dedicated", "operator": "Equal", "value": "a"}, True),
        ({"key": "dedicated", "operator": "", "value": "b"}, False),
        ({"key": "dedicated"}, False),
        ({"value": "a"}, True),
        ({"key": "dedicated", "operator": "Lt", "value": "9"}, False),
        ({"key": "dedicated", "operator": "Gt", "value": "a"}, False),
        ({"key": "dedicated", "operator": "Like", "value": "a"}, False),
    ],
)
def test_tolerates(toleration: dict[str, Any], expected: bool) -> None:
    assert tolerates(toleration, TAINT) is expected


def test_an_absent_value_equals_an_empty_one() -> None:
    assert tolerates({"key": "k", "value": ""}, {"key": "k", "effect": NO_SCHEDULE})
    assert tolerates({"key": "k"}, {"key": "k", "value": "", "effect": NO_SCHEDULE})


def test_the_first_untolerated_taint_of_the_effects() -> None:
    soft = {"key": "soft", "effect": PREFER_NO_SCHEDULE}
    hard = {"key": "hard", "effect": NO_EXECUTE}
    taints = [soft, TAINT, hard]
    assert untolerated(taints, [], (NO_SCHEDULE, NO_EXECUTE)) == TAINT
    assert (
        untolerated(taints, [{"key": "dedicated", "value": "a"}], (NO_SCHEDULE, NO_EXECUTE)) == hard
    )
    assert untolerated(taints, None, (PREFER_NO_SCHEDULE,)) == soft
    assert untolerated(taints, [{"operator": "Exists"}], (NO_SCHEDULE, NO_EXECUTE)) is None
    assert untolerated(None, None, (NO_SCHEDULE,)) is None
