"""What objects use of quotas."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.policy.quota_usage import usage, written


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
    used = usage(KINDS["PersistentVolumeClaim"], claim, 0.0)
    assert written(used)["requests.storage"] == counted
