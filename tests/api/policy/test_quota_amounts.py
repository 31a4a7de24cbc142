"""Amounts as quotas write them."""

import pytest

from podium.api.policy.quota_usage import as_written_by, written
from podium.api.resources import pod_requests


@pytest.mark.parametrize(
    ("requested", "overhead", "expected"),
    [
        ("64Mi", None, "64Mi"),
        ("64M", None, "64M"),
        (None, "64Mi", "64Mi"),
        ("64M", "64Mi", "131108864"),
        ("0", "64Mi", "64Mi"),
    ],
)
def test_a_sum_has_the_format_of_the_first_amount_that_isn_t_nothing(
    requested: str | None, overhead: str | None, expected: str
) -> None:
    requests = {} if requested is None else {"memory": requested}
    spec = {"containers": [{"name": "c", "resources": {"requests": requests}}]}
    pod = {"spec": spec if overhead is None else {**spec, "overhead": {"memory": overhead}}}
    assert written(as_written_by(pod, pod_requests(pod), "requests")) == {"memory": expected}
