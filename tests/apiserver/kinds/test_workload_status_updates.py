"""What may be told of workloads in their status."""

import pytest

from tests.apiserver.kinds.updates import faults, stored


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet"])
def test_no_count_is_below_zero(kind: str) -> None:
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": {}}
    workload = stored(kind, spec=spec, status={"replicas": 1})
    assert faults(workload, "status.terminatingReplicas", -1, "status") == [
        "status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0"
    ]
