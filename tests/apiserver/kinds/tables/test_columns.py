"""The tables of all kinds: whether they are there, and what their cells say."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import REGISTRATIONS
from podium.apiserver.kinds.tables.columns import _blocks, column_definitions, columns_of, row_of
from tests.apiserver.transcripts import Case, Obj, assert_answers

FILES = sorted(Path(__file__).with_name("rows").glob("*.txt"))
NOW_S, CREATED = 1_000.0, "1970-01-01T00:15:00Z"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_rows_show_what_kubectl_shows(file: Path) -> None:
    def sample(_: str) -> Obj:
        return {"metadata": {"name": "x", "creationTimestamp": CREATED}}

    def answer(case: Case) -> Iterable[str]:
        kind = REGISTRATIONS[case.kind].kind
        cells: list[Any] = row_of(kind, case.obj, NOW_S)["cells"]
        row = dict(zip((column.name for column in columns_of(kind)), cells, strict=True))
        return [yaml.safe_dump(row, default_flow_style=True, sort_keys=False, width=1_000)]

    assert_answers(file, sample, answer)


def test_wide_columns_have_priority() -> None:
    columns = column_definitions(KINDS["Deployment"])
    wide = [column["name"] for column in columns if column["priority"]]
    assert wide == ["Containers", "Images", "Selector"]


def test_the_name_is_marked_as_such() -> None:
    (marked,) = (column for column in column_definitions(KINDS["Event"]) if column["format"])
    assert (marked["name"], marked["format"]) == ("Name", "name")


def test_a_finished_pod_is_marked_so_that_kubectl_can_grey_it_out() -> None:
    pod = {"metadata": {"name": "p"}, "spec": {}, "status": {"phase": "Succeeded"}}
    assert [one["reason"] for one in row_of(KINDS["Pod"], pod, NOW_S)["conditions"]] == [
        "Succeeded"
    ]


def test_each_block_is_of_a_kind_and_each_line_is_a_column() -> None:
    for key in _blocks().keys() - {"*"}:
        columns = columns_of(REGISTRATIONS[key].kind)
        assert all(column.name and column.description for column in columns), key
