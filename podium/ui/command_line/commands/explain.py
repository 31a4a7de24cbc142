"""`podium explain`: why a pod is where it is, or isn't."""

from typing import Annotated

import typer

from podium.kubelet.eviction.signals import Signal
from podium.ui.command_line.options import completion
from podium.ui.command_line.options.common_options import AdviceOutput
from podium.ui.command_line.options.option_fields import with_request_options
from podium.ui.inputs.request_options import ChangeOptions, RuleOptions, SourceOptions
from podium.ui.writers.console import console, print_warnings, working

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
    asked: ChangeOptions,
    source: SourceOptions,
    rules: RuleOptions,
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
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.inputs.inputs import read_request
    from podium.ui.writers.terminal import print_advice
    from podium.whatif.explain import explanation_presentation as presentations

    with working("reading"):
        read = read_request(asked, source, rules)
    if eviction:
        from podium.whatif.explain.eviction_rankings import rank_evictions

        print_warnings(read.warnings)
        ranking = rank_evictions(read.request, pod.removeprefix("node/"), signal)
        print_advice(ranking, presentations.ranking_presentation(ranking), output)
        return
    from podium.whatif.explain.pod_explanations import explain_named

    with working("deciding"):
        explanation = read.told_in(explain_named(read.request, pod, source.namespace))
    if output is AdviceOutput.TABLE:
        from podium.ui.command_line.output.explain_text import print_explanation

        print_warnings(explanation.warnings)
        print_explanation(console(), explanation)
    else:
        print_advice(explanation, presentations.explanation_presentation(explanation), output)
