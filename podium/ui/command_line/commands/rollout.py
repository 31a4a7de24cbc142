"""`podium rollout`: an order in which to introduce priority classes without harm on the way."""

import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from podium.ui.command_line.options.common_options import InputError
from podium.ui.command_line.options.request_options import RequestOptions, with_request_options
from podium.ui.command_line.output.output import Progress, WideOutput, core_count, working

if TYPE_CHECKING:
    from podium.ui.inputs.inputs import Asked
    from podium.whatif.rollout_order.rollout_steps import FinalPriorities, Introduction

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
    asked: RequestOptions,
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
    from podium.ui.inputs.inputs import read_request
    from podium.ui.writers.terminal import print_advice
    from podium.whatif.rollout_order.rollout import RolloutRequest
    from podium.whatif.rollout_order.rollout import rollout as find_order
    from podium.whatif.rollout_order.rollout_presentation import rollout_presentation

    with working("reading"):
        read = read_request(asked)
        introduced = read_introduction(asked, read, classes or (), assign or ())
        least = important_priority(important, introduced.priorities)
    request = RolloutRequest(read.request, introduced, least, tries, more_nodes)
    with working("playing") as progress:
        found = find_order(request, partial(_tell, progress), core_count())
    found = read.told_in(found)
    print_advice(found, rollout_presentation(found), output)
    if found.verdict in ("Impossible", "Unknown"):
        raise typer.Exit(NO_ORDER_EXIT_CODE)


def read_introduction(
    asked: RequestOptions, read: "Asked", files: Sequence[str], assignments: Sequence[str]
) -> "Introduction":
    """What is to be introduced: the classes of files, and the workloads that get one."""
    from podium.api.kinds.decisive_kinds import decisive
    from podium.cluster.manifests import read_sources
    from podium.whatif.rollout_order.rollout_steps import assigned, introduction

    if not (files or assignments):
        raise InputError("nothing to introduce: --classes or --assign say what")
    place, state = asked.namespace, [*read.request.state.objects, *read.request.applied]
    found = read_sources(
        files, sys.stdin.buffer, namespace=place, validation=asked.validate, is_applied=True
    )
    by_identity = decisive(state)
    workloads = [assigned(one, place, by_identity) for one in assignments]
    return introduction(state, [*(one.obj for one in found.objects), *workloads])


def important_priority(text: str | None, priorities: "FinalPriorities") -> int | None:
    """The priority from which on pods are important, by number or class; raises InputError."""
    if text is None:
        return None
    from podium.api.values.message_words import likely_meant

    value = priorities.value(text)
    if value is not None:
        return value
    try:
        return int(text)
    except ValueError:
        hint = likely_meant(text, priorities.class_names)
        raise InputError(f"--important {text}: there is no such class{hint}") from None


def _tell(progress: Progress, steps: int) -> None:
    progress.tell(lambda: f"playing: {steps} steps")
