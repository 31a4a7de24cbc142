"""Reasons of the condition DisruptionTarget."""

import pytest

from podium.api.policy.disruption_target import (
    BY_KUBELET,
    BY_PRESSURE,
    BY_TAINT,
    Cause,
    cause_of,
    disruption_reason,
    ending_of,
)


def pod(reason: str, *, status: str = "True", why: str = "") -> dict[str, object]:
    target = {"type": "DisruptionTarget", "status": status, "reason": reason}
    ready = {"type": "Ready", "status": "True"}
    return {"status": {"conditions": [ready, target], "reason": why}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pod("DeletionByTaintManager"), BY_TAINT),
        (pod("DeletionByTaintManager", status="False"), None),
        (pod("TerminationByKubelet", why="Preempting"), BY_KUBELET),
        (pod("TerminationByKubelet", why="Evicted"), BY_PRESSURE),
        (pod("SomebodyElse"), None),
        ({}, None),
    ],
)
def test_cause_of(given: dict[str, object], expected: Cause | None) -> None:
    assert cause_of(given) is expected


def test_a_reason_that_isnt_known_is_told_all_the_same() -> None:
    assert disruption_reason(pod("SomebodyElse")) == "SomebodyElse"
    assert disruption_reason(pod("SomebodyElse", status="False")) == ""


def test_the_ending_of_a_pod_is_its_phase_and_its_disruption() -> None:
    assert ending_of({"status": {"phase": "Failed"}}) == (True, None)
    going = pod("DeletionByPodGC")
    assert ending_of(going) == (False, going["status"]["conditions"][1])
