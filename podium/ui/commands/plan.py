"""`podium plan`: the effects of applying manifests, and of other changes."""

from dataclasses import replace
from typing import TYPE_CHECKING

from podium.ui.commands.question import ClusterAsker, Gated, Question, Served
from podium.ui.inputs.input_error import check_extra
from podium.ui.inputs.option import local_option, option
from podium.ui.inputs.request_options import Changes

if TYPE_CHECKING:
    from podium.ui.answers.plan_answer import PlanAnswer


class PlanQuestion(Gated, Served, Changes, Question["PlanAnswer"]):
    """Predict the effects of applying manifests: placements, preemptions, disruption budgets.

    The state of the cluster is read from a running cluster, or with -f from what kubectl get -o
    yaml prints. Changes are made in a simulation of the cluster. Pending pods are scheduled in
    queue order, preempted pods terminate within their grace period, and controllers create new
    pods, which may preempt others. Ctrl-C prints what is known so far.
    """

    formats = ("junit", "sarif")

    baseline: bool = local_option(default=False).help("""
        With --fail-on, ignore what also meets a condition without the changes.""")
    alternatives: int = option(default=100, min=0).help("""
        Largest number of other candidate nodes to list for each preemption.""")
    seeds: int = option(default=1, min=1).help("""
        Number of simulations, each with another seed, to see which results depend on chance.""")
    workers: int | None = local_option(min=1).help("""
        Number of processes to simulate the seeds with. [default: one per CPU core]""")
    optimal: bool = option(default=False).help("""
        Also find the smallest set of preempted pods, by the criteria of preemption, that gives the
        pods a place. Needs the extra: pip install 'podium[optimal]'.""")
    optimal_seconds: float = option(default=60.0, min=0.1).help("""
        With --optimal: how long to search, in seconds.""")

    def answer(self, ask: ClusterAsker) -> "PlanAnswer":
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.ui.answers.plan_answer import PlanAnswer
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
        met, unchanged = findings(outcome, gates) if gates else [], None
        if self.baseline and (met or not gates):
            unchanged = ask.play(without_changes(request), tell)
            met = caused(met, findings(unchanged, gates)) if gates else []
        if self.optimal and not outcome.interrupted:
            from podium.whatif.plan.planner import with_optimum

            ask.progress.show("looking for the least disruption")
            outcome = with_optimum(outcome, request, self.optimal_seconds)
        return PlanAnswer.of(
            asked.noted_in(outcome),
            failed_on=met,
            gates=gates,
            unchanged=unchanged,
            applied=asked.applied,
        )
