"""`podium drain`: what draining nodes would do."""

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
from podium.ui.command_line.output.disturbance_output import disturb
from podium.ui.inputs.request_options import RuleOptions, SourceOptions


@with_state_options
def drain(
    nodes: Annotated[
        list[str],
        typer.Argument(
            metavar="NODE",
            help="The nodes to drain, one after the other.",
            autocompletion=completion.nodes,
        ),
    ],
    source: SourceOptions,
    rules: RuleOptions,
    force: Annotated[
        bool, typer.Option("--force", help="Also evict pods that nobody recreates.")
    ] = False,
    output: WideOutputOption = WideOutput.TABLE,
    fail_on: FailOnOption = None,
    gates: GatesOption = None,
) -> None:
    """Say what draining nodes would do: who goes where, who gives way, whose budget blocks.

    Nothing is drained: the cluster is simulated, as `podium plan --drain` does it.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.whatif.resilience.disturbance import drain_of

    disturb(
        source, rules, lambda state: drain_of(state, nodes, force=force), output, fail_on, gates
    )
