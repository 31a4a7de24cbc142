"""The answer of a plan in a few sentences: one for each workload that anything happens to."""

from collections.abc import Iterator, Mapping

from podium.api.disruption import BY_EVICTION, BY_PRESSURE, BY_TAINT, EVICTED, LOST, PREEMPTED
from podium.cli.output import count
from podium.cli.timeline_text import time_text
from podium.plan.outcome import Plan, Return, WorkloadSummary

_EVICTIONS = (BY_EVICTION, BY_TAINT, BY_PRESSURE)
_WORDS: Mapping[str, str] = {PREEMPTED: "preempted", EVICTED: "evicted", LOST: "stopped"}
_SENTENCES_MAX = 20


def summary_lines(plan: Plan, *, wide: bool) -> Iterator[str]:
    """What a plan comes to, the most important first.

    Args:
        plan: the outcome.
        wide: all workloads, however many.
    """
    text = ", ".join(_counts(plan)) + "."
    yield f"Interrupted at {time_text(plan.until_s)}. {text}" if plan.interrupted else text
    affected = [one for one in plan.workloads if one.lost or one.pending or _dips(one)]
    shown = affected if wide else affected[:_SENTENCES_MAX]
    for one in shown:
        yield f"{one.workload} {'; '.join(_clauses(one))}."
    if len(affected) > len(shown):
        yield f"{len(affected) - len(shown)} workloads more, with -o wide."
    yield from _drains(plan)
    for rollout in plan.rollouts:
        if rollout.is_stuck:
            since = time_text(rollout.at_s or 0.0)
            yield f"{rollout.workload} is stuck from {since} on: {rollout.message}."
        elif rollout.is_open:
            end = time_text(plan.until_s)
            yield f"{rollout.workload} is still rolling out at the plan's end, {end}: " + (
                f"{rollout.message}."
            )


def _drains(plan: Plan) -> Iterator[str]:
    for one in plan.drains:
        evicted = f"{count(one.evicted, 'pod')} evicted"
        if one.state == "Done":
            yield f"Node {one.node} is drained at {time_text(one.at_s or 0.0)}: {evicted}."
        else:
            yield f"Node {one.node} isn't drained, {evicted}: {one.text}."


def _dips(one: WorkloadSummary) -> bool:
    """Whether fewer pods are ready for a while, though the workload goes on."""
    return one.ready_before > 0 and one.ready_least < one.ready_before and not _goes(one)


def _goes(one: WorkloadSummary) -> bool:
    return one.removed >= one.pods and not (one.new or one.pending)


def _clauses(one: WorkloadSummary) -> Iterator[str]:
    lost = sum(one.lost.values())
    if lost and one.workload.startswith("Pod "):
        yield f"is {' and '.join(_WORDS[cause] for cause in one.lost)}"
    elif lost:
        causes = ", ".join(f"{number} {_WORDS[cause]}" for cause, number in one.lost.items())
        again = f", {_number(one.recreated, 'comes')} again" if one.recreated else ""
        # Replacements may be lost in their turn.
        loses = f"loses {lost} of {count(one.pods, 'pod')}"
        if lost > one.pods:
            loses = f"loses a pod {count(lost, 'time')}, having {one.pods}"
        yield f"{loses} ({causes}{again})"
    if one.pending:
        is_alone = one.workload.startswith("Pod ")
        yield "stays pending" if is_alone else f"{_number(one.pending, 'stays')} pending"
    if _dips(one) and not one.workload.startswith("Pod "):
        how_long = f"for {round(one.ready_least_for_s, 1):.12g} s"
        end = "" if one.is_ready_in_the_end else ", and fewer than before in the end"
        yield f"{how_long} only {one.ready_least} of {one.ready_before} are ready{end}"


def _number(number: int, verb: str) -> str:
    return f"{number} {verb if number == 1 else verb.removesuffix('s')}"


def _counts(plan: Plan) -> Iterator[str]:
    placed = [one for one in plan.placements if not one.replaces]
    yield f"{count(len(placed), 'pod')} placed"
    yield f"{sum(len(p.taken) for p in plan.preemptions)} preempted"
    yield f"{len(plan.pending)} pending"
    evicted = sum(one.cause in _EVICTIONS for one in plan.disruptions)
    if evicted:
        yield f"{evicted} evicted"
    recreated = len(plan.placements) - len(placed)
    if recreated:
        yield f"{recreated} recreated"
    lost = sum(one.comes_again is Return.NEVER for one in plan.disruptions)
    if lost:
        yield f"{lost} lost for good"
    if plan.gated:
        yield f"{len(plan.gated)} gated"
    if plan.refusals or plan.rejected:
        yield f"{len(plan.refusals) + len(plan.rejected)} refused"
    if plan.ignored:
        yield f"{len(plan.ignored)} ignored"
    if plan.removed:
        yield f"{len(plan.removed)} removed"
