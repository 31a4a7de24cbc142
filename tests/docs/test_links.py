"""What the documentation refers to is there: files, headings, packages."""

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.markdown import anchors, code_spans, links

FOLDERS = ("docs", "examples", "benchmarks", "contrib")
ELSEWHERE = ("http://", "https://", "mailto:")
OURS = ("podium/", "tests/", "docs/", "examples/", "benchmarks/", "contrib/")


def documents() -> list[Path]:
    inside = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))
    return sorted([*ROOT.glob("*.md"), *inside])


def broken_links(document: Path) -> list[str]:
    """Links to files or headings that aren't there, as `line: target`."""
    broken = []
    for line in links(document.read_text()):
        if line.text.startswith(ELSEWHERE):
            continue
        path, _, anchor = line.text.partition("#")
        target = document.parent / path if path else document
        found = target.exists() and (not anchor or anchor in anchors(target.read_text()))
        if not found:
            broken.append(f"{line.number}: {line.text}")
    return broken


def missing_paths(document: Path) -> list[str]:
    """Paths of the repository, in code spans, that aren't there, as `line: path`."""
    return [
        f"{line.number}: {line.text}"
        for line in code_spans(document.read_text())
        if line.text.startswith(OURS) and " " not in line.text and not list(ROOT.glob(line.text))
    ]


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# Who is it?\n")
    document = tmp_path / "a.md"
    document.write_text(
        "[b](b.md) [b](b.md#who-is-it) `[x](y.md)` [site](https://example.com)\n"
        "```\n[code](code.md)\n```\n"
        "[c](c.md)\n"
        "| [b](b.md#nobody) | [here](#there) |\n"
    )
    assert broken_links(document) == ["5: c.md", "6: b.md#nobody", "6: #there"]


def test_missing_paths_are_found(tmp_path: Path) -> None:
    document = tmp_path / "a.md"
    document.write_text(
        "`podium/scheduler/framework/cycle/scheduling_cycle.py` `podium/scheduler/*.py` "
        "`podium/nowhere.py` `podium plan`"
    )
    assert missing_paths(document) == ["1: podium/nowhere.py"]


def test_there_are_documents() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in documents()}
    assert {"README.md", "docs/architecture.md", "docs/decisions/README.md"} <= names


@pytest.mark.parametrize("document", documents(), ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    assert not broken_links(document)


@pytest.mark.parametrize("document", documents(), ids=lambda path: path.name)
def test_paths_are_there(document: Path) -> None:
    assert not missing_paths(document)


def test_pages_that_the_code_names_are_there() -> None:
    named = {
        page
        for file in (ROOT / "podium").rglob("*.py")
        for page in re.findall(r"docs/[\w/-]+\.md", file.read_text())
    }
    assert {"docs/incremental.md", "docs/plugins.md"} <= named
    assert [page for page in sorted(named) if not (ROOT / page).is_file()] == []
