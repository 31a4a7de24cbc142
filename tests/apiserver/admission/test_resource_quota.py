"""Quotas whose usage is counted from all objects."""

from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.policy.quota_usage import written
from tests.apiserver.admission.shelf import container, pod, stored
from tests.controllers.quota_totals import total_usage


def test_the_usage_of_a_quota_can_be_counted_from_all_objects() -> None:
    running = pod(containers=[container({"cpu": "1", "memory": "1Gi"})])
    finished = {**running, "status": {"phase": "Succeeded"}}
    metadata = {"name": "s", "deletionTimestamp": "1970-01-01T00:01:00Z"}
    stuck = {**running, "metadata": {**metadata, "deletionGracePeriodSeconds": 30}}
    objects = {"Pod": [running, finished, stuck], "ConfigMap": [stored("ConfigMap", "c")] * 2}
    hard = dict.fromkeys(("pods", "count/pods", "cpu", "configmaps", "secrets"), "9")
    quota = stored("ResourceQuota", "q", spec={"hard": hard}, status={"hard": hard})

    def used(now_s: float) -> Any:
        return written(
            total_usage(quota, lambda kind: objects.get(kind.name, []), KINDS.values(), now_s)
        )

    rest = {"count/pods": "3", "configmaps": "2", "secrets": "0"}
    assert used(90.0) == {**rest, "pods": "2", "cpu": "2"}
    assert used(91.0) == {**rest, "pods": "1", "cpu": "1"}
