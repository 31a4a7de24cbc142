"""`podium decide --eviction`: a line it can't answer costs that line only."""

import json
from typing import Any

import pytest

from podium.simulation.decide.stream import eviction_answers

Json = dict[str, Any]

POD: Json = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}
MEMORY = {"memory": {"capacity": "8Gi", "available": "1Mi"}}
HARD = {"evictionHard": {"memory.available": "1Gi"}}


def ask(question: object) -> Json:
    line = question if isinstance(question, str) else json.dumps(question)
    (answer,) = eviction_answers([line.encode()])
    found: Json = json.loads(answer)
    return found


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ("{", "not JSON"),
        ([], "must be an object"),
        ({"id": "x"}, "must have one of the fields steps, parse"),
        ({"config": {"evictionHard": {"x": "1"}}, "steps": []}, "unsupported eviction signal x"),
        ({"rank": {"signal": "cpu.available", "pods": []}}, "unsupported eviction signal"),
        ({"oom": {"pod": POD, "memoryCapacity": 0}}, "oom.memoryCapacity"),
        ({"oom": {"pod": POD, "memoryCapacity": "1Gi", "container": "d"}}, 'values: "c"'),
        (
            {"config": HARD, "steps": [{"advance": "soon"}]},
            'steps[0].advance: Invalid value: "soon": must be a duration such as',
        ),
        ({"config": HARD, "steps": [{"node": {"memory": {"available": "x", "capacity": 1}}}]}, "x"),
        ({"critical": 5}, "critical: Invalid value: 5: must be an object"),
        (
            {"config": HARD, "pods": [5], "steps": [{}]},
            "pods[0]: Invalid value: 5: must be an object",
        ),
        (
            {"qos": {"spec": {"containers": 5}}},
            "qos.spec.containers: Invalid value: expected a list, got 5",
        ),
        ({"rank": {"pods": []}}, "rank.signal: Required value"),
    ],
)
def test_what_cant_be_answered(question: object, error: str) -> None:
    answered = ask(question)
    assert answered["error"].startswith("line 1: ")
    assert error in answered["error"]


def test_faults_of_thresholds_are_answers() -> None:
    answered = ask({"id": "p", "parse": {"evictionHard": {"b": "1", "a": "1"}}})
    faults = ["unsupported eviction signal a", "unsupported eviction signal b"]
    assert answered == {"id": "p", "error": "unsupported eviction signal b", "errors": faults}


def test_pods_may_be_called_without_their_namespace() -> None:
    steps = [{"node": MEMORY, "usage": {"p": {"memory": "1Gi"}}}]
    answered = ask({"config": HARD, "pods": [POD], "steps": steps})
    assert answered["steps"][0]["evicted"] == "default/p"
    assert "Container c was using 1Gi" in answered["steps"][0]["message"]


def test_who_was_evicted_is_gone_unless_kept() -> None:
    steps = [{"node": MEMORY}, {}]
    for keeps, second in ((False, ""), (True, "default/p")):
        config = {**HARD, "keepEvicted": keeps}
        answered = ask({"config": config, "pods": [POD], "steps": steps})
        assert [step["evicted"] for step in answered["steps"]] == ["default/p", second]
