"""Every transcript and example of a page shows what its commands print.

`UPDATE=1 pytest tests/cases` writes down what they print now.
"""

import os
import re
from pathlib import Path

import pytest

from tests.cases.transcript import ROOT, commands, replayed, run

EXAMPLE = "```console\n$ podium "
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if EXAMPLE in page.read_text()
]
CASES = [*PAGES, *sorted(Path(__file__).parent.glob("*.md"))]
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.relative_to(ROOT).as_posix())
def test_case(case: Path) -> None:
    expected = case.read_text()
    printed = replayed(expected, run)
    if os.environ.get("UPDATE") == "1":
        case.write_text(printed)
        return
    assert printed == expected, "UPDATE=1 pytest tests/cases writes down what is printed now"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_file_of_an_example_is_used(example: Path) -> None:
    case = Path(__file__).parent / f"{example.name}.md"
    words = {word for command in commands(case.read_text()) for word in command.split()}
    # A plugin is FILE:CLASS.
    used = [ROOT / word.partition(":")[0] for word in words if word.startswith("examples/")]
    # A scenario names the files that it reads.
    named = "".join(path.read_text() for path in used if path.is_file())
    unused = [
        path.relative_to(ROOT).as_posix()
        for path in example.rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        and path.name not in {"README.md", "pyproject.toml", "__init__.py"}
        and path.name not in named
        and not any(path.is_relative_to(one) for one in used)
    ]
    assert not unused
    assert all(path.exists() for path in used)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_readme_of_an_example_shows_a_command_of_its_case(example: Path) -> None:
    case = Path(__file__).parent / f"{example.name}.md"
    assert set(shown_commands(example / "README.md")) <= set(commands(case.read_text()))
    assert shown_commands(example / "README.md")


def test_every_state_is_used() -> None:
    states = [path for path in (Path(__file__).parent / "states").rglob("*") if path.is_file()]
    transcripts = "".join(case.read_text() for case in CASES)
    scenarios = "".join(path.read_text() for path in states if "kind: Scenario" in path.read_text())
    named = {path for path in states if path.relative_to(ROOT).as_posix() in transcripts}
    assert [path for path in states if path not in named and path.name not in scenarios] == []


def shown_commands(readme: Path) -> list[str]:
    """The commands of a README's shell blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", readme.read_text(), re.DOTALL | re.MULTILINE)
    joined = "".join(blocks).replace("\\\n", "")
    return [" ".join(line.split()) for line in joined.splitlines() if line]
