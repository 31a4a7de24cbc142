"""The notebook, and the example of the page about Python, run from top to bottom."""

import ast
import json
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.docs.markdown import Block, parts


def last_value(source: str, names: dict[str, Any]) -> object:
    """What a notebook would show below a cell."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(ROOT)
    cells = json.loads((ROOT / "docs/python.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    shown = [last_value(source, names) for source in code]
    assert not any(cell.get("outputs") for cell in cells)
    assert "1 preempted" in shown[1]._repr_html_()  # type: ignore[attr-defined]
    assert shown[2] == [("default/orange-4f5fcqqfhq-5pptf", "worker-6")]
    assert "| default/new | n |" in str(shown[-1])
    assert names["victims"][500] == 0
    assert names["victims"][1500] == 1


def test_the_example_of_the_page_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    page = parts((ROOT / "docs/python.md").read_text())
    (example,) = (one.text for one in page if isinstance(one, Block) and one.language == "python")
    exec(compile(example, "docs/python.md", "exec"), {})
    told = capsys.readouterr().out
    assert "orange-4f5fcqqfhq-5pptf goes to worker-6 at 30 s" in told
    assert "default/green-5 is preempted" in told
