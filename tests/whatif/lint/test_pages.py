"""Each rule reads its texts from its page, whose examples are what they claim to be.

`UPDATE=1 pytest tests/whatif/lint` lists the rules in the index.
"""

import os
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import yaml

from podium.kubelet.kubelet_config import KIND
from podium.ui.inputs.lint_inputs import lint_of
from podium.ui.inputs.request_options import State
from podium.whatif.lint.lint_report import Severity
from podium.whatif.lint.linter import RULES
from podium.whatif.lint.rule import Rule
from tests.conftest import ROOT
from tests.docs.markdown import Block, Line, parts

FOLDER = ROOT / "docs" / "lint"
EXAMPLES = "## Bad"
REST = "Added:"
CHANGES = "Changed fields:"
INDEX = FOLDER / "README.md"
RULES_OF_INDEX = "## Rules\n\n"


def head(rule: Rule) -> str:
    """What stands on the page before its examples, made of what is read there."""
    one = rule.summary
    title = f"{one.severity}: {one.title}."
    return "\n\n".join((f"# {rule.id}", title, one.reason, "## Fix", one.fix, ""))


def identity(document: dict[str, Any]) -> tuple[str, str, str]:
    metadata = document.get("metadata", {})
    return document["kind"], metadata.get("namespace", ""), metadata.get("name", "")


def merged(old: Any, new: Any) -> Any:
    """A value with the fields of another one; null removes a field, items merge by name."""
    if isinstance(old, dict) and isinstance(new, dict):
        both = old | {key: merged(old.get(key), value) for key, value in new.items()}
        return {key: value for key, value in both.items() if value is not None}
    if isinstance(old, list) and any("name" in item for item in new if isinstance(item, dict)):
        changes = {item["name"]: item for item in new}
        return [merged(item, changes.get(item["name"], {})) for item in old]
    return new


def found_in(examples: list[str], directory: Path, merges: bool = False) -> set[str]:
    """The rules that find something in objects; those of later examples replace earlier ones.

    Args:
        merges: later examples have only the fields that change.
    """
    documents: dict[tuple[str, str, str], dict[str, Any]] = {}
    for document in (each for text in examples for each in yaml.safe_load_all(text)):
        old = documents.get(identity(document), {}) if merges else {}
        documents[identity(document)] = merged(old, document)
    files: dict[bool, list[str]] = {True: [], False: []}
    for document in documents.values():
        files[document["kind"] == KIND].append(yaml.safe_dump(document))
    objects, kubelet = directory / "objects.yaml", directory / "kubelet.yaml"
    objects.write_text("---\n".join(files[False]))
    kubelet.write_text("---\n".join(files[True]))
    report = lint_of(
        State(state=[str(objects)] if files[False] else []),
        namespace="default",
        kubelet_config=str(kubelet) if files[True] else None,
        config=None,
    )
    return {finding.rule for finding in report.findings}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_page(rule: Rule, tmp_path: Path) -> None:
    told, mark, examples = (ROOT / rule.summary.page).read_text().partition(EXAMPLES)
    assert told == head(rule)
    bad, good = (one.text for one in parts(mark + examples) if isinstance(one, Block))
    titles = [one.text for one in parts(mark + examples) if isinstance(one, Line) and one.text]
    hint = titles[2:]
    assert titles[:2] == [EXAMPLES, "## Good"]
    assert hint in ([], [REST], [CHANGES])
    assert rule.id in found_in([bad], tmp_path)
    in_good = found_in([bad, good] if hint else [good], tmp_path, merges=hint == [CHANGES])
    assert rule.id not in in_good
    assert not [one for one in in_good if RULES[one].summary.severity is Severity.ERROR]


def test_the_index_lists_all_rules() -> None:
    before, mark, _ = INDEX.read_text().partition(RULES_OF_INDEX)
    lines = []
    for module, rules in groupby(RULES.values(), key=lambda rule: rule.check.__module__):
        subject = module.rpartition(".")[2].replace("_", " ").replace("linter", "suppressions")
        lines.append(f"- {subject}: " + ", ".join(f"[{rule.id}]({rule.id}.md)" for rule in rules))
    expected = before + mark + "\n".join(lines) + "\n"
    if os.environ.get("UPDATE"):
        INDEX.write_text(expected)
    assert INDEX.read_text() == expected


def test_each_page_is_of_a_rule() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} - {"README"} == {*RULES}
