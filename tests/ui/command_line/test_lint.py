"""`podium lint`: what it reads, prints and exits with."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner, Result

from podium.ui.command_line.main import app
from podium.ui.schemas import schema
from podium.whatif.lint.linter import RULES
from tests.conftest import ROOT

CLASSES = """
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 2000000000
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: low, annotations: {lint.podium.dev/no-default-class: everybody names one}}
value: 0
"""


def lint(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["lint", *arguments])


@pytest.fixture
def classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "classes.yaml"
    file.write_text(CLASSES)
    return file


def found(report: str) -> list[str]:
    return [finding["rule"] for finding in json.loads(report)["findings"]]


def test_json_is_as_its_schema_says(classes: Path) -> None:
    result = lint("-f", str(classes), "-o", "json")
    assert result.exit_code == 2
    report = json.loads(result.stdout)
    assert [*Draft202012Validator(schema("LintReport")).iter_errors(report)] == []
    (finding,) = report["findings"]
    assert (finding["rule"], finding["severity"]) == ("class-in-system-range", "error")
    assert (finding["kind"], finding["namespace"], finding["name"]) == (
        "PriorityClass",
        None,
        "high",
    )
    assert (finding["field"], finding["file"], finding["line"]) == ("value", str(classes), 2)
    (suppressed,) = report["suppressed"]
    assert (suppressed["rule"], suppressed["suppressedBy"]) == (
        "no-default-class",
        "everybody names one",
    )


def test_text_names_rule_object_place_reason_and_fix(classes: Path) -> None:
    printed = lint("-f", str(classes)).stdout
    assert "1 error in 2 objects, 1 suppressed." in printed
    assert "error, class-in-system-range. Values above" in printed
    assert f"PriorityClass high  {classes}:2" in printed
    assert "Fix: Choose a value" in printed
    assert "everybody names one" in printed


def test_sarif(classes: Path) -> None:
    (run,) = json.loads(lint("-f", str(classes), "-o", "sarif").stdout)["runs"]
    assert len(run["tool"]["driver"]["rules"]) == len(RULES)
    error, suppressed = run["results"]
    assert (error["ruleId"], error["level"]) == ("class-in-system-range", "error")
    place = error["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": str(classes)}, "region": {"startLine": 2}}
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


@pytest.mark.parametrize("indent", [1, None])
def test_of_an_object_in_a_list_its_own_line_is_named_or_its_place(
    classes: Path, indent: int | None
) -> None:
    low, high = (
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
        }
        for name, value in (("low", 0), ("high", 2_000_000_000))
    )
    items = {"apiVersion": "v1", "kind": "List", "items": [low, high]}
    Path("state.json").write_text(json.dumps(items, indent=indent))
    report = json.loads(lint("-f", "state.json", "-o", "json").stdout)
    (finding,) = (one for one in report["findings"] if one["rule"] == "class-in-system-range")
    text = lint("-f", "state.json").stdout
    if indent:
        assert (finding["line"], "item" in finding) == (13, False)
        assert "state.json:13 " in text
    else:
        assert (finding["line"], finding["item"]) == (1, "items[1]")
        assert "state.json:1, items[1] " in text


def test_thresholds_and_excluded_namespaces(classes: Path) -> None:
    budget: dict[str, Any] = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "all", "namespace": "monitoring"},
        "spec": {"selector": {}, "maxUnavailable": 1},
    }
    Path("budget.json").write_text(json.dumps(budget))
    arguments = ("-f", str(classes), "-f", "budget.json", "--config", "c.yaml", "-o", "json")
    Path("c.yaml").write_text("thresholds: {levelsBetween: 2000000000}\n")
    assert {"no-level-between", "budget-selects-everything"} <= {*found(lint(*arguments).stdout)}
    Path("c.yaml").write_text("excludeNamespaces: [monitoring]\n")
    report = json.loads(lint(*arguments).stdout)
    assert [one["rule"] for one in report["findings"]] == ["class-in-system-range"]
    assert report["excluded"] == 1
    assert report["excludedIn"] == [
        {"namespace": "monitoring", "findings": 1, "rules": {"budget-selects-everything": 1}}
    ]
    text = lint(*arguments[:-2]).stdout
    assert "1 error in 3 objects, 1 suppressed, 1 more in monitoring, excluded." in text
    assert "monitoring is excluded: 1 finding (1 budget-selects-everything)" in text


@pytest.mark.parametrize(
    ("configuration", "fault"),
    [
        ("rules: {no-such-rule: off}", 'rules: Not found: "no-such-rule"'),
        ("rules: {bare-pod: loud}", "must be one of error, warning, info, off"),
        ("thresholds: {levels: 3}", "thresholds.levels: Forbidden: unknown field"),
        ("kind: Other", "kind: Unsupported value"),
        ("[]", "must hold one document, a LintConfiguration"),
    ],
)
def test_a_configuration_that_cant_be_used(classes: Path, configuration: str, fault: str) -> None:
    Path(".podium-lint.yaml").write_text(configuration)
    result = lint("-f", str(classes))
    assert result.exit_code == 1
    assert fault in result.stderr


def test_objects_that_the_api_refuses_are_errors(classes: Path) -> None:
    classes.write_text(CLASSES.replace("value: 0", "value: low"))
    result = lint("-f", str(classes))
    assert result.exit_code == 1
    assert "PriorityClass low: value: " in result.stderr


def test_a_kubelet_configuration_has_an_option_of_its_own(classes: Path) -> None:
    text = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
    Path("kubelet.yaml").write_text(f"{text}evictionSoft: {{memory.available: 1Gi}}\n")
    result = lint("-f", "kubelet.yaml")
    assert result.exit_code == 1
    assert "pass it with --kubelet-config" in result.stderr
    for arguments in (("-f", str(classes)), ()):
        printed = lint(*arguments, "--kubelet-config", "kubelet.yaml").stdout
        assert "KubeletConfiguration  kubelet.yaml:1" in printed


def test_of_alternatives_the_last_one_is_judged(classes: Path) -> None:
    alternative = classes.with_name("other.yaml")
    alternative.write_text(CLASSES.replace("2000000000", "1000"))
    result = lint("-f", str(classes), "-f", str(alternative), "-o", "json")
    assert result.exit_code == 0
    (note,) = (note for note in json.loads(result.stdout)["notes"] if "PriorityClass high" in note)
    assert f"stands twice; {alternative}" in note
    assert lint("-f", str(alternative), "-f", str(classes)).exit_code == 2


def test_rules_are_listed_and_explained() -> None:
    listed = lint("--list").stdout
    assert all(rule_id in listed for rule_id in RULES)
    page = (ROOT / "docs" / "lint" / "bare-pod.md").read_text()
    assert lint("--explain", "bare-pod").stdout == page
    result = lint("--explain", "bear-pod")
    assert result.exit_code == 1
    assert "bare-pod" in result.stderr


def test_wide_texts_name_all_witnesses() -> None:
    asked = ("-f", str(ROOT / "examples/proposal-2/state"))
    assert re.search(r"and \d+ more\)", lint(*asked).stdout)
    assert not re.search(r"and \d+ more\)", lint(*asked, "-o", "wide").stdout)
