"""The summary of a plan in sentences."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from podium.api.policy.disruption_target import EVICTED, LOST, PREEMPTED
from podium.api.values.message_words import count, listed
from podium.cluster.virtual.loading.unhealthy_objects import WAY_OUT
from podium.simulation.timeline.timeline_sentences import overslept
from podium.whatif.plan.plan_report import BudgetChange, Plan, Return, WorkloadSummary, time_text
from podium.whatif.plan.presentation.next_pod_words import stale_sentences

_WORDS: Mapping[str, str] = {PREEMPTED: "preempted", EVICTED: "evicted", LOST: "stopped"}
_SENTENCES_MAX = 10
_NAMES_MAX = 3
_SLEEPERS_MAX = 5
_EXCEEDED_QUOTA = re.compile(r"exceeded quota: ([^,]+), (.+)")
_BUDGETS_MAX = 5


def summary_lines(plan: Plan, *, wide: bool) -> Iterator[str]:
    """Yield the sentences of a plan's summary, the most important first."""
    counts = plan.counts
    parts = [f"{count(counts.placed, 'pod')} placed", f"{counts.preempted} preempted"]
    before = sum(pod.waited_before for pod in plan.pending)
    parts.append(f"{counts.pending} pending{f' ({before} before, too)' if before else ''}")
    more = {
        "evicted": counts.evicted,
        "recreated": counts.recreated,
        "lost for good": counts.lost_for_good,
        f"{'Job' if counts.failed_jobs == 1 else 'Jobs'} failed": counts.failed_jobs,
        "gated": counts.gated,
        "rejected by the API": counts.rejected,
        "refused by nodes": counts.refused,
        "ignored": counts.ignored,
        "removed": counts.removed,
    }
    parts += [f"{number} {word}" for word, number in more.items() if number]
    if counts.unavailable:
        parts.append(f"{count(counts.unavailable, 'workload')} unavailable")
    if counts.budgets_below:
        parts.append(f"{count(counts.budgets_below, 'budget')} not kept")
    text = f"{', '.join(parts)}."
    yield f"Interrupted at {time_text(plan.until_seconds)}. {text}" if plan.interrupted else text
    yield from _below(plan, len(plan.budgets) if wide else _BUDGETS_MAX)
    affected = [one for one in plan.workloads if one.lost or one.pending or _dips(one)]
    shown = affected
    if not wide and len(affected) > _SENTENCES_MAX:
        shown = affected[:_SENTENCES_MAX]
        yield from _harm(affected)
    for workload in shown:
        clauses = "; ".join(_clauses(workload, plan.until_seconds))
        is_sentence = clauses.startswith(("loses", "is ", "stays"))
        yield f"{workload.workload}{'' if is_sentence else ':'} {clauses}."
    if len(affected) > len(shown):
        yield f"{count(len(affected) - len(shown), 'workload')} more, with -o wide."
    yield from (f"{stale_sentence}." for stale_sentence in stale_sentences(plan.stale_priorities))
    # Pods that were, or are, left waiting by kube-scheduler although they fit.
    sleepers = [
        f"Pod {one.pod} is placed at {time_text(one.at)} only: {overslept(one.overslept_seconds)}."
        for one in plan.placements
        if one.overslept_seconds is not None
    ]
    sleeping = ((pod.pod, sleep_text(pod.fits_on, pod.tried_at)) for pod in plan.pending)
    sleepers += [f"Pod {pod} {sleep}." for pod, sleep in sleeping if sleep]
    yield from sleepers if wide else sleepers[:_SLEEPERS_MAX]
    if not wide and len(sleepers) > _SLEEPERS_MAX:
        others = count(len(sleepers) - _SLEEPERS_MAX, "more pod")
        yield f"{others} that no event wakes, with -o wide."
    for rejected in plan.rejected:
        if exceeded := _EXCEEDED_QUOTA.search(rejected.message):
            owner = f" of {rejected.workload}" if rejected.workload else ""
            are = f"{rejected.object}{owner} {'is' if rejected.count == 1 else 'are'}"
            quota = f"ResourceQuota {rejected.namespace}/{exceeded[1]}"
            yield f"{are} rejected, as {quota} is exceeded: {exceeded[2]}."
    for refusal in plan.refusals:
        if refusal.repeats:
            text = (
                f"{refusal.node} refuses each of its pods as soon as it is created{refusal.times}"
            )
            yield f"{refusal.workload}: {text} ({refusal.reason}): {refusal.message}."
    held: dict[str, list[str]] = defaultdict(list)
    for disruption in plan.disruptions:
        if disruption.comes_again is Return.AFTER_NODE:
            held[disruption.node].append(disruption.pod)
    for node, pods in held.items():
        stay, are = ("stays", "isn't") if len(pods) == 1 else ("stay", "aren't")
        yield (
            f"{listed(pods, _SENTENCES_MAX)} {stay} terminating, as {node} doesn't answer, and "
            f"{are} replaced before it does; to end that, {WAY_OUT}."
        )
    for job in plan.failed_jobs:
        at = time_text(job.at)
        if job.indexes:
            yield f"{job.job} loses some of its work from {at} on: {job.message}."
        else:
            yield f"{job.job} fails at {at}, and its work is lost: {job.message} ({job.reason})."
    for drain in plan.drains:
        evicted = f"{count(drain.evicted, 'pod')} evicted"
        if drain.state == "Done":
            yield f"Node {drain.node} is drained at {time_text(drain.at or 0.0)}: {evicted}."
        else:
            yield f"Node {drain.node} isn't drained, {evicted}: {drain.text}."
    for rollout in plan.rollouts:
        if rollout.is_stuck:
            since = time_text(rollout.at or 0.0)
            yield f"{rollout.workload} is stuck from {since} on: {rollout.text}."
        elif rollout.state == "Paused":
            yield f"{rollout.workload} isn't rolled out: {rollout.text}."
        elif rollout.is_open:
            end = time_text(plan.until_seconds)
            yield f"{rollout.workload} is still rolling out at the plan's end, {end}: " + (
                f"{rollout.text}."
            )


