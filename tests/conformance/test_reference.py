"""The scalar cycle of `tests/reference` against the records: what Podium is held to is true."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.conformance.comparison import Json, difference, read_records
from tests.conformance.test_decisions import RECORDS
from tests.reference.scenario import answer

DEFAULT_PROFILE = [path for path in RECORDS if path.name != "config.jsonl.gz"]
ORDINARY_STEP = 5


def with_default_profile(path: Path) -> list[Json]:
    records = [
        record
        for record in read_records(path)
        if not record["input"].get("profile") and not record["input"].get("pluginConfig")
    ]
    assert records
    return records


def assert_agrees(records: Iterable[Json]) -> None:
    for record in records:
        found = difference(record["output"], answer(record["input"]))
        assert found is None, f"{record['input']['id']}: {found}"


@pytest.mark.parametrize("path", DEFAULT_PROFILE, ids=lambda path: path.name.split(".")[0])
def test_some_records(path: Path) -> None:
    assert_agrees(with_default_profile(path)[::ORDINARY_STEP])


@pytest.mark.soak
@pytest.mark.parametrize("path", DEFAULT_PROFILE, ids=lambda path: path.name.split(".")[0])
def test_all_records(path: Path) -> None:
    assert_agrees(with_default_profile(path))
