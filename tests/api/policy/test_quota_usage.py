"""What objects use of quotas, and which quotas count them."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.policy.quota_usage import as_written_by, tracked, usage, written
from podium.api.resources import pod_requests

CLAIM = KINDS["PersistentVolumeClaim"]


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


@pytest.mark.parametrize(
    ("requested", "allocated", "counted"),
    [("1500m", None, "2"), ("1Gi", None, "1Gi"), ("1Gi", "2Gi", "2Gi"), ("2Gi", "1Gi", "2Gi")],
)
def test_storage_counts_in_whole_bytes_and_while_resized_the_larger_amount(
    requested: str, allocated: str | None, counted: str
) -> None:
    claim: dict[str, Any] = {
        "metadata": {"name": "c", "namespace": "default"},
        "spec": {"resources": {"requests": {"storage": requested}}},
        "status": {"allocatedResources": {"storage": allocated}} if allocated else {},
    }
    assert written(usage(CLAIM, claim, 0.0))["requests.storage"] == counted


def test_claims_use_up_storage_and_that_of_their_classes() -> None:
    gold = "gold.storageclass.storage.k8s.io/"
    plain = ["requests.storage", "persistentvolumeclaims", "count/persistentvolumeclaims"]
    of_claims = [*plain, f"{gold}requests.storage", f"{gold}persistentvolumeclaims"]
    names = [*of_claims, "requests.cpu", "pods", f"{gold}pods", "count/secrets"]
    assert tracked(CLAIM, names) == of_claims
