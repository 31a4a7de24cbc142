"""`podium fail`: what the failure of nodes or zones would do."""

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
def fail(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="NODE|ZONE",
            help="The nodes and zones that fail at once; node/NAME and zone/NAME say which.",
            autocompletion=completion.nodes,
        ),
    ],
    source: SourceOptions,
    rules: RuleOptions,
    output: WideOutputOption = WideOutput.TABLE,
    fail_on: FailOnOption = None,
    gates: GatesOption = None,
) -> None:
    """Say what the failure of nodes or zones would do: who is lost, who goes where, and when.

    They fall silent, as in a power cut: after a while they are tainted, and their pods are
    deleted once they have been tolerated for as long as they say, after some six minutes mostly.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.whatif.resilience.disturbance import failure_of

    disturb(source, rules, lambda state: failure_of(state, places), output, fail_on, gates)
