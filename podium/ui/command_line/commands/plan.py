"""`podium plan`: what would happen if these manifests were applied to that cluster."""

from dataclasses import replace
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
from podium.ui.inputs.request_options import ChangeOptions, RuleOptions, SourceOptions
from podium.ui.writers.console import console, print_report, print_warnings, working

if TYPE_CHECKING:
    from podium.whatif.plan.plan_report import Plan

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
    asked: ChangeOptions,
    source: SourceOptions,
    rules: RuleOptions,
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
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.api.process.concurrency import core_count
    from podium.ui.inputs.inputs import read_gates, read_request
    from podium.whatif.plan.fail_on import caused, findings
    from podium.whatif.plan.plan_report import time_text
    from podium.whatif.plan.planning import plan as make_plan
    from podium.whatif.plan.request import NEXT_PODS_MAX, without_changes

    if optimal:
        check_extra("podium plan --optimal", "optimal")
    conditions = read_gates(fail_on or (), gates)
    with working("reading"):
        read = read_request(asked, source, rules)
    request = replace(read.request, alternatives_max=alternatives, seeds=seeds)
    request = replace(request, draws=output is PlanOutput.HTML, next_pods_max=NEXT_PODS_MAX)
    recording = None
    if serve:
        from podium.ui.command_line.processes.recorded_runs import PlanRecording

        recording = PlanRecording(request)
    with working("planning") as progress:

        def tell(number: int, at_s: float) -> None:
            which = f"seed {number} of {seeds}, " if seeds > 1 else ""
            progress.tell(lambda: f"planning: {which}{time_text(at_s)}")

        prepare = None if recording is None else recording.begin
        outcome = make_plan(request, tell, workers=workers or core_count(), prepare=prepare)
        # A report of tests that nothing was put to would pass whatever happens.
        is_report = output in (PlanOutput.JUNIT, PlanOutput.SARIF)
        tested = conditions or (every_gate() if is_report else [])
        found = findings(outcome, tested)
        if baseline and found:
            found = caused(found, findings(make_plan(without_changes(request)), tested))
    if optimal and not outcome.interrupted:
        from podium.whatif.plan.optimum_comparison import with_optimum

        with working("looking for the least disruption"):
            outcome = with_optimum(outcome, request, optimal_seconds)
    outcome = read.told_in(outcome)
    if output is PlanOutput.SARIF:
        print_sarif(found, outcome, read.applied)
    elif output is PlanOutput.JUNIT:
        print_junit(tested, found)
    else:
        _print(outcome, output)
    if recording is not None:
        recording.serve(read)
    if outcome.interrupted:
        raise typer.Exit(INTERRUPTED_EXIT_CODE)
    if conditions:
        print_let_through(outcome, conditions)
        exit_on(found)


def _print(outcome: "Plan", output: PlanOutput) -> None:
    if output in (PlanOutput.JSON, PlanOutput.YAML):
        print_report(outcome, output)
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
