"""The list of changes in docs/architecture.md names files and words of the code that are there."""

import re

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs/architecture.md").read_text()
CODE = "\n".join(path.read_text() for path in (ROOT / "podium").rglob("*.py"))
SECTION = PAGE.partition("## Where to make which change")[2].partition("\n## ")[0]
CHANGES = dict(re.findall(r"^- (.+?): (.+)$", SECTION, re.MULTILINE))


def test_each_item_says_where_to_go() -> None:
    assert len(CHANGES) == len(re.findall(r"^- ", SECTION, re.MULTILINE)) > 40
    assert [change for change, place in CHANGES.items() if "`" not in place] == []


@pytest.mark.parametrize("change", CHANGES)
def test_an_item_leads_to_names_that_are_there(change: str) -> None:
    spans = re.findall(r"`([^`]+)`", CHANGES[change])
    names = [span for span in spans if "/" not in span]
    assert [name for name in names if not re.search(rf"\b{re.escape(name)}\b", CODE)] == []
