"""Node-pressure eviction against what the kubelet's eviction manager was recorded to do."""

from pathlib import Path

import pytest

from podium.simulation.decide.eviction.questions import KINDS, answer
from tests.conformance.comparison import Json, read_records
from tests.conformance.eviction_comparison import comparable

RANDOM = Path(__file__).parent / "data" / "eviction" / "random.jsonl.gz"
RANDOM_RECORDS = read_records(RANDOM)


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
