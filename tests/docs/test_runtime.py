"""The examples in the page about the runtime run as they stand."""

from typing import Any

from tests.conftest import ROOT
from tests.docs.markdown import Block, parts

PAGE = ROOT / "docs" / "runtime.md"


def test_the_examples_run() -> None:
    blocks = [part for part in parts(PAGE.read_text()) if isinstance(part, Block)]
    code = "\n".join(block.text for block in blocks if block.language == "python")
    names: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    assert names["driver"].now_s == names["START_S"]
    assert names["handle"].machine.name == "default-scheduler"
