"""Reports for CI systems: SARIF, which lists results, and JUnit, which lists failed tests."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import msgspec


class CiResult(msgspec.Struct, frozen=True, kw_only=True):
    """A finding in a CI report."""

    rule: str
    object: str
    text: str
    """Description of the problem, which names the object."""
    level: str = "error"
    """`error`, `warning` or `note`."""
    file: str = ""
    """File of the object; empty if unknown."""
    line: int = 0
    """Line in the file; 0 if unknown."""
    accepted_as: str = ""
    """Reason of a suppression; empty if the finding isn't suppressed."""
    properties: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """Additional data for programs."""


class CiReport(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of a command for CI systems."""

    command: str
    rules: Sequence[Mapping[str, Any]]
    """Descriptions of all rules in the form of SARIF, each with an `id`."""
    tested: Sequence[str]
    results: Sequence[CiResult]
    """All findings; suppressed ones aren't failures."""


def sarif(report: CiReport) -> dict[str, Any]:
    """Write a report as a SARIF 2.1.0 log."""
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.api.release import __version__

    listed: list[dict[str, Any]] = []
    for one in report.results:
        logical = {"fullyQualifiedName": one.object, "kind": "resource"}
        location: dict[str, Any] = {"logicalLocations": [logical]}
        if one.file:
            location["physicalLocation"] = {"artifactLocation": {"uri": quote(one.file)}}
            if one.line:
                location["physicalLocation"]["region"] = {"startLine": one.line}
        result: dict[str, Any] = {
            "ruleId": one.rule,
            "level": one.level,
            "message": {"text": one.text},
            "locations": [location],
        }
        if one.accepted_as:
            result["suppressions"] = [{"kind": "inSource", "justification": one.accepted_as}]
        if one.properties:
            result["properties"] = {**one.properties}
        listed.append(result)
    driver = {"name": "podium", "version": __version__, "rules": [*report.rules]}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": listed}],
    }


def junit(report: CiReport) -> str:
    """Write a JUnit report: a test for each rule, which fails if there are findings."""
    results = [result for result in report.results if not result.accepted_as]
    failed = {result.rule for result in results}
    suite = Element(
        "testsuite",
        name=f"podium {report.command}",
        tests=str(len(report.tested)),
        failures=str(len(failed)),
    )
    for rule in report.tested:
        case = SubElement(suite, "testcase", classname=f"podium.{report.command}", name=rule)
        texts = [result.text for result in results if result.rule == rule]
        if texts:
            failure = SubElement(case, "failure", message=f"{rule}: {len(texts)} of them")
            failure.text = "\n".join(texts)
    indent(suite)
    return tostring(suite, encoding="unicode", xml_declaration=True)
