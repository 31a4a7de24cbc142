"""Results of probes, which count once they have come often enough in a row."""

import pytest

from podium.kubelet.containers.container import Handler, ProbeWorker


@pytest.mark.parametrize(
    ("spec", "answers", "holds", "failed"),
    [
        ({}, [True, False, False, False], [1, 1, 1, 0], [0, 0, 0, 1]),
        ({}, [True, False, False, True, False], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0]),
        ({"failureThreshold": 1}, [True, False, True], [1, 0, 1], [0, 1, 0]),
        ({"successThreshold": 2}, [True, False, True, True], [0, 0, 0, 1], [0, 0, 0, 0]),
    ],
)
def test_thresholds_count_equal_results_in_a_row(
    spec: dict[str, int], answers: list[bool], holds: list[int], failed: list[int]
) -> None:
    probe = ProbeWorker.begun(Handler.READINESS, spec, 0.0)
    seen = [(probe.answered(answer, 0.0), probe.holds) for answer in answers]
    assert seen == [*zip(map(bool, failed), map(bool, holds), strict=True)]