def _harm(affected: Sequence[WorkloadSummary]) -> Iterator[str]:
    """Yield a sentence for each kind of harm, with the workloads that suffer it most."""
    down = [workload for workload in affected if workload.unavailable]
    waiting = [workload for workload in affected if workload.pending]
    fewer = [workload for workload in affected if _dips(workload) and not workload.unavailable]
    whole = [one for one in affected if one.lost and not (one.pending or _dips(one))]
    pending = count(sum(workload.pending for workload in waiting), "pod")
    for workloads, words in (
        (down, ("has no ready pod", "have no ready pod")),
        (waiting, (f"has {pending} pending in the end", f"have {pending} pending in the end")),
        (fewer, ("has fewer ready pods than before", "have fewer ready pods than before")),
        (whole, ("loses pods without having fewer", "lose pods without having fewer")),
    ):
        if workloads:
            names = listed([workload.workload for workload in workloads], _NAMES_MAX)
            verb = words[len(workloads) > 1]
            yield f"{count(len(workloads), 'workload')} {verb}: {names}."


def sleep_text(fits_on: str, tried_at_s: float | None) -> str:
    """Describe when a pod is tried that fits `fits_on` but waits for an event; else empty."""
    if not fits_on or tried_at_s is None:
        return ""
    when = time_text(tried_at_s)
    return f"would fit on {fits_on} by now, but no event wakes it: it is tried at {when}"


def _below(plan: Plan, most: int) -> Iterator[str]:
    below = [budget for budget in plan.budgets if budget.is_below]
    below.sort(key=lambda change: change.healthy_least - change.desired_healthy)
    for one in below[:most]:
        lost, since = lost_text(one), time_text(one.healthy_least_at)
        yield (
            f"Budget {one.budget} asks for {count(one.desired_healthy, 'healthy pod')}, and has "
            f"only {one.healthy_least} at {since}; too few for {_seconds(one.below_for_seconds)}"
            + (f" ({lost})." if lost else ".")
        )
    if len(below) > most:
        yield f"{count(len(below) - most, 'budget')} more with too few healthy pods, with -o wide."


def lost_text(budget: BudgetChange) -> str:
    """Describe how many pods of a budget are lost, by cause."""
    parts = [f"{number} {_WORDS[cause]}" for cause, number in budget.lost.items()]
    removed = [f"{budget.removed} removed by the changes"] if budget.removed else []
    return ", ".join((*parts, *removed))


def _seconds(number: float) -> str:
    return f"{round(number, 1):.12g} s"


def _dips(workload: WorkloadSummary) -> bool:
    return workload.ready_least < min(workload.ready_before, workload.wanted)


def _clauses(workload: WorkloadSummary, end_s: float) -> Iterator[str]:
    lost = sum(workload.lost.values())
    if lost and workload.workload.startswith("Pod "):
        yield f"is {' and '.join(_WORDS[cause] for cause in workload.lost)}"
    elif lost:
        causes = ", ".join(f"{number} {_WORDS[cause]}" for cause, number in workload.lost.items())
        again = f", {_number(workload.recreated, 'comes')} again" if workload.recreated else ""
        # Replacements may be lost in their turn.
        loses = f"loses {lost} of {count(workload.pods, 'pod')}"
        if lost > workload.pods:
            loses = f"loses a pod {count(lost, 'time')}, having {workload.pods}"
        yield f"{loses} ({causes}{again})"
    if workload.pending:
        is_alone = workload.workload.startswith("Pod ")
        yield "stays pending" if is_alone else f"{_number(workload.pending, 'stays')} pending"
    if _dips(workload) and not workload.workload.startswith("Pod "):
        yield _dip(workload, end_s)


def _dip(workload: WorkloadSummary, end_s: float) -> str:
    since = time_text(workload.ready_least_at)
    is_last = workload.ready_after == workload.ready_least
    if is_last and workload.ready_least_at + workload.ready_least_for_seconds >= end_s:
        when, end = f"from {since} to the plan's end", ""
    else:
        when = f"for {_seconds(workload.ready_least_for_seconds)} from {since} on"
        is_back = workload.ready_after >= min(workload.ready_before, workload.wanted)
        end = "" if is_back else ", and fewer than before in the end"
    if workload.unavailable:
        return f"is unavailable {when} (0 of {workload.ready_before} ready){end}"
    few = f"only {workload.ready_least}" if workload.ready_least else "none"
    verb = "are" if workload.ready_least > 1 else "is"
    return f"{when} {few} of {workload.ready_before} {verb} ready{end}"


def _number(number: int, verb: str) -> str:
    return f"{number} {verb if number == 1 else verb.removesuffix('s')}"
