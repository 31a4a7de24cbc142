"""The modules, classes and functions that pages name are there."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.markdown import code_spans

# Names of upstream's code that a page refers to.
UPSTREAM = {"EventsToRegister", "ScheduleOne", "UpdateNodeTaint"}
OF_CODE = re.compile(
    r"""
    [A-Z][a-z]+[A-Z]\w*(\.\w+)?     # PodInfo, PodInfo.of
    | [A-Z]\w+\.[a-z]\w*            # Log.append
    | [a-z]+_\w+(\.\w+)*(\(\))?     # pending_pod, queue_hints.answer()
    """,
    re.VERBOSE,
)
FILE = re.compile(r"[\w./-]+\.py")
MODULE = re.compile(r"podium(\.(?!dev\b)\w+)+")


@cache
def files() -> frozenset[str]:
    folders = ("podium", "tests", "benchmarks", "examples", "contrib", "website", "deploy")
    return frozenset(path.name for one in folders for path in (ROOT / one).rglob("*.py"))


@cache
def words() -> frozenset[str]:
    paths = [
        path
        for folder in ("podium", "tests", "benchmarks", "examples", "deploy")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".txt", ".yaml"} and path != Path(__file__)
    ]
    return frozenset(word for path in paths for word in re.findall(r"\w+", path.read_text()))


def is_there(span: str) -> bool:
    """Whether what a code span names is there; true of spans that name no code."""
    if FILE.fullmatch(span):
        return Path(span).name in files()
    if MODULE.fullmatch(span):
        return _resolves(span)
    if not OF_CODE.fullmatch(span) or span in UPSTREAM or span.endswith(".md"):
        return True
    # Pages and code may leave out the subsystem that all metrics of the scheduler share.
    names = [name.removeprefix("scheduler_") for name in re.findall(r"\w+", span)]
    return all(name in words() or f"scheduler_{name}" in words() for name in names)


def _resolves(name: str) -> bool:
    """Whether a dotted name is a module, an entry point group, or an attribute of a module."""
    module, found = name, []
    while not (ROOT / module.replace(".", "/")).with_suffix(".py").exists():
        if (ROOT / module.replace(".", "/")).is_dir():
            break
        module, _, attribute = module.rpartition(".")
        found.insert(0, attribute)
    if name == "podium.plugins":
        return True
    value = import_module(module)
    for attribute in found:
        if not hasattr(value, attribute):
            return False
        value = getattr(value, attribute)
    return True


def pages() -> list[Path]:
    inside = [p for p in (ROOT / "docs").rglob("*.md") if p.parent.name != "decisions"]
    rooms = (ROOT / "podium").glob("*/README.md")
    return sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *inside, *rooms])


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_page_names_is_there(page: Path) -> None:
    spans = code_spans(page.read_text())
    assert [f"{line.number}: {line.text}" for line in spans if not is_there(line.text)] == []


def test_names_that_are_gone_are_found() -> None:
    gone = ["no_such.py", "podium.nowhere", "podium.api.objects.no_such_thing", "NoSuchThingAtAll"]
    assert [span for span in gone if is_there(span)] == []
    there = ["objects.py", "podium.api.objects", "podium.api.objects.name", "PodInfo", "kubectl"]
    assert [span for span in there if not is_there(span)] == []
