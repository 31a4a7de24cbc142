"""`podium capacity`: how many more pods fit, and what stops the next one."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from podium.api.errors import PodiumError
from podium.cli.output import (
    INTERRUPTED_EXIT_CODE,
    AdviceOutput,
    Progress,
    fail,
    give_up,
    working,
)
from podium.cli.request_options import RequestOptions, with_request_options

if TYPE_CHECKING:
    from podium.advice.capacity import CapacityRequest
    from podium.cli.inputs import Asked

TOO_FEW_EXIT_CODE = 2
_LIMIT = 10_000

PodOption = Annotated[
    list[str],
    typer.Option(
        "--pod",
        metavar="FILE|KIND/NAME[*COUNT]",
        help="A template: a pod or a workload in a file, or a workload of the state, such as "
        "deploy/web. Several are created in turn, each COUNT times in a round.",
    ),
]
PreemptOption = Annotated[
    bool,
    typer.Option("--preempt", help="Find out as well how many get a place if others give way."),
]
LimitOption = Annotated[
    int, typer.Option("--limit", min=1, help="How many pods to create at most.")
]
AtLeastOption = Annotated[
    int | None,
    typer.Option("--at-least", min=1, help="Exit with 2 if fewer get a place."),
]


@with_request_options
def capacity(
    asked: RequestOptions,
    pod: PodOption,
    preempt: PreemptOption = False,
    limit: LimitOption = _LIMIT,
    at_least: AtLeastOption = None,
    output: Annotated[
        AdviceOutput, typer.Option("--output", "-o", help="How to print what was found.")
    ] = AdviceOutput.TABLE,
) -> None:
    """Say how many more pods of a template fit, on which nodes, and what stops the next one.

    Pods are created one after the other in a simulation of the cluster, after the changes that
    the other options ask for, until the scheduler finds no place for one.

    Example: podium capacity -f state/ --pod deploy/web --preempt
    """
    from podium.advice.capacity import capacity as count_pods
    from podium.advice.capacity_presentation import capacity_presentation
    from podium.cli.inputs import read_request
    from podium.cli.presentation_text import print_advice

    try:
        with working("reading"):
            read = read_request(asked)
            request = _request(read, asked.namespace, pod, limit, preempt, at_least)
        with working("playing") as progress:
            found = count_pods(request, filled=partial(_tell, progress))
    except PodiumError as error:
        fail(error)
    except KeyboardInterrupt:
        give_up()
    found = read.told_in(found)
    print_advice(found, capacity_presentation(found), output)
    if found.interrupted:
        raise typer.Exit(INTERRUPTED_EXIT_CODE)
    fill = found.with_preemption or found.without_preemption
    if fill is not None and at_least is not None and fill.pods < at_least:
        raise typer.Exit(TOO_FEW_EXIT_CODE)


def _request(
    read: "Asked", namespace: str, pods: list[str], limit: int, preempt: bool, at_least: int | None
) -> "CapacityRequest":
    from podium.advice.capacity import CapacityRequest
    from podium.advice.pod_templates import read_pod_template
    from podium.plan.identities import decisive

    state = decisive([*read.request.state, *read.request.applied])
    templates = [read_pod_template(one, namespace, state) for one in pods]
    return CapacityRequest(read.request, templates, limit, preempts=preempt, at_least=at_least)


def _tell(progress: Progress, pods: int) -> None:
    progress.tell(lambda: f"playing: {pods} pods have a place")
