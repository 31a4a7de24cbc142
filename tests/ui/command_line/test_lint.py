"""`podium lint`: reports for programs and exit codes."""

import json
import re
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner, Result

from podium.ui.command_line.main import app
from podium.ui.schemas import schema
from podium.whatif.lint.linter import RULES
from tests.conftest import ROOT

CLASSES = ROOT / "tests/cases/states/lint-options/lint-classes.yaml"


def lint(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["lint", *arguments])


@pytest.fixture
def classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two classes, linted in a directory where a configuration may be."""
    monkeypatch.chdir(tmp_path)
    return CLASSES


def test_json_is_as_its_schema_says(classes: Path) -> None:
    result = lint("-f", str(classes), "-o", "json")
    assert result.exit_code == 2
    report = json.loads(result.stdout)
    assert [*Draft202012Validator(schema("LintReport")).iter_errors(report)] == []
    (finding,) = report["findings"]
    assert (finding["rule"], finding["severity"]) == ("class-in-system-range", "error")
    assert (finding["kind"], finding["namespace"]) == ("PriorityClass", None)
    assert (finding["field"], finding["file"], finding["line"]) == ("value", str(classes), 1)
    (suppressed,) = report["suppressed"]
    assert suppressed["suppressedBy"] == "everybody names one"


def test_sarif(classes: Path) -> None:
    (run,) = json.loads(lint("-f", str(classes), "-o", "sarif").stdout)["runs"]
    assert len(run["tool"]["driver"]["rules"]) == len(RULES)
    error, suppressed = run["results"]
    assert (error["ruleId"], error["level"]) == ("class-in-system-range", "error")
    place = error["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": str(classes)}, "region": {"startLine": 1}}
    assert suppressed["suppressions"] == [
        {"kind": "inSource", "justification": "everybody names one"}
    ]


def test_junit(classes: Path) -> None:
    suite = fromstring(lint("-f", str(classes), "-o", "junit").stdout)
    assert (suite.get("name"), suite.get("failures")) == ("podium lint", "1")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["class-in-system-range"]


@pytest.mark.parametrize(
    ("severity", "fail_on", "code"),
    [
        ("error", "error", 2),
        ("warning", "error", 0),
        ("warning", "warning", 2),
        ("info", "warning", 0),
        ("info", "info", 2),
        ("error", "never", 0),
        ("off", "info", 0),
    ],
)
def test_exit_codes(classes: Path, severity: str, fail_on: str, code: int) -> None:
    Path(".podium-lint.yaml").write_text(f"rules: {{class-in-system-range: {severity}}}\n")
    assert lint("-f", str(classes), "--fail-on", fail_on).exit_code == code


def test_rules_are_listed_and_explained() -> None:
    listed = lint("--list").stdout
    assert all(rule_id in listed for rule_id in RULES)
    page = (ROOT / "docs" / "lint" / "bare-pod.md").read_text()
    assert lint("--explain", "bare-pod").stdout == page


def test_wide_texts_name_all_witnesses() -> None:
    asked = ("-f", str(ROOT / "examples/proposal-2/state"))
    assert re.search(r"and \d+ more\)", lint(*asked).stdout)
    assert not re.search(r"and \d+ more\)", lint(*asked, "-o", "wide").stdout)
