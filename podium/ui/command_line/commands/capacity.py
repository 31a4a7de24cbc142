"""`podium capacity`: how many more pods fit, what stops the next one, and which nodes to add."""

from functools import partial
from typing import Annotated

import typer

from podium.ui.command_line.exits import INTERRUPTED_EXIT_CODE
from podium.ui.command_line.options.common_options import WideOutput
from podium.ui.command_line.options.option_fields import with_request_options
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.request_options import ChangeOptions, RuleOptions, SourceOptions
from podium.ui.writers.console import Progress, working

NOT_ENOUGH_EXIT_CODE = 2

PodOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE|KIND/NAME[*COUNT]",
        help="A template: a pod or a workload in a file, or a workload of the state, such as "
        "deploy/web. Several are created in turn, each COUNT times in a round.",
    ),
]
PreemptOption = Annotated[
    bool,
    typer.Option("--preempt", help="Find out as well how many get a place if others give way."),
]
LimitOption = Annotated[int, typer.Option(min=1, help="How many pods to create at most.")]
AtLeastOption = Annotated[
    int | None,
    typer.Option(min=1, help="Exit with 2 if fewer get a place."),
]
NodeShapeOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=SHAPE:COST",
        help="Say which nodes to add at least cost, so that no pod waits; may be given several "
        "times. As m5=cpu=8,memory=32Gi:0.4, or with a file or a node of the state as shape. "
        "With it, COUNT pods of each --pod are to get a place, too.",
    ),
]
TriesOption = Annotated[int, typer.Option(min=1, help="How many choices of nodes to play at most.")]


@with_request_options
def capacity(
    asked: ChangeOptions,
    source: SourceOptions,
    rules: RuleOptions,
    pod: PodOption = None,
    preempt: PreemptOption = False,
    limit: LimitOption = 10_000,
    at_least: AtLeastOption = None,
    node_shape: NodeShapeOption = None,
    tries: TriesOption = 200,
    output: Annotated[
        WideOutput, typer.Option("--output", "-o", help="How to print what was found.")
    ] = WideOutput.TABLE,
) -> None:
    """Say how many more pods of a template fit, on which nodes, and what stops the next one.

    Pods are created one after the other in a simulation of the cluster, after the changes that
    the other options ask for, until the scheduler finds no place for one. With --node-shape, say
    instead which nodes to add so that every pod that waits gets a place.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.inputs.capacity_inputs import nodes_request, read_templates
    from podium.ui.inputs.inputs import read_request
    from podium.ui.writers.terminal import print_advice

    if not (pod or node_shape):
        raise InputError("nothing to find a place for: --pod or --node-shape say what")
    with working("reading"):
        read = read_request(asked, source, rules)
        templates = read_templates(read, pod or (), source.namespace)
    if node_shape:
        from podium.whatif.capacity.cheapest_nodes import cheapest_nodes
        from podium.whatif.capacity.cheapest_nodes_presentation import cheapest_nodes_presentation

        question = nodes_request(read, templates, node_shape, tries)
        with working("playing") as progress:
            nodes = read.told_in(cheapest_nodes(question, partial(_tell, progress, "choices")))
        print_advice(nodes, cheapest_nodes_presentation(nodes), output)
        is_enough, interrupted = nodes.found, nodes.interrupted
    else:
        from podium.whatif.capacity.capacity import CapacityRequest
        from podium.whatif.capacity.capacity import capacity as count_pods
        from podium.whatif.capacity.capacity_presentation import capacity_presentation

        request = CapacityRequest(read.request, templates, limit, preempt, at_least)
        with working("playing") as progress:
            found = read.told_in(count_pods(request, filled=partial(_tell, progress, "pods")))
        print_advice(found, capacity_presentation(found), output)
        fill = found.with_preemption or found.without_preemption
        is_enough = fill is None or at_least is None or fill.pods >= at_least
        interrupted = found.interrupted
    if interrupted:
        raise typer.Exit(INTERRUPTED_EXIT_CODE)
    if not is_enough:
        raise typer.Exit(NOT_ENOUGH_EXIT_CODE)


def _tell(progress: Progress, what: str, number: int) -> None:
    progress.tell(lambda: f"playing: {number} {what}")
