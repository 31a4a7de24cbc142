"""The reference and the gallery, made of the code and the examples."""

import inspect
import re
import shlex
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

import podium
import podium.ui.library
from podium.ui.answers.plan_answer import PlanAnswer
from podium.ui.command_line.main import COMMANDS, app
from podium.ui.writers.html import PICTURE_STYLE

ROOT = Path(__file__).resolve().parents[1]
_DRAWN = re.compile(r"<h2>(?:Nodes before and after|Over time)</h2>\n(.*?)</section>", re.DOTALL)
_ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


def reference_pages() -> dict[str, str]:
    """Commands, schemas, and the Python library."""
    commands = {f"reference/{name}.md": command_page(name) for name in COMMANDS}
    listed = "\n".join(f"- [podium {name}]({name}.md)" for name in COMMANDS)
    index = f"# Reference\n\n- [JSON schemas](schemas.md)\n- [Python](python.md)\n{listed}\n"
    made = {"reference/index.md": index, "reference/schemas.md": schema_page()}
    return {**made, "reference/python.md": python_page(), **commands}


def command_page(name: str) -> str:
    """What a command does and takes, as its `--help` tells it."""
    told = CliRunner(env=_ENVIRONMENT).invoke(app, [name, "--help"], prog_name="podium")
    return f"# podium {name}\n\n```text\n{told.stdout.strip()}\n```\n"


def schema_page() -> str:
    """The documents that Podium reads, and the reports that it writes, with their schemas."""
    lines = ["# JSON schemas", "", "`podium schema NAME` prints them."]
    for path in sorted((ROOT / "docs" / "schemas").glob("*.json")):
        lines += ["", f"## {path.stem}", "", "```json", path.read_text().rstrip(), "```"]
    return "\n".join(lines) + "\n"


def python_page() -> str:
    """The functions and methods of the library, as they are declared."""
    lines = ["# Python", "", "[Podium in Python](../python.md) tells how they go together.", ""]
    lines += ["## Functions", ""]
    for name in filter(str.islower, podium.ui.library.__all__):
        lines += _documented(f"podium.{name}", getattr(podium, name))
    for kind in (podium.LoadedCluster, PlanAnswer, podium.Cluster):
        lines += [f"## {kind.__name__}", "", _escaped(inspect.getdoc(kind) or ""), ""]
        for name, method in inspect.getmembers(kind, callable):
            if not name.startswith("_") and inspect.isfunction(inspect.unwrap(method)):
                lines += _documented(f"{kind.__name__}.{name}", method)
    return "\n".join(lines)


def _documented(name: str, function: Any) -> Iterator[str]:
    text = str(inspect.signature(function))
    yield from (f"### {name}", "", "```python", f"{name}{_short(text)}", "```", "")
    yield from ("```text", inspect.getdoc(function) or "", "```", "")


def _short(signature: str) -> str:
    """A signature without the modules of its types."""
    return re.sub(r"\b(?:[a-z_]+\.)+([A-Z]\w*)", r"\1", signature)


def gallery_pages() -> dict[str, str]:
    """Each example with what its commands print, and why that is right; all pictures at first."""
    pages = {}
    index = [(ROOT / "examples" / "README.md").read_text(), "## In pictures", ""]
    for example in sorted((ROOT / "examples").glob("*/README.md")):
        case, readme = ROOT / "tests" / "cases" / f"{example.parent.name}.md", example.read_text()
        shown = re.sub(r"^# .*\n", "", case.read_text(), count=1)
        drawn = picture(case.read_text())
        parts = [readme, drawn, f"## What they print\n{shown}"]
        pages[f"gallery/{case.stem}.md"] = "\n".join(parts)
        if drawn:
            title = readme.partition("\n")[0].removeprefix("# ")
            index += [f"### [{title}]({case.stem})", "", drawn]
    return {"gallery/index.md": "\n".join(index), **pages}


def picture(case: str) -> str:
    """The nodes before and after the first plan of an example, or the run that it plays."""
    for found in re.findall(r"^\$ podium ((?:plan|simulate) (?:\\\n|.)*)", case, re.MULTILINE):
        words = shlex.split(found.replace("\\\n", ""))
        if "--recording" in words:
            continue
        with chdir(ROOT):
            shown = CliRunner().invoke(app, [*words, "-o", "html"]).stdout
        drawn = _DRAWN.search(shown)
        if drawn:
            return f"<style>{PICTURE_STYLE}</style>\n\n{drawn[1]}\n"
    return ""


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")
