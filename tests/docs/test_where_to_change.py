"""The tables of docs/architecture.md name files and words of the code that are there."""

import re

import pytest

from tests.conftest import ROOT
from tests.docs.markdown import Table, parts

PAGE = (ROOT / "docs/architecture.md").read_text()
CODE = "\n".join(path.read_text() for path in (ROOT / "podium").rglob("*.py"))
CHANGES = {
    row["to change"]: row["go to"]
    for table in parts(PAGE)
    if isinstance(table, Table)
    for row in table.rows
    if "to change" in row
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_row_leads_to_names_that_are_there(change: str) -> None:
    spans = re.findall(r"`([^`]+)`", CHANGES[change])
    names = [span for span in spans if "/" not in span]
    assert [name for name in names if not re.search(rf"\b{re.escape(name)}\b", CODE)] == []
