"""`podium drain` and `podium fail`: what draining nodes, or their failure, would do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from podium.ui.commands.question import ClusterAsker, Gated, Question
from podium.ui.inputs.option import Texts, option, place, question, texts
from podium.ui.inputs.request_options import Rules

if TYPE_CHECKING:
    from podium.api.objects import Object
    from podium.ui.answers.resilience_answers import ImpactAnswer
    from podium.whatif.resilience.disturbance import Disturbance

_UNDRAINED = "undrained"


@question
class DrainQuestion(Gated, Rules, Question["ImpactAnswer"]):
    """Say what draining nodes would do: who goes where, who gives way, whose budget blocks.

    Nothing is drained: the cluster is simulated, as `podium plan --drain` does it.
    """

    nodes: Texts = place(
        "The nodes to drain, one after the other.", metavar="NODE", completes="nodes", kw_only=False
    )
    force: bool = option("Also evict pods that nobody recreates.", default=False)

    def answer(self, ask: ClusterAsker) -> "ImpactAnswer":
        """Play the drains; raises PodiumError."""
        from podium.whatif.resilience.disturbance import drain_of

        return _impact(
            ask, self, lambda state: drain_of(state, texts(self.nodes), force=self.force)
        )


@question
class FailQuestion(Gated, Rules, Question["ImpactAnswer"]):
    """Say what the failure of nodes or zones would do: who is lost, who goes where, and when.

    They fall silent, as in a power cut: after a while they are tainted, and their pods are
    deleted once they have been tolerated for as long as they say, after some six minutes mostly.
    """

    places: Texts = place(
        "The nodes and zones that fail at once; node/NAME and zone/NAME say which.",
        metavar="NODE|ZONE",
        completes="nodes",
        kw_only=False,
    )

    def answer(self, ask: ClusterAsker) -> "ImpactAnswer":
        """Play the failure; raises PodiumError."""
        from podium.whatif.resilience.disturbance import failure_of

        return _impact(ask, self, lambda state: failure_of(state, texts(self.places)))


def _impact(
    ask: ClusterAsker,
    question: DrainQuestion | FailQuestion,
    disturbance_of: "Callable[[Sequence[Object]], Disturbance]",
) -> "ImpactAnswer":
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.answers.resilience_answers import ImpactAnswer
    from podium.whatif.plan.fail_on import Gate, findings
    from podium.whatif.plan.plan_report import time_text
    from podium.whatif.resilience.disturbance import DisturbanceKind
    from podium.whatif.resilience.impact import ImpactReader

    gates = question.conditions()
    asked = ask.read(question)
    request = replace(asked.request, alternatives_max=0)
    disturbance = disturbance_of(request.state.objects)
    is_drain = disturbance.kind is DisturbanceKind.DRAIN
    if gates and is_drain and all(one.condition != _UNDRAINED for one in gates):
        # What didn't happen meets no other condition.
        gates = [*gates, Gate(_UNDRAINED, _UNDRAINED)]
    ask.progress.show("playing")
    outcome = ask.play(
        replace(request, changes=disturbance.changes),
        lambda _, at_s: ask.progress.tell(lambda: f"playing: {time_text(at_s)}"),
    )
    if outcome.interrupted:
        raise KeyboardInterrupt
    impact = ImpactReader(request).impact(disturbance, asked.told_in(outcome))
    return ImpactAnswer.of(impact, failed_on=findings(outcome, gates) if gates else ())
