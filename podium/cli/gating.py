"""`podium plan` as a gate: its options, what it failed on, and reports that CI systems read."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import typer

from podium.cli.output import error_console
from podium.plan.conditions import Condition

if TYPE_CHECKING:
    from podium.plan.gates import Finding, Gate

FAILED_ON_EXIT_CODE = 2

_SHOWN_MAX = 10

FailOnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="CONDITION[,CONDITION]...",
        help=f"Exit with 2 if any of these happens: {', '.join(Condition)}. A condition may be "
        "restricted, as in preemption:priority>=1000, pending:namespace=shop, "
        "eviction:workload=Deployment*, pending:class=batch; what ends in =allow may happen, as in "
        "preemption:workload=batch/*=allow.",
    ),
]
GatesOption = Annotated[
    str | None,
    typer.Option("--gates", metavar="FILE", help="More of --fail-on, line by line; # comments."),
]
BaselineOption = Annotated[
    bool,
    typer.Option("--baseline", help="Fail only on what the changes cause, not on what is so now."),
]


class PlanOutput(StrEnum):
    """How a plan is printed."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    JUNIT = "junit"
    SARIF = "sarif"
    MARKDOWN = "markdown"
    HTML = "html"


def read_gates(texts: Sequence[str], file: str | None) -> "list[Gate]":
    """The gates of the options.

    Raises:
        PodiumError: a gate, or the file, can't be read.
    """
    from podium.manifests.input_files import read_text
    from podium.plan.gates import parse_gates

    return parse_gates(texts, file, [] if file is None else read_text(file).splitlines())


def print_findings(found: "Sequence[Finding]") -> None:
    """Say on standard error what a plan failed on: each condition, and who met it."""
    err = error_console()
    for condition, times in Counter(one.condition for one in found).items():
        err.print(f"failed on {condition}: {times} of them", style="red")
        those = [one for one in found if one.condition is condition]
        for one in those[:_SHOWN_MAX]:
            err.print(f"  {one.object} {one.message}", markup=False)
        if times > _SHOWN_MAX:
            err.print(f"  and {times - _SHOWN_MAX} more")


def junit(gates: "Sequence[Gate]", found: "Sequence[Finding]") -> str:
    """A JUnit report: a test for each condition, which fails if the condition is met.

    Args:
        gates: the conditions; all that there are if none is given.
        found: what met them.
    """
    conditions = list(dict.fromkeys(gate.condition for gate in gates)) or list(Condition)
    failed = {one.condition for one in found}
    suite = Element(
        "testsuite", name="podium plan", tests=str(len(conditions)), failures=str(len(failed))
    )
    for condition in conditions:
        case = SubElement(suite, "testcase", classname="podium.plan", name=condition)
        texts = [f"{one.object} {one.message}" for one in found if one.condition is condition]
        if texts:
            failure = SubElement(case, "failure", message=f"{condition}: {len(texts)} of them")
            failure.text = "\n".join(texts)
    indent(suite)
    return tostring(suite, encoding="unicode", xml_declaration=True)


def sarif(found: "Sequence[Finding]") -> dict[str, Any]:
    """A SARIF 2.1.0 log: a result for everything that met a condition."""
    from podium import __version__

    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "podium",
                        "version": __version__,
                        "rules": [{"id": condition} for condition in Condition],
                    }
                },
                "results": [_result(one) for one in found],
            }
        ],
    }


def _result(one: "Finding") -> dict[str, Any]:
    where = {"fullyQualifiedName": one.object, "kind": "resource"}
    return {
        "ruleId": one.condition,
        "level": "error",
        "message": {"text": f"{one.object} {one.message}"},
        "locations": [{"logicalLocations": [where]}],
        "properties": {"workload": one.workload, "priority": one.priority, "by": one.by},
    }
