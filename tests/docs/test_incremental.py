"""docs/incremental.md lists what notices a change; properties hold what the page promises."""

import ast
import re
from collections.abc import Iterator

from tests.conftest import ROOT


def signals() -> Iterator[str]:
    """The counters and logs in core that others compare, as `Class.attribute`."""
    for file in (ROOT / "podium/scheduler").rglob("*.py"):
        for cls in ast.walk(ast.parse(file.read_text())):
            for node in ast.walk(cls) if isinstance(cls, ast.ClassDef) else ():
                is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
                if is_set and re.fullmatch(r"(?!_)\w*(epoch|log|restarts|stirs)", node.attr):
                    yield f"{cls.name}.{node.attr}"


def test_the_page_lists_every_signal() -> None:
    page = (ROOT / "docs/incremental.md").read_text()
    table = page.partition("## What notices a change")[2].partition("\n## ")[0]
    found = set(signals())
    assert "Snapshot.node_epoch" in found
    assert {signal for signal in found if f"| `{signal}`" not in table} == set()
