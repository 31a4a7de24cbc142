"""Why a pod fits nowhere: the plugins that rejected it, and the message (FitError of v1.36)."""

from collections import Counter

from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.evaluation.filtering import Filtering, Narrowing
from podium.scheduler.framework.evaluation.outcome_counts import OutcomeCounts
from podium.scheduler.snapshot.snapshot import Snapshot


class ReasonHistogram:
    """How many nodes gave which reason."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, reason: str, count: int) -> None:
        if count:
            self._counts[reason] += count

    def add_counts(self, filtering: Filtering, outcome_counts: OutcomeCounts) -> None:
        """Add the reasons of the rows that filters object to."""
        for (who, code), count in outcome_counts.counts.items():
            if who >= 0 and count:
                status = filtering.status(who, code, outcome_counts.row_of((who, code)))
                for reason in status.reasons:
                    self.add(reason, count)

    def most_common(self) -> list[tuple[str, int]]:
        """The reasons with their counts, the most frequent first, and of equals by the words."""
        return sorted(self._counts.items(), key=lambda entry: (-entry[1], entry[0]))

    def __str__(self) -> str:
        return ", ".join(sorted(f"{count} {reason}" for reason, count in self._counts.items()))


def nodes_available_message(
    node_count: int, reasons: ReasonHistogram, pre_filter: str = "", post_filter: str = ""
) -> str:
    """The message of a pod that can't be scheduled; what PreFilter says replaces the reasons."""
    message = f"0/{node_count} nodes are available:"
    details = pre_filter or str(reasons)
    if details:
        message += f" {details}."
    return f"{message} {post_filter}" if post_filter else message


def failure_message(decision: Decision, snapshot: Snapshot) -> str:
    """Why the pod can't be scheduled, worded as kube-scheduler's FailedScheduling event."""
    if decision.error:
        return decision.error
    if decision.gate is not None:
        return decision.gate.message
    if decision.gang:
        return decision.gang
    evaluation, outcome, found = decision.evaluation, decision.outcome, decision.post_filter
    if evaluation is None or outcome is None:
        return ""
    said = evaluation.said
    if said is None or said[0] is not outcome or said[1] is not found:
        pre_filter = decision.pre_filter.message if decision.pre_filter else ""
        post_filter = "" if found is None or found.status.is_success else found.status.message
        message = nodes_available_message(
            snapshot.node_count, reasons_of(decision), pre_filter, post_filter
        )
        said = evaluation.said = outcome, found, message
    return said[2]


def reasons_of(decision: Decision) -> ReasonHistogram:
    """Why nodes refuse a pod that was just decided; nothing if it is refused as a whole."""
    reasons, evaluation = ReasonHistogram(), decision.evaluation
    if evaluation is None or decision.outcome is None or decision.blame is None:
        return reasons
    if decision.pre_filter is None:
        evaluation.outcome_counts.follow(decision.outcome, decision.blame)
        reasons.add_counts(evaluation.filtering, evaluation.outcome_counts)
    return reasons


def rejecting_plugins(decision: Decision) -> set[str]:
    """The plugins that rejected a pod, on any node or for all of them."""
    evaluation, outcome, blame = decision.evaluation, decision.outcome, decision.blame
    if evaluation is None or outcome is None or blame is None:
        return set()
    if decision.pre_filter is not None:
        return {decision.pre_filter.plugin}
    states = evaluation.filtering.states
    plugins: set[str] = set()
    for state in states:
        if isinstance(state, Narrowing):
            plugins.update(state.plugins)
    evaluation.outcome_counts.follow(outcome, blame)
    blamed = {
        who for (who, _), count in evaluation.outcome_counts.counts.items() if who >= 0 and count
    }
    plugins.update(states[who].plugin for who in blamed)
    return plugins - {""}
