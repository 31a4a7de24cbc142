"""`podium capacity`: how many more pods fit, what stops the next one, and which nodes to add."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from podium.api.objects import name
from podium.ui.command_line.options.common_options import InputError
from podium.ui.command_line.options.request_options import RequestOptions, with_request_options
from podium.ui.command_line.output.output import (
    INTERRUPTED_EXIT_CODE,
    Progress,
    WideOutput,
    working,
)

if TYPE_CHECKING:
    from podium.ui.inputs.inputs import Asked
    from podium.whatif.capacity.capacity import CapacityRequest
    from podium.whatif.capacity.capacity_templates import PodTemplate
    from podium.whatif.capacity.cheapest_nodes import NodesRequest

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
    asked: RequestOptions,
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
    from podium.ui.inputs.inputs import read_request
    from podium.whatif.capacity.capacity import CapacityRequest

    if not (pod or node_shape):
        raise InputError("nothing to find a place for: --pod or --node-shape say what")
    with working("reading"):
        read = read_request(asked)
        templates = read_templates(read, pod or (), asked.namespace)
    if node_shape:
        _print_nodes(read, templates, node_shape, tries, output)
    else:
        request = CapacityRequest(read.request, templates, limit, preempt, at_least)
        _print_capacity(read, request, output)


def read_templates(read: "Asked", pods: Sequence[str], namespace: str) -> "list[PodTemplate]":
    """The templates that `--pod` names."""
    from podium.api.kinds.decisive_kinds import decisive
    from podium.whatif.capacity.capacity_templates import read_pod_template

    state = decisive([*read.request.state.objects, *read.request.applied])
    return [read_pod_template(one, namespace, state) for one in pods]


def _print_capacity(read: "Asked", asked: "CapacityRequest", output: WideOutput) -> None:
    from podium.ui.writers.terminal import print_advice
    from podium.whatif.capacity.capacity import capacity as count_pods
    from podium.whatif.capacity.capacity_presentation import capacity_presentation

    with working("playing") as progress:
        found = read.told_in(count_pods(asked, filled=partial(_tell, progress, "pods")))
    print_advice(found, capacity_presentation(found), output)
    if found.interrupted:
        raise typer.Exit(INTERRUPTED_EXIT_CODE)
    fill, at_least = found.with_preemption or found.without_preemption, asked.at_least
    if fill is not None and at_least is not None and fill.pods < at_least:
        raise typer.Exit(NOT_ENOUGH_EXIT_CODE)


def _print_nodes(
    read: "Asked",
    templates: "Sequence[PodTemplate]",
    shapes: Sequence[str],
    tries: int,
    output: WideOutput,
) -> None:
    from podium.ui.writers.terminal import print_advice
    from podium.whatif.capacity.cheapest_nodes import cheapest_nodes
    from podium.whatif.capacity.cheapest_nodes_presentation import cheapest_nodes_presentation

    asked = nodes_request(read, templates, shapes, tries)
    with working("playing") as progress:
        found = read.told_in(cheapest_nodes(asked, partial(_tell, progress, "choices")))
    print_advice(found, cheapest_nodes_presentation(found), output)
    if found.interrupted:
        raise typer.Exit(INTERRUPTED_EXIT_CODE)
    if not found.found:
        raise typer.Exit(NOT_ENOUGH_EXIT_CODE)


def nodes_request(
    read: "Asked", templates: "Sequence[PodTemplate]", shapes: Sequence[str], tries: int
) -> "NodesRequest":
    """What `--node-shape` asks for."""
    from podium.whatif.capacity.cheapest_nodes import NodesRequest
    from podium.whatif.capacity.node_shapes import read_node_shape

    nodes = {name(one): one for one in read.request.state.objects if one["kind"] == "Node"}
    named = [read_node_shape(one, nodes) for one in shapes]
    return NodesRequest(read.request, templates, named, tries)


def _tell(progress: Progress, what: str, number: int) -> None:
    progress.tell(lambda: f"playing: {number} {what}")
