"""What an answer failed on: on standard error, and as reports that CI systems read."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from podium.api.values.message_words import and_more
from podium.ui.command_line.exits import FAILED_ON_EXIT_CODE
from podium.ui.writers.ci_reports import CiResult, junit, sarif
from podium.ui.writers.console import console, print_json
from podium.whatif.plan.fail_on import CONDITIONS, READY_SHARE, Gate, let_through

if TYPE_CHECKING:
    from podium.cluster.manifests import Loaded
    from podium.cluster.manifests.problems import Source
    from podium.whatif.plan.fail_on import Finding
    from podium.whatif.plan.plan_report import Plan

_SHOWN_MAX = 10


def every_gate() -> list[Gate]:
    """A gate for each condition that needs no bound."""
    return [Gate(one, one) for one in CONDITIONS if one != READY_SHARE]


def print_findings(found: "Sequence[Finding]") -> None:
    """Say on standard error what a plan failed on: each condition, and who met it."""
    err = console(stderr=True)
    for condition in dict.fromkeys(one.condition for one in found):
        alike: dict[tuple[str, str], list[Finding]] = {}
        for one in found:
            if one.condition is condition:
                alike.setdefault((one.workload, one.message), []).append(one)
        times = sum(one.count for group in alike.values() for one in group)
        err.print(f"failed on {condition}: {times} of them", style="red")
        for first, *others in [*alike.values()][:_SHOWN_MAX]:
            err.print(f"  {first.object} {first.message}", markup=False)
            if others:
                err.print(f"    and {len(others)} more of {first.workload}, likewise", markup=False)
        for more in and_more(len(alike) - _SHOWN_MAX):
            err.print(f"  {more}")


def print_let_through(plan: "Plan", gates: Sequence[Gate]) -> None:
    """Say on standard error how much gates that end in `=allow` let through, and where."""
    by_gate: dict[str, list[Finding]] = {}
    for one, gate in let_through(plan, gates):
        by_gate.setdefault(gate.text, []).append(one)
    for text, found in by_gate.items():
        times = sum(one.count for one in found)
        places = ", ".join(sorted({one.namespace or one.object for one in found}))
        console(stderr=True).print(f"let through by {text}: {times}, in {places}", markup=False)


def exit_on(found: "Sequence[Finding]") -> None:
    """Say what something failed on, and exit, if it is anything."""
    if found:
        print_findings(found)
        raise typer.Exit(FAILED_ON_EXIT_CODE)


def print_junit(gates: Sequence[Gate], found: "Sequence[Finding]") -> None:
    """Print a JUnit report: a test for each condition, which fails if the condition is met."""
    conditions = list(dict.fromkeys(gate.condition for gate in gates))
    print(junit("plan", conditions, [*map(_ci_result, found)]))


def print_sarif(found: "Sequence[Finding]", plan: "Plan", applied: "Sequence[Loaded]") -> None:
    """Print a SARIF log: a result for everything that met a condition.

    Tools show a result beside a file: beside the object that it is about, or whose pod is behind
    it, if that is applied; else beside the first object that is.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.cluster.manifests.problems import describe

    places = {describe(one.obj): one.source for one in applied if Path(one.source.file).is_file()}
    workloads = {row.pod: row.workload for row in (*plan.placements, *plan.pending)}
    first = next(iter(places.values()), None)
    rules = [{"id": condition} for condition in CONDITIONS]
    results = [
        _ci_result(one, places.get(one.workload) or places.get(workloads.get(one.by, "")) or first)
        for one in found
    ]
    print_json(sarif(rules, results))


def _ci_result(one: "Finding", place: "Source | None" = None) -> CiResult:
    return CiResult(
        file=place.file if place else "",
        line=place.place[0] if place else 0,
        rule=one.condition,
        object=one.object,
        text=f"{one.object} {one.message}",
        properties={"workload": one.workload, "priority": one.priority, "by": one.by},
    )
