"""Recorded decisions of kube-scheduler v1.36.2: every one is ours, to the unit and the word."""

import json
from pathlib import Path

import pytest

from podium.simulation.decide.stream import answers
from tests.conformance.comparison import Json, difference, read_records

RECORDS = sorted((Path(__file__).parent / "data").glob("*.jsonl.gz"))
SHOWN_MAX = 5


def assert_agrees(path: Path) -> None:
    records = read_records(path)
    assert records
    inputs = [json.dumps(record["input"]).encode() for record in records]
    differences = []
    for record, answer in zip(records, map(json.loads, answers(inputs)), strict=True):
        found = difference(record["output"], answer)
        if found is not None:
            differences.append(f"{record['input']['id']}: {found}")
    shown = "\n".join(differences[:SHOWN_MAX])
    assert not differences, f"{len(differences)} of {len(records)} records differ:\n{shown}"


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name.split(".")[0])
def test_random_scenarios(path: Path) -> None:
    assert_agrees(path)


def test_there_are_random_scenarios_of_all_families() -> None:
    assert len(RECORDS) == 14


def test_situations_of_the_schedulers_own_tables(shared_conformance: Path) -> None:
    assert_agrees(shared_conformance / "tables" / "tables.jsonl.gz")


VERDICT: Json = {"plugin": "NodeName", "code": "Unschedulable", "reasons": ["a", "b"]}
DECISION: Json = {
    "pod": "default/p",
    "filter": {"n3": VERDICT},
    "feasible": ["n1", "n2"],
    "scores": {"n1": {"NodeAffinity": 0, "total": 7}, "n2": {"total": 7}},
    "best": ["n1", "n2"],
    "preemption": None,
}
PREEMPTION: Json = {
    "eligible": True,
    "candidates": [{"node": "n1", "victims": ["default/a", "default/b"], "pdbViolations": 1}],
    "selected": ["n1"],
    "nominated": "n1",
}


def of(**changes: object) -> Json:
    return {"id": "x", "error": "", "decisions": [DECISION | changes]}


@pytest.mark.parametrize(
    ("answered", "path"),
    [
        (of(pod="default/q"), "decisions[0].pod"),
        (of(error="no nodes"), "decisions[0].failed"),
        (of(feasible=["n1"]), "decisions[0].feasible[1]"),
        (of(scores={"n1": {"total": 7}}), "decisions[0].scores.n2"),
        (of(scores={"n1": {"total": 7}, "n2": {"total": 8}}), "decisions[0].scores.n2.total"),
        (of(filter={"n3": VERDICT | {"reasons": ["b", "a"]}}), "decisions[0].filter.n3.reasons[0]"),
        (of(preenqueue=VERDICT), "decisions[0].preenqueue"),
        (of(preemption=PREEMPTION), "decisions[0].preemption"),
        (of(bound="n1"), "decisions[0].bound"),
        ({"error": "unreadable", "decisions": []}, "decisions[0]"),
    ],
)
def test_what_differs(answered: Json, path: str) -> None:
    assert difference(of(), of()) is None
    found = difference(of(), answered)
    assert found is not None
    assert found.path == path


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"eligible": False}, "eligible"),
        ({"selected": []}, "selected[0]"),
        ({"candidates": []}, "candidates.n1"),
        ({"clearedPods": ["default/c"]}, "clearedPods[0]"),
        ({"clearsNomination": True}, "clearsNomination"),
        ({"rejected": {"n2": VERDICT}}, "rejected.n2"),
    ],
)
def test_what_differs_in_preemptions(change: Json, path: str) -> None:
    found = difference(of(preemption=PREEMPTION), of(preemption=PREEMPTION | change))
    assert found is not None
    assert found.path == f"decisions[0].preemption.{path}"
