"""Evictions whose budget has a status that the API refuses."""

from typing import Any

import pytest

from podium.api.errors import RefusedError
from podium.apiserver.subresources.bind_and_evict import DISRUPTED_PODS_MAX, evict

NOW_S = 1_767_225_600.0


@pytest.mark.parametrize(
    ("status", "why"),
    [
        pytest.param(
            {"disruptedPods": dict.fromkeys(map(str, range(DISRUPTED_PODS_MAX + 1)), "")},
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
            id="too many unconfirmed evictions",
        ),
        pytest.param(
            {"disruptionsAllowed": -1}, "pdb disruptions allowed is negative", id="less than none"
        ),
    ],
)
def test_an_unusable_budget_forbids_evictions(status: dict[str, Any], why: str) -> None:
    pod = {
        "metadata": {"name": "p", "uid": "u", "resourceVersion": "7", "labels": {"app": "a"}},
        "spec": {},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }
    budget = {
        "metadata": {"name": "b"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}},
        "status": {"disruptionsAllowed": 1, **status},
    }
    with pytest.raises(RefusedError) as refused:
        evict(pod, [budget], {}, NOW_S)
    message = f'poddisruptionbudget.policy "b" is forbidden: {why}'
    assert (refused.value.code, refused.value.message) == (403, message)
