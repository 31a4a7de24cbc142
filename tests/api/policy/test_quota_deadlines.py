"""Which pods the scopes of a quota select."""

import pytest

from podium.api.policy.quota_usage import has_deadline


@pytest.mark.parametrize(
    ("deadline_s", "has_one"), [(None, False), (-1, False), (0, True), (60, True)]
)
def test_pods_with_a_deadline_count_as_terminating(
    deadline_s: int | None, *, has_one: bool
) -> None:
    spec = {} if deadline_s is None else {"activeDeadlineSeconds": deadline_s}
    assert has_deadline({"spec": spec}) is has_one
