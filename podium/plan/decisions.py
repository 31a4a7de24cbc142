"""Who was preempted for whom while a plan is played, with what else was weighed."""

from collections.abc import Callable

from podium.core.decision import Decision
from podium.plan.outcome import PreemptionOutcome
from podium.plan.victims import CandidateReader


class Preempted:
    """Reads decisions right after they were made.

    Attributes:
        outcomes: preemptions, in order.
        preemptors: by the uid of a victim, the uid of the first pod that it gives way to.

    Args:
        reader: of candidates.
        alternatives_max: how many candidates besides the chosen one to report.
        now_s: the time, in seconds since the plan began.
    """

    def __init__(
        self, reader: CandidateReader, alternatives_max: int, now_s: Callable[[], float]
    ) -> None:
        self.outcomes: list[PreemptionOutcome] = []
        self.preemptors: dict[str, str] = {}
        self._reader = reader
        self._alternatives_max = alternatives_max
        self._now_s = now_s

    def __call__(self, decision: Decision) -> None:
        """Take a decision down, if it preempts anybody."""
        preemption = decision.preemption
        if preemption is None or not preemption.node_name:
            return
        outcome = self._reader.outcome(
            decision.pod, preemption, self._alternatives_max, self._now_s(), self.preemptors
        )
        self.outcomes.append(outcome)
        for pod, victim in zip(preemption.victims, outcome.chosen.victims, strict=True):
            if not victim.is_leaving:
                self.preemptors[pod.uid] = decision.pod.uid
