"""`podium rollout`: an order in which to introduce priority classes without harm on the way."""

from typing import Annotated

import typer

from podium.ui.command_line.options.common_options import WideOutput
from podium.ui.command_line.options.option_fields import with_request_options
from podium.ui.inputs.request_options import ChangeOptions, RuleOptions, SourceOptions
from podium.ui.writers.console import working

NO_ORDER_EXIT_CODE = 2

ClassesOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE|DIR",
        help="The classes to introduce, and workloads with their priorityClassName.",
    ),
]
AssignOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND/NAME=CLASS",
        help="A workload of the state that gets a class, such as deploy/web=high.",
    ),
]
ImportantOption = Annotated[
    str | None,
    typer.Option(
        metavar="CLASS|PRIORITY",
        help="Pods that are at least that in the end mustn't be preempted by anybody, and all "
        "others may be. Without it, no pod may be by one that isn't above it in the end.",
    ),
]
TriesOption = Annotated[
    int, typer.Option(min=1, help="How many steps to play at most, for one search.")
]
MoreNodesOption = Annotated[
    int,
    typer.Option(min=0, help="How many more nodes to try where no order is safe."),
]


@with_request_options
def rollout(
    asked: ChangeOptions,
    source: SourceOptions,
    rules: RuleOptions,
    classes: ClassesOption = None,
    assign: AssignOption = None,
    important: ImportantOption = None,
    tries: TriesOption = 1000,
    more_nodes: MoreNodesOption = 3,
    output: Annotated[
        WideOutput, typer.Option("--output", "-o", help="How to print the order.")
    ] = WideOutput.TABLE,
) -> None:
    """Find an order in which to introduce priority classes.

    No important pod is preempted on the way: each step is played in a simulation, with the
    rollout of the pods that it changes. Where no order is safe, say why, and how many more
    nodes would make one so; the exit code is 2 then.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.api.process.concurrency import core_count
    from podium.ui.inputs.inputs import read_request
    from podium.ui.inputs.rollout_inputs import important_priority, read_introduction
    from podium.ui.writers.terminal import print_advice
    from podium.whatif.rollout_order.rollout import RolloutRequest
    from podium.whatif.rollout_order.rollout import rollout as find_order
    from podium.whatif.rollout_order.rollout_presentation import rollout_presentation

    with working("reading"):
        read = read_request(asked, source, rules)
        introduced = read_introduction(source, read, classes or (), assign or ())
        least = important_priority(important, introduced.priorities)
    request = RolloutRequest(read.request, introduced, least, tries, more_nodes)
    with working("playing") as progress:

        def tell(steps: int) -> None:
            progress.tell(lambda: f"playing: {steps} steps")

        found = find_order(request, tell, core_count())
    found = read.told_in(found)
    print_advice(found, rollout_presentation(found), output)
    if found.verdict in ("Impossible", "Unknown"):
        raise typer.Exit(NO_ORDER_EXIT_CODE)
