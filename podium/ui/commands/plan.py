"""`podium plan`: what would happen if these manifests were applied to that cluster."""

from dataclasses import replace
from typing import TYPE_CHECKING

from podium.ui.commands.question import ClusterAsker, Gated, Question
from podium.ui.inputs.option import Reach, local_option, option, question
from podium.ui.inputs.request_options import Changes

if TYPE_CHECKING:
    from podium.ui.answers.plan_answer import PlanAnswer


@question
class PlanQuestion(Gated, Changes, Question["PlanAnswer"]):
    """Say what applying manifests would do: placements, preemptions, budgets.

    The state is what `kubectl get -o yaml` prints. Pods that wait in it, and those that the
    manifests bring, are decided in queue order. Then time passes, in simulation: victims take
    their grace period to go, workloads replace what they lose, and that may cost others a place.
    Ctrl-C prints what is known so far.
    """

    formats = ("junit", "sarif")

    baseline: bool = local_option(
        "Fail only on what the changes cause, not on what is so now.", default=False
    )
    alternatives: int = option(
        "How many other candidates to show for each preemption.", min=0, default=100
    )
    seeds: int = option("How often to play it, to see what depends on chance.", min=1, default=1)
    workers: int | None = local_option(
        "How many processes play the seeds; one a core unless given.", min=1
    )
    optimal: bool = option(
        "Compare it with the least disruption that there could be.", default=False
    )
    optimal_seconds: float = option(
        "For how long to look for the least disruption.", min=0.1, default=60.0
    )
    serve: bool = option(
        "Show the run in a browser as well: prints a link, until Ctrl-C.",
        default=False,
        reach=Reach.COMMAND,
    )

    def answer(self, ask: ClusterAsker) -> "PlanAnswer":
        """Plan, and find what meets the conditions; raises PodiumError."""
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.ui.answers.plan_answer import PlanAnswer
        from podium.ui.inputs.extras import check_extra
        from podium.whatif.plan.fail_on import caused, findings
        from podium.whatif.plan.plan_report import time_text
        from podium.whatif.plan.request import NEXT_PODS_MAX, without_changes

        if self.optimal:
            check_extra("--optimal", "optimal")
        gates = self.conditions()
        asked = ask.read(self)
        request = replace(
            asked.request,
            alternatives_max=self.alternatives,
            seeds=self.seeds,
            draws=ask.draws,
            next_pods_max=NEXT_PODS_MAX,
        )

        def tell(number: int, at_s: float) -> None:
            which = f"seed {number} of {self.seeds}, " if self.seeds > 1 else ""
            ask.progress.tell(lambda: f"planning: {which}{time_text(at_s)}")

        ask.progress.show("planning")
        outcome = ask.play(request, tell, self.workers)
        found, unchanged = findings(outcome, gates) if gates else [], None
        if self.baseline and (found or not gates):
            unchanged = ask.play(without_changes(request), tell)
            found = caused(found, findings(unchanged, gates)) if gates else []
        if self.optimal and not outcome.interrupted:
            from podium.whatif.plan.optimum_comparison import with_optimum

            ask.progress.show("looking for the least disruption")
            outcome = with_optimum(outcome, request, self.optimal_seconds)
        return PlanAnswer.of(
            asked.told_in(outcome),
            failed_on=found,
            gates=gates,
            unchanged=unchanged,
            applied=asked.applied,
        )
