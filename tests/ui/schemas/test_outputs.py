"""What commands print for machines is as the schemas say, and nothing else is in it."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from podium.api.documents.report import plain
from podium.simulation.benchmarks.results import Latency, Measurement, Result, ServerResult
from podium.simulation.decide.eviction.questions import answer
from podium.ui.command_line.main import app
from podium.ui.schemas import schema
from tests.conformance.comparison import read_records
from tests.conformance.test_eviction import RANDOM
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
COMMANDS = [
    ("Plan", "plan -f mistaken-class/state --apply mistaken-class/batch.yaml"),
    ("Plan", "plan -f best-practice/state --apply best-practice/orange.yaml --alternatives 1"),
    ("Plan", "plan -f proposal-1/state/cluster.yaml -f proposal-1/waiting.yaml --seeds 2"),
    ("Plan", "plan -f gated/state --apply gated/pods.yaml"),
    ("Plan", "plan -f node-pressure/state --pressure node-1:memory.available=50Mi"),
    ("Plan", "plan -f scenarios/classes.yaml --apply scenarios/shop.yaml"),
    ("Explanation", "explain -f overhead/state --apply overhead/test-pod.yaml test-pod"),
    (
        "Explanation",
        "explain -f mistaken-class/state --apply mistaken-class/batch.yaml reindex-hwzqb",
    ),
    ("Capacity", "capacity -f best-practice/state --pod best-practice/orange.yaml --preempt"),
    (
        "CheapestNodes",
        "capacity -f room-for-more/state --repair --pod deploy/web*9 "
        "--node-shape m5=cpu=8,memory=32Gi:0.4",
    ),
    (
        "RolloutAdvice",
        "rollout -f introducing-classes/state --repair --assign deploy/reports=low "
        "--assign sts/shop=high --classes introducing-classes/classes.yaml --important high",
    ),
    ("LintReport", "lint -f best-practice/state"),
    ("EvictionRanking", "explain --eviction node-1 -f node-pressure/state"),
    ("Simulation", "simulate scenarios/proposal-1.yaml"),
    ("Simulation", "simulate scenarios/node-failure.yaml"),
    ("Simulation", "simulate scenarios/one-pod.yaml"),
    (
        "RecordingReplay",
        "simulate --recording recording/monday"
        " --scheduler-config recording/without-preemption.yaml",
    ),
    ("Impact", "drain -f best-practice/state worker-4 --force"),
    ("Impact", "fail -f best-practice/state worker-4"),
    ("Resilience", "resilience -f best-practice/state worker-4 --no-drains --workers 1"),
    ("SweepReport", "sweep packing/sweep.yaml --workers 1"),
    ("BenchResult", "bench SchedulingBasic/5Nodes"),
    ("Comparison", "compare scenarios/one-pod.yaml scenarios/proposal-1.yaml --seeds 1"),
]


def closed(of: Any) -> Any:
    """A schema that takes no fields but those that it names."""
    if isinstance(of, list):
        return [closed(one) for one in of]
    if not isinstance(of, dict):
        return of
    found = {name: closed(one) for name, one in of.items()}
    if "properties" in of and of.get("type") == "object":
        found["additionalProperties"] = False
    return found


def faults(name: str, value: object) -> list[str]:
    validator = Draft202012Validator(closed(schema(name)))
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_reports(name: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    result = CliRunner().invoke(app, [*command.split(), "-o", "json"])
    assert result.exit_code == 0, result.output
    assert faults(name, json.loads(result.stdout)) == []


def test_measurements() -> None:
    result = Result("w", 5, 10, 100.0, Latency(0.5, 0.9), 80.0, 2, 1.0)
    assert faults("BenchResult", [plain(result)]) == []
    server = ServerResult("w", 5, 10, 2, 1.5, 0.1)
    assert faults("ServerBenchResult", [plain(server)]) == []
    for share in (None, 0.5):
        measurement = Measurement("m", 1.5, "s", "at most 1", share)
        assert faults("LiveMeasurement", [plain(measurement)]) == []


def test_decisions() -> None:
    node = {"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1", "pods": "9"}}}
    pods = [
        {
            "metadata": {"name": name},
            "spec": {"priority": priority, "containers": [{"name": "c", "resources": needs}]},
        }
        for name, priority, needs in (
            ("low", 0, {"requests": {"cpu": "1"}}),
            ("high", 9, {"requests": {"cpu": "1"}}),
            ("huge", 9, {"requests": {"cpu": "2"}}),
        )
    ]
    scenario = {"id": "s", "nodes": [node], "pending": pods, "sequence": True}
    result = CliRunner().invoke(app, ["decide"], input=f"{json.dumps(scenario)}\nx\n")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [len(answer["decisions"]) for answer in answers] == [4, 0]
    assert [fault for answer in answers for fault in faults("DecideAnswer", answer)] == []


def test_questions_and_answers_about_eviction() -> None:
    answers = Draft202012Validator(closed(schema("EvictionAnswer")))
    questions = Draft202012Validator(schema("EvictionQuestion"))
    for record in read_records(RANDOM)[::7]:
        assert [*questions.iter_errors(record["input"])] == []
        answered = json.loads(json.dumps(answer(record["input"])))
        assert [*answers.iter_errors(answered)] == []


def test_what_differs_is_a_fault() -> None:
    assert faults("Plan", {"kind": "Plan", "extra": 1})
    assert faults("DecideAnswer", {"id": 5, "error": "", "decisions": []})
