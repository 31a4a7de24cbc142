"""A scenario with all that its file names plays as the scenario does."""

import pytest

from podium.api.documents.report import plain
from podium.api.errors import PodiumError
from podium.simulation.experiments import executors
from podium.simulation.experiments.whole_scenario import read_whole_scenario
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.runner.simulation_report import simulation_report
from podium.simulation.scenario.scenario_document import read_scenario
from podium.simulation.workers import LostProcessError
from tests.conftest import ROOT

SCENARIOS = ROOT / "examples" / "scenarios"


@pytest.mark.parametrize("name", ["drain-waits", "proposal-4", "two-schedulers", "colours"])
def test_it_plays_alike(name: str) -> None:
    path = str(SCENARIOS / f"{name}.yaml")
    whole = read_whole_scenario(path, 10_000)
    assert not any(isinstance(one, str) for one in whole.spec.get("manifests", ()))
    read = read_scenario(path, (SCENARIOS / f"{name}.yaml").read_text())
    reports = [plain(simulation_report(simulate(one))) for one in (whole.scenario(0), read)]
    assert reports[0] == reports[1]


def test_a_lost_process_costs_its_own_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_whole_scenario(str(SCENARIOS / "one-pod.yaml"), 10_000)
    calls = []

    def in_workers(play, runs, workers, told):
        calls.append(len(runs))
        for number, one in enumerate(runs):
            if one.seed == 1:
                raise LostProcessError(number)
            yield play(one)

    monkeypatch.setattr("podium.simulation.experiments.executors.in_workers", in_workers)
    runs = [executors.ScenarioRun(whole, seed) for seed in range(4)]
    found = dict(executors.LocalExecutor(2)(runs, lambda _: None))
    assert [found[number].error for number in range(4)] == ["", executors.LOST, "", ""]
    assert found[1].is_lost
    assert calls == [4, 2]


def test_workers_with_another_podium_are_refused() -> None:
    with pytest.raises(PodiumError, match=r"has Podium 0\.0\.1, not"):
        executors._check_versions("tcp://h:1", {"tcp://w:1": "0.0.1"})
    with pytest.raises(PodiumError, match="has no Podium: No module"):
        executors._check_versions("tcp://h:1", {"tcp://w:1": ModuleNotFoundError("No module")})
