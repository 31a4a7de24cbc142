"""Why a pod fits nowhere: the plugins that rejected it, and the message (FitError of v1.36)."""

from collections import Counter

import numpy as np

from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.evaluation.filtering import Filtering, Narrowing, OutcomeCounts
from podium.scheduler.snapshot.snapshot import Snapshot


def count_reasons(filtering: Filtering, outcome_counts: OutcomeCounts) -> Counter[str]:
    """Count, for each reason of filters, the rows that are refused for it."""
    reasons: Counter[str] = Counter()
    for (blame, code), count in outcome_counts.counts.items():
        if blame >= 0 and count:
            status = filtering.status(blame, code, outcome_counts.row_of((blame, code)))
            for reason in status.reasons:
                reasons[reason] += count
    return reasons


def nodes_available_message(
    node_count: int, reasons: Counter[str], pre_filter: str = "", post_filter: str = ""
) -> str:
    """Return the message of an unschedulable pod, such as `0/3 nodes are available: …`.

    A message of PreFilter replaces the reasons of nodes.
    """
    message = f"0/{node_count} nodes are available:"
    counted = sorted(f"{count} {reason}" for reason, count in reasons.items() if count)
    if details := pre_filter or ", ".join(counted):
        message += f" {details}."
    return f"{message} {post_filter}" if post_filter else message


def failure_message(decision: Decision, snapshot: Snapshot) -> str:
    """Return the message of kube-scheduler's FailedScheduling event for a decision."""
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


def reasons_of(decision: Decision) -> Counter[str]:
    """Count a just decided pod's nodes by reason of refusal; empty if PreFilter refused all."""
    evaluation, outcome, blame = decision.evaluation, decision.outcome, decision.blame
    if evaluation is None or outcome is None or blame is None or decision.pre_filter is not None:
        return Counter()
    evaluation.outcome_counts.follow(outcome, blame)
    return count_reasons(evaluation.filtering, evaluation.outcome_counts)


def rejecting_plugins(decision: Decision) -> set[str]:
    """Return the names of the plugins that rejected a pod, on any node or on all at once."""
    evaluation, outcome, blame = decision.evaluation, decision.outcome, decision.blame
    if evaluation is None or outcome is None or blame is None:
        return set()
    if decision.pre_filter is not None:
        return {decision.pre_filter.plugin}
    states, plugins = evaluation.filtering.states, set[str]()
    for state in states:
        if isinstance(state, Narrowing):
            plugins.update(state.plugins)
    evaluation.outcome_counts.follow(outcome, blame)
    for (index, _), count in evaluation.outcome_counts.counts.items():
        if index >= 0 and count:
            plugins.add(states[index].plugin)
    return plugins - {""}


def pending_plugins(decision: Decision) -> set[str]:
    """Return those of the rejecting plugins that wait for something outside the scheduler."""
    evaluation, outcome, blame = decision.evaluation, decision.outcome, decision.blame
    if evaluation is None or outcome is None or blame is None or decision.pre_filter is not None:
        return set()
    return {
        state.plugin
        for index, state in enumerate(evaluation.filtering.states)
        if state.pending_codes and np.isin(outcome[blame == index], [*state.pending_codes]).any()
    }
