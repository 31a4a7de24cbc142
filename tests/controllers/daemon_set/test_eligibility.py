"""Nodes that may have the pods of a DaemonSet."""

from typing import Any

import pytest

from podium.controllers.daemon_set.daemon_set_state import Eligibility, tolerant

NO_SCHEDULE = {"key": "k", "effect": "NoSchedule"}
NO_EXECUTE = {"key": "k", "effect": "NoExecute"}


@pytest.mark.parametrize(
    ("spec", "taint", "may_start", "may_stay"),
    [
        ({}, None, True, True),
        ({"nodeName": "n"}, None, True, True),
        ({"nodeName": "other"}, None, False, False),
        ({"nodeSelector": {"disk": "ssd"}}, None, True, True),
        ({"nodeSelector": {"disk": "hdd"}}, None, False, False),
        ({"nodeName": "n", "nodeSelector": {"disk": "hdd"}}, None, False, False),
        ({}, NO_SCHEDULE, False, True),
        ({}, NO_EXECUTE, False, False),
        ({"tolerations": [{"key": "k", "operator": "Exists"}]}, NO_EXECUTE, True, True),
    ],
)
def test_names_labels_and_taints_decide(
    spec: dict[str, Any], taint: dict[str, str] | None, *, may_start: bool, may_stay: bool
) -> None:
    node = {
        "metadata": {"name": "n", "labels": {"disk": "ssd"}},
        "spec": {"taints": [taint] if taint else []},
    }
    eligibility = Eligibility(tolerant(spec))
    assert (eligibility.may_start(node), eligibility.may_stay(node)) == (may_start, may_stay)
