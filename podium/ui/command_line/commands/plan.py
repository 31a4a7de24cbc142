"""`podium plan`: what would happen if these manifests were applied to that cluster."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from podium.ui.command_line.exits import INTERRUPTED_EXIT_CODE
from podium.ui.command_line.options.common_options import ServeOption
from podium.ui.command_line.options.fail_on_options import (
    BaselineOption,
    FailOnOption,
    GatesOption,
    PlanOutput,
)
from podium.ui.command_line.options.option_fields import with_request_options
from podium.ui.command_line.output.fail_on_output import (
    every_gate,
    exit_on,
    print_junit,
    print_let_through,
    print_sarif,
)
from podium.ui.inputs.extras import check_extra
from podium.ui.inputs.request_options import RequestOptions
from podium.ui.writers.console import Progress, console, print_report, print_warnings, working

if TYPE_CHECKING:
    from podium.ui.command_line.processes.recorded_runs import PlanRecording
    from podium.ui.inputs.inputs import Asked
    from podium.whatif.plan.fail_on import Finding, Gate
    from podium.whatif.plan.plan_report import Plan
    from podium.whatif.plan.request import PlanRequest

_ALTERNATIVES_MAX = 100


AlternativesOption = Annotated[
    int,
    typer.Option(min=0, help="How many other candidates to show for each preemption."),
]
SeedsOption = Annotated[
    int,
    typer.Option(min=1, help="How often to play it, to see what depends on chance."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, help="How many processes play the seeds; one a core unless given."),
]

OptimalOption = Annotated[
    bool,
    typer.Option("--optimal", help="Compare it with the least disruption that there could be."),
]
OptimalSecondsOption = Annotated[
    float,
    typer.Option(min=0.1, help="For how long to look for the least disruption."),
]


@with_request_options
def plan(
    asked: RequestOptions,
    output: Annotated[
        PlanOutput, typer.Option("--output", "-o", help="How to print the plan.")
    ] = PlanOutput.TABLE,
    fail_on: FailOnOption = None,
    gates: GatesOption = None,
    baseline: BaselineOption = False,
    alternatives: AlternativesOption = _ALTERNATIVES_MAX,
    seeds: SeedsOption = 1,
    workers: WorkersOption = None,
    optimal: OptimalOption = False,
    optimal_seconds: OptimalSecondsOption = 60.0,
    serve: ServeOption = False,
) -> None:
    """Say what applying manifests would do: placements, preemptions, budgets.

    The state is what `kubectl get -o yaml` prints. Pods that wait in it, and those that the
    manifests bring, are decided in queue order. Then time passes, in simulation: victims take
    their grace period to go, workloads replace what they lose, and that may cost others a place.
    Ctrl-C prints what is known so far.
    """
    from podium.api.process.concurrency import core_count
    from podium.ui.inputs.inputs import read_gates, read_request
    from podium.whatif.plan.planning import plan as make_plan
    from podium.whatif.plan.request import NEXT_PODS_MAX

    if optimal:
        check_extra("podium plan --optimal", "optimal")
    conditions = read_gates(fail_on or (), gates)
    with working("reading"):
        read = read_request(asked)
    request = replace(read.request, alternatives_max=alternatives, seeds=seeds)
    request = replace(request, draws=output is PlanOutput.HTML, next_pods_max=NEXT_PODS_MAX)
    with working("planning") as progress:
        told = partial(_tell, progress, seeds)
        recording = _recording(request) if serve else None
        prepare = None if recording is None else recording.begin
        outcome = make_plan(request, told, workers=workers or core_count(), prepare=prepare)
        # A report of tests that nothing was put to would pass whatever happens.
        is_report = output in (PlanOutput.JUNIT, PlanOutput.SARIF)
        tested = conditions or (every_gate() if is_report else [])
        found = _findings(outcome, tested, request if baseline else None)
    if optimal and not outcome.interrupted:
        outcome = _with_optimum(outcome, request, optimal_seconds)
    outcome = read.told_in(outcome)
    _print(outcome, output, tested, found, read)
    if recording is not None:
        recording.serve(read)
    if outcome.interrupted:
        raise typer.Exit(INTERRUPTED_EXIT_CODE)
    if conditions:
        print_let_through(outcome, conditions)
        exit_on(found)


def _recording(request: "PlanRequest") -> "PlanRecording":
    from podium.ui.command_line.processes.recorded_runs import PlanRecording

    return PlanRecording(request)


def _with_optimum(outcome: "Plan", request: "PlanRequest", seconds: float) -> "Plan":
    from podium.whatif.plan.optimum_comparison import with_optimum

    with working("looking for the least disruption"):
        return with_optimum(outcome, request, seconds)


def _findings(
    outcome: "Plan", gates: "Sequence[Gate]", baseline: "PlanRequest | None"
) -> "list[Finding]":
    """What a plan fails on; with a baseline only what isn't so without the changes."""
    from podium.whatif.plan.fail_on import caused, findings
    from podium.whatif.plan.planning import plan as make_plan
    from podium.whatif.plan.request import without_changes

    found = findings(outcome, gates)
    if baseline is None or not found:
        return found
    return caused(found, findings(make_plan(without_changes(baseline)), gates))


def _print(
    outcome: "Plan",
    output: PlanOutput,
    gates: "Sequence[Gate]",
    found: "Sequence[Finding]",
    asked: "Asked",
) -> None:
    if output in (PlanOutput.JSON, PlanOutput.YAML):
        from podium.api.documents.report import plain

        print_report(plain(outcome), output)
    elif output is PlanOutput.SARIF:
        print_sarif(found, outcome, asked.applied)
    elif output is PlanOutput.JUNIT:
        print_junit(gates, found)
    elif output in (PlanOutput.MARKDOWN, PlanOutput.HTML):
        from podium.ui.writers.terminal import print_document
        from podium.whatif.plan.presentation.plan_presentation import plan_presentation

        print_document(plan_presentation(outcome), output)
    else:
        from podium.ui.writers.terminal import print_presentation
        from podium.whatif.plan.presentation.plan_presentation import is_shortened, printed_plan

        is_wide = output is PlanOutput.WIDE
        print_warnings(outcome.warnings)
        print_presentation(console(), printed_plan(outcome, wide=is_wide))
        if not is_wide and is_shortened(outcome):
            console().print("Each preemption with its candidates, and the timeline: -o wide.")


def _tell(progress: Progress, seeds: int, number: int, at_s: float) -> None:
    from podium.whatif.plan.plan_report import time_text

    which = f"seed {number} of {seeds}, " if seeds > 1 else ""
    progress.tell(lambda: f"planning: {which}{time_text(at_s)}")
