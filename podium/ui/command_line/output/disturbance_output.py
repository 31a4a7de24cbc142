"""The impact of a disturbance, played and printed for `podium drain` and `podium fail`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from podium.ui.command_line.exits import give_up
from podium.ui.command_line.options.common_options import WideOutput
from podium.ui.command_line.output.fail_on_output import exit_on
from podium.ui.inputs.request_options import ChangeOptions, RuleOptions, SourceOptions
from podium.ui.writers.console import print_warnings, working

if TYPE_CHECKING:
    from podium.api.objects import Object
    from podium.whatif.resilience.disturbance import Disturbance

_UNDRAINED = "undrained"


def disturb(
    source: SourceOptions,
    rules: RuleOptions,
    disturbance_of: "Callable[[Sequence[Object]], Disturbance]",
    output: WideOutput,
    fail_on: Sequence[str] | None,
    gates: str | None,
) -> None:
    """Play a disturbance and print its impact.

    Args:
        disturbance_of: says what happens, of the objects of the state.
        fail_on: conditions that end it with another exit code; a node that isn't drained is one
            wherever there are any.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.inputs.inputs import read_gates, read_request
    from podium.ui.writers.terminal import print_advice
    from podium.whatif.plan.fail_on import Gate, findings
    from podium.whatif.plan.plan_report import time_text
    from podium.whatif.plan.planning import plan
    from podium.whatif.resilience.disturbance import DisturbanceKind
    from podium.whatif.resilience.impact import ImpactReader
    from podium.whatif.resilience.impact_presentation import impact_presentation

    conditions = read_gates(fail_on or (), gates)
    with working("reading"):
        read = read_request(ChangeOptions(), source, rules)
    request = replace(read.request, alternatives_max=0)
    disturbance = disturbance_of(request.state.objects)
    is_drain = disturbance.kind is DisturbanceKind.DRAIN
    if conditions and is_drain and all(one.condition != _UNDRAINED for one in conditions):
        # What didn't happen meets no other condition.
        conditions = [*conditions, Gate(_UNDRAINED, _UNDRAINED)]
    with working("playing") as progress:
        outcome = plan(
            replace(request, changes=disturbance.changes),
            lambda _, at_s: progress.tell(lambda: f"playing: {time_text(at_s)}"),
        )
        impact = ImpactReader(request).impact(disturbance, read.told_in(outcome))
    if outcome.interrupted:
        give_up()
    found = findings(outcome, conditions) if conditions else []
    is_wide = output is WideOutput.WIDE
    print_warnings(impact.warnings if is_wide or output is WideOutput.TABLE else ())
    print_advice(impact, impact_presentation(impact, wide=is_wide), output)
    exit_on(found)
