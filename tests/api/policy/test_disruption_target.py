"""Reasons of the condition DisruptionTarget."""

from podium.api.policy.disruption_target import disruption_reason, ending_of


def pod(reason: str, *, status: str = "True", why: str = "") -> dict[str, object]:
    target = {"type": "DisruptionTarget", "status": status, "reason": reason}
    ready = {"type": "Ready", "status": "True"}
    return {"status": {"conditions": [ready, target], "reason": why}}


def test_a_reason_that_isnt_known_is_told_all_the_same() -> None:
    assert disruption_reason(pod("SomebodyElse")) == "SomebodyElse"
    assert disruption_reason(pod("SomebodyElse", status="False")) == ""


def test_the_ending_of_a_pod_is_its_phase_and_its_disruption() -> None:
    assert ending_of({"status": {"phase": "Failed"}}) == (True, None)
    going = pod("DeletionByPodGC")
    assert ending_of(going) == (False, going["status"]["conditions"][1])
