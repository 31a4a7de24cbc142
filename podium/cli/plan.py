"""`podium plan`: what would happen if these manifests were applied to that cluster."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from podium.api.errors import PodiumError
from podium.api.objects import DEFAULT_NAMESPACE
from podium.api.pod_limit import MAX_PODS
from podium.cli.options import (
    ApplyOption,
    ConfigOption,
    DeleteOption,
    InputError,
    KubeletConfigOption,
    MaxPodsOption,
    NamespaceOption,
    PluginOption,
    PressureOption,
    RepairOption,
    StateOption,
    UntilOption,
)
from podium.cli.output import (
    INTERRUPTED_EXIT_CODE,
    Output,
    Progress,
    console,
    fail,
    give_up,
    print_report,
    print_warnings,
    working,
)

if TYPE_CHECKING:
    from podium.plan.outcome import Plan

FAILED_ON_EXIT_CODE = 2

_ALTERNATIVES_MAX = 100


class FailOn(StrEnum):
    """Conditions that make the command end with the exit code 2."""

    PREEMPTION = "preemption"
    EVICTION = "eviction"
    PDB_VIOLATION = "pdb-violation"
    PENDING = "pending"


FailOnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="CONDITION[,CONDITION]...",
        help=f"Exit with 2 if any of these happens: {', '.join(FailOn)}.",
    ),
]
AlternativesOption = Annotated[
    int,
    typer.Option(
        "--alternatives", min=0, help="How many other candidates to show for each preemption."
    ),
]
SeedsOption = Annotated[
    int,
    typer.Option("--seeds", min=1, help="How often to play it, to see what depends on chance."),
]


def plan(
    filename: StateOption,
    apply: ApplyOption = None,
    delete: DeleteOption = None,
    scheduler_config: ConfigOption = None,
    plugin: PluginOption = None,
    namespace: NamespaceOption = DEFAULT_NAMESPACE,
    output: Annotated[
        Output, typer.Option("--output", "-o", help="How to print the plan.")
    ] = Output.TABLE,
    fail_on: FailOnOption = None,
    alternatives: AlternativesOption = _ALTERNATIVES_MAX,
    pressure: PressureOption = None,
    kubelet_config: KubeletConfigOption = None,
    until: UntilOption = "10m",
    seeds: SeedsOption = 1,
    max_pods: MaxPodsOption = MAX_PODS,
    repair: RepairOption = False,
) -> None:
    """Say what applying manifests would do: placements, preemptions, budgets.

    The state is what `kubectl get -o yaml` prints. Pods that wait in it, and those that the
    manifests bring, are decided in queue order. Then time passes, in simulation: victims take
    their grace period to go, workloads replace what they lose, and that may cost others a place.
    Ctrl-C prints what is known so far.
    """
    from podium.cli.inputs import RequestOptions, read_request
    from podium.plan.planning import plan as make_plan

    try:
        conditions = _conditions(fail_on or ())
        options = RequestOptions(
            state=filename,
            apply=apply,
            delete=delete,
            scheduler_config=scheduler_config,
            kubelet_config=kubelet_config,
            namespace=namespace,
            pressure=pressure,
            until=until,
            repair=repair,
            max_pods=max_pods,
            plugins=plugin,
            alternatives=alternatives,
            seeds=seeds,
        )
        with working("reading"):
            request, notes = read_request(options)
        with working("planning") as progress:
            outcome = make_plan(request, partial(_tell, progress, seeds))
    except PodiumError as error:
        fail(error)
    except KeyboardInterrupt:
        give_up()
    outcome = replace(outcome, notes=(*notes, *outcome.notes))
    _print(outcome, output)
    if outcome.interrupted:
        raise typer.Exit(INTERRUPTED_EXIT_CODE)
    if any(_holds(condition, outcome) for condition in conditions):
        raise typer.Exit(FAILED_ON_EXIT_CODE)


def _print(outcome: "Plan", output: Output) -> None:
    from podium.cli.plan_text import print_plan
    from podium.documents.report import plain

    if output in (Output.JSON, Output.YAML):
        print_report(plain(outcome), output)
    else:
        print_warnings(outcome.warnings)
        print_plan(console(), outcome, wide=output is Output.WIDE)


def _tell(progress: Progress, seeds: int, number: int, at_s: float) -> None:
    from podium.cli.timeline_text import time_text

    which = f"seed {number} of {seeds}, " if seeds > 1 else ""
    progress.tell(lambda: f"planning: {which}{time_text(at_s)}")


def _conditions(texts: Sequence[str]) -> list[FailOn]:
    words = [word.strip() for text in texts for word in text.split(",") if word.strip()]
    unknown = [word for word in words if word not in list(FailOn)]
    if unknown:
        known = ", ".join(FailOn)
        raise InputError(f"--fail-on: unknown condition {', '.join(unknown)}; known are {known}")
    return [FailOn(word) for word in words]


def _holds(condition: FailOn, outcome: "Plan") -> bool:
    match condition:
        case FailOn.PREEMPTION:
            return any(preemption.taken for preemption in outcome.preemptions)
        case FailOn.EVICTION:
            return bool(outcome.disruptions) or any(r.is_evicted for r in outcome.removed)
        case FailOn.PDB_VIOLATION:
            return any(v.broken for p in outcome.preemptions for v in p.taken)
        case FailOn.PENDING:
            return bool(outcome.pending)
