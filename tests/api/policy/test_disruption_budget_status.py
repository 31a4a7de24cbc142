"""What the status of a budget tells besides numbers."""

import pytest

from podium.api.policy.disruption_budget_status import sync_failure


@pytest.mark.parametrize(
    ("reason", "message", "failure"),
    [
        ("SyncFailed", "no scale", "no scale"),
        ("SyncFailed", "", "SyncFailed"),
        ("SufficientPods", "all is well", ""),
    ],
)
def test_why_a_budget_cannot_be_computed(reason: str, message: str, failure: str) -> None:
    condition = {"type": "DisruptionAllowed", "reason": reason, "message": message}
    assert sync_failure({"status": {"conditions": [condition]}}) == failure
    assert sync_failure({}) == ""
