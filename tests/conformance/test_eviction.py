"""Node-pressure eviction against what the kubelet's eviction manager was recorded to do.

Answers agree to the letter, except that lists which are sets come in any order, that absent and
empty are one in a round, and that of several faults any may be reported. What records have for
information (`groups`, `warning`, `thresholdsObserved`, `podConditions`, `annotations`) isn't
compared.
"""

import json
from pathlib import Path

import pytest

from podium.simulation.decide.eviction.questions import KINDS, answer
from tests.conformance.comparison import Json, read_records

RANDOM = Path(__file__).parent / "data" / "eviction" / "random.jsonl.gz"
RANDOM_RECORDS = read_records(RANDOM)
_ROUND = (
    "evicted", "evictedAll", "gracePeriodOverride", "message", "reason", "conditions", "imageGC",
    "containerGC", "reclaiming", "admit",
)  # fmt: skip
_INFORMATION = ("id", "groups", "warning")


def comparable(answer: Json) -> Json:
    """An answer in a form in which equal means agreeing."""
    if "steps" in answer:
        return {"steps": [_round(step) for step in answer["steps"]]}
    found = {field: answer[field] for field in answer if field not in _INFORMATION}
    for field in ("thresholds", "met"):
        if field in found:
            found[field] = sorted(found[field], key=_text)
    if "errors" in found:
        found |= {"error": True, "errors": True}
    return found


def _round(step: Json) -> Json:
    found = {field: step.get(field) or None for field in _ROUND}
    found["thresholdsMet"] = sorted(map(_text, map(_threshold, step.get("thresholdsMet") or ())))
    found["failed"] = bool(step.get("error"))
    return found


def _threshold(one: Json) -> list[object]:
    return [one.get(f) for f in ("signal", "operator", "value", "gracePeriod", "minReclaim")]


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def disagreements(records: list[Json]) -> list[tuple[str, Json, Json]]:
    found = []
    for record in records:
        recorded, answered = comparable(record["output"]), comparable(answer(record["input"]))
        if recorded != answered:
            found.append((record["input"]["id"], recorded, answered))
    return found


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"critical"}))
def test_random_records(kind: str) -> None:
    records = [record for record in RANDOM_RECORDS if kind in record["input"]]
    assert records
    assert disagreements(records) == []


def test_table_records(shared_conformance: Path) -> None:
    records = read_records(shared_conformance / "eviction-tables" / "tables.jsonl.gz")
    assert {kind for record in records for kind in record["input"] if kind in KINDS} == set(KINDS)
    assert disagreements(records) == []


def test_the_copy_is_what_was_recorded(shared_conformance: Path) -> None:
    recorded = shared_conformance / "eviction-random" / "random.jsonl.gz"
    assert read_records(recorded) == RANDOM_RECORDS
