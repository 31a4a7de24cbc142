"""The tables of docs/architecture.md name files and words of the code that are there."""

import re

import pytest

from tests.conftest import ROOT
from tests.docs.markdown import Table, parts

PAGE = (ROOT / "docs/architecture.md").read_text()
TABLES = [part for part in parts(PAGE) if isinstance(part, Table)]
CODE = "\n".join(path.read_text() for path in (ROOT / "podium").rglob("*.py"))
NEEDED = (
    "an eviction signal",
    "which of a node's pods goes first",
    "an admission plugin",
    "a field of pods",
    "a kind",
    "a CLI command",
    "a lint rule",
    "a condition of `--fail-on`",
    "a policy of preemption that Kubernetes doesn't have",
    "a metric of the scheduler",
    "which kinds a snapshot of a cluster has",
    "the words of a plan's summary",
)


def rows(column: str) -> list[dict[str, str]]:
    return [row for table in TABLES for row in table.rows if column in row]


CHANGES = {row["to change"]: row["go to"] for row in rows("to change")}


def test_there_is_a_row_for_each_usual_change() -> None:
    assert [one for one in NEEDED if one not in CHANGES] == []


@pytest.mark.parametrize("change", CHANGES)
def test_a_row_leads_to_paths_and_names_that_are_there(change: str) -> None:
    spans = re.findall(r"`([^`]+)`", CHANGES[change])
    paths = [span for span in spans if "/" in span]
    assert [path for path in paths if not (ROOT / path).exists()] == []
    names = [span for span in spans if "/" not in span]
    assert [name for name in names if not re.search(rf"\b{re.escape(name)}\b", CODE)] == []
