"""`podium resilience`: which drains and failures a cluster withstands."""

from dataclasses import replace
from typing import Annotated

import typer

from podium.ui.command_line.options import completion
from podium.ui.command_line.options.common_options import WideOutput
from podium.ui.command_line.options.fail_on_options import (
    FailOnOption,
    GatesOption,
    WideOutputOption,
)
from podium.ui.command_line.options.option_fields import with_state_options
from podium.ui.command_line.output.fail_on_output import exit_on
from podium.ui.inputs.request_options import ChangeOptions, RuleOptions, SourceOptions
from podium.ui.writers.console import print_warnings, working

NodesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NODE",
        help="Try only these nodes, and no zones. [default: all]",
        show_default=False,
        autocompletion=completion.nodes,
    ),
]
PairsOption = Annotated[
    bool, typer.Option("--pairs", help="Also have each two nodes fail at once.")
]
DrainsOption = Annotated[
    bool, typer.Option("--drains/--no-drains", help="Whether to drain each node, too.")
]
SpareRoomOption = Annotated[
    bool,
    typer.Option(
        "--spare-room/--no-spare-room",
        help="Whether to look for nodes to add for the pods that are left waiting.",
    ),
]
WorstOption = Annotated[int, typer.Option(min=0, help="How many of the worst to tell in full.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, help="How many processes play; one a core unless given."),
]


@with_state_options
def resilience(
    source: SourceOptions,
    rules: RuleOptions,
    nodes: NodesArgument = None,
    pairs: PairsOption = False,
    drains: DrainsOption = True,
    spare_room: SpareRoomOption = True,
    worst: WorstOption = 10,
    workers: WorkersOption = None,
    output: WideOutputOption = WideOutput.TABLE,
    fail_on: FailOnOption = None,
    gates: GatesOption = None,
) -> None:
    """Try every drain and every failure of a node or a zone, and rank what they do.

    It tells the worst of them with the pods that are left without a place, the pods that no
    failure spares, the budgets that make upgrades impossible, and how many nodes of which shape
    would do.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.api.process.concurrency import core_count
    from podium.ui.inputs.inputs import read_gates, read_request
    from podium.ui.writers.terminal import print_advice
    from podium.whatif.resilience.resilience import ResilienceRequest
    from podium.whatif.resilience.resilience import resilience as try_all
    from podium.whatif.resilience.resilience_presentation import resilience_presentation

    conditions = read_gates(fail_on or (), gates)
    with working("reading"):
        read = read_request(ChangeOptions(), source, rules)
    tried = ResilienceRequest(
        read.request, tuple(nodes or ()), drains, pairs, spare_room, worst, conditions
    )
    with working("loading") as progress:

        def tell(what: str, done: int, total: int) -> None:
            of = f" of {total}" if total else ""
            progress.tell(lambda: f"playing {what}: {done}{of}")

        found, findings = try_all(tried, workers or core_count(), tell)
    found = replace(found, warnings=read.warnings, notes=read.notes)
    is_wide = output is WideOutput.WIDE
    print_warnings(read.warnings if is_wide or output is WideOutput.TABLE else ())
    print_advice(found, resilience_presentation(found, wide=is_wide), output)
    exit_on(findings)
