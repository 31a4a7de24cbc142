"""`podium explain`: why a pod is where it is, or isn't."""

from typing import TYPE_CHECKING, Annotated

import typer

from podium.kubelet.eviction.signals import Signal
from podium.ui.command_line.options import completion
from podium.ui.command_line.options.common_options import AdviceOutput
from podium.ui.command_line.options.option_fields import with_request_options
from podium.ui.inputs.request_options import RequestOptions
from podium.ui.writers.console import console, print_warnings, working

if TYPE_CHECKING:
    from podium.ui.inputs.inputs import Asked
    from podium.whatif.plan.request import PlanRequest


EvictionOption = Annotated[
    bool,
    typer.Option("--eviction", help="Explain in which order a node would evict its pods."),
]
SignalOption = Annotated[
    Signal,
    typer.Option(
        metavar="SIGNAL", help=f"With --eviction: what tells of pressure, of {', '.join(Signal)}."
    ),
]


@with_request_options
def explain(
    pod: Annotated[
        str,
        typer.Argument(
            metavar="[NAMESPACE/]POD|KIND/NAME|NODE",
            help=(
                "The pod to explain, or the workload, such as deploy/web, whose first pod that "
                "waits or comes is meant; with --eviction, the node."
            ),
            show_default=False,
            autocompletion=completion.pods,
        ),
    ],
    asked: RequestOptions,
    eviction: EvictionOption = False,
    signal: SignalOption = Signal.MEMORY_AVAILABLE,
    output: Annotated[
        AdviceOutput, typer.Option("--output", "-o", help="How to print the explanation.")
    ] = AdviceOutput.TABLE,
) -> None:
    """Explain the decision about one pod: every node, plugin, score, candidate and tie-break.

    A pod that has no place yet is explained at its turn, as `podium plan` with the same arguments
    decides it; a pod that is on a node as if it weren't. With --eviction, explain instead whom a
    node under pressure evicts first.
    """
    from podium.ui.inputs.inputs import read_request

    with working("reading"):
        read = read_request(asked)
    if eviction:
        print_warnings(read.warnings)
        _explain_eviction(read.request, pod, signal, output)
    else:
        _explain_pod(read, pod, asked.namespace, output)


def _explain_pod(read: "Asked", named: str, namespace: str, output: AdviceOutput) -> None:
    from podium.ui.command_line.output.explain_text import print_explanation
    from podium.ui.writers.terminal import print_advice
    from podium.whatif.explain.explanation_presentation import explanation_presentation
    from podium.whatif.explain.pod_explanations import explain_named

    with working("deciding"):
        explanation = read.told_in(explain_named(read.request, named, namespace))
    if output is AdviceOutput.TABLE:
        print_warnings(explanation.warnings)
        print_explanation(console(), explanation)
    else:
        print_advice(explanation, explanation_presentation(explanation), output)


def _explain_eviction(
    request: "PlanRequest", node: str, signal: Signal, output: AdviceOutput
) -> None:
    from podium.ui.writers.terminal import print_advice
    from podium.whatif.explain.eviction_rankings import rank_evictions
    from podium.whatif.explain.explanation_presentation import ranking_presentation

    ranking = rank_evictions(request, node.removeprefix("node/"), signal)
    print_advice(ranking, ranking_presentation(ranking), output)
