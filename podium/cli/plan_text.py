"""A plan as tables and sentences."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from podium.cli.choice_text import candidate_table, choice_sentence
from podium.cli.output import Cell, count, print_lines, print_section
from podium.cli.plan_summary_text import summary_lines
from podium.cli.row_groups import together
from podium.cli.timeline_text import (
    DISRUPTION_HEADINGS,
    LINES_MAX,
    disruption_rows,
    time_text,
    timeline_lines,
)
from podium.plan.outcome import BudgetChange, Placement, Plan, PodRow
from podium.simulation.timeline.preemption import PreemptionOutcome, Victim

# More of them are told by -o wide only.
_VICTIMS_MAX = 5
_PLACED, _LOST, _WAITING = "green", "red", "yellow"


def print_plan(out: Console, plan: Plan, *, wide: bool) -> None:
    """Print a plan.

    Args:
        out: where to.
        plan: the outcome.
        wide: also print the candidates of each preemption, with each step of the choice.
    """
    print_lines(out, "SUMMARY", summary_lines(plan, wide=wide))
    _print_placements(out, plan, wide)
    _print_preemptions(out, plan, wide)
    rows = disruption_rows(plan, wide=wide)
    workloads = [one.workload for one in plan.disruptions]
    rows = rows if wide else together(workloads, rows, merged=(1, 3, 6))
    print_section(out, "DISRUPTIONS", DISRUPTION_HEADINGS, rows)
    _print_budgets(out, plan)
    _print_leftovers(out, plan, wide)
    if _takes_time(plan) and (wide or len(plan.timeline) <= LINES_MAX):
        print_lines(out, "TIMELINE", timeline_lines(plan.timeline))
    anyway = (f"{fate.pod}: {fate.outcome}" for fate in plan.anyway)
    print_lines(out, "WITHOUT THE CHANGES, TOO", anyway)
    if plan.seeds > 1:
        print_lines(out, "CHANCE", _chances(plan))
    print_lines(out, "NOTES", plan.notes)
    if not wide and (_victims(plan) > _VICTIMS_MAX or len(plan.timeline) > LINES_MAX):
        out.print("Each preemption with its candidates, and the timeline: -o wide.")


def _victims(plan: Plan) -> int:
    return sum(len(preemption.taken) for preemption in plan.preemptions)


def _takes_time(plan: Plan) -> bool:
    """Whether there is more to tell than that pods are placed."""
    return bool(plan.disruptions) or any(p.at_s >= 1 for p in plan.placements)


def _print_placements(out: Console, plan: Plan, wide: bool) -> None:
    victims: dict[str, list[Victim]] = defaultdict(list)
    for preemption in plan.preemptions:
        victims[preemption.preemptor] += preemption.chosen.victims
    rows: Iterable[tuple[Cell, ...]] = [
        (
            Text(placement.pod, style=_PLACED),
            placement.node,
            str(placement.priority),
            time_text(placement.at_s),
            _how(placement, victims[placement.pod]),
        )
        for placement in plan.placements
    ]
    workloads = [placement.workload for placement in plan.placements]
    rows = rows if wide else together(workloads, rows, merged=(1, 3))
    print_section(out, "PLACEMENTS", ("POD", "NODE", "PRIORITY", "WHEN", "HOW"), rows)


def _how(placement: Placement, victims: Sequence[Victim]) -> str:
    if placement.by_node_name:
        return "names its node"
    leaving = sum(victim.is_leaving for victim in victims)
    parts = [f"preempts {count(len(victims) - leaving, 'pod')}"] if leaving < len(victims) else []
    parts += [f"waits for {count(leaving, 'pod')} to leave"] if leaving else []
    how = ", ".join(parts) or "fits"
    return f"{how}, in place of {placement.replaces}" if placement.replaces else how


def _print_preemptions(out: Console, plan: Plan, wide: bool) -> None:
    rows = [
        (
            Text(victim.pod, style=_LOST),
            preemption.node,
            str(victim.priority),
            preemption.preemptor,
            Text(_budgets_of(victim), style=_LOST if victim.broken else ""),
        )
        for preemption in plan.preemptions
        for victim in preemption.taken
    ]
    if len(rows) > _VICTIMS_MAX and not wide:
        return
    headings = ("VICTIM", "NODE", "PRIORITY", "PREEMPTOR", "BUDGET")
    print_section(out, "PREEMPTIONS", headings, rows)
    for preemption in plan.preemptions:
        if wide:
            _print_candidates(out, preemption)
        out.print(Text(choice_sentence(preemption)))
        if wide:
            out.print()
    if plan.preemptions and not wide:
        out.print()


def _budgets_of(victim: Victim) -> str:
    return "; ".join(
        f"violates {covering.budget}"
        if covering.is_broken
        else f"{covering.budget}, {count(covering.allowed, 'disruption')} allowed"
        for covering in victim.budgets
    )


def _print_candidates(out: Console, preemption: PreemptionOutcome) -> None:
    title = f"CANDIDATES FOR {preemption.preemptor}"
    headings, rows = candidate_table(preemption)
    print_section(out, title, headings, rows)


def _print_budgets(out: Console, plan: Plan) -> None:
    touched = [change for change in plan.budgets if change.is_touched]
    rows = [
        (
            change.budget,
            str(change.allowed_before),
            _worst(change),
            str(change.allowed_after),
            Text(_violations(change), style=_LOST),
        )
        for change in touched
    ]
    headings = ("BUDGET", "ALLOWED BEFORE", "AT WORST", "AFTER", "VIOLATED BY LOSING")
    print_section(out, "BUDGETS TOUCHED", headings, rows)


def _worst(change: BudgetChange) -> str:
    least = change.allowed_least
    is_passing = least < min(change.allowed_before, change.allowed_after)
    return f"{least} ({time_text(change.least_at_s)})" if is_passing else str(least)


def _violations(change: BudgetChange) -> str:
    return ", ".join(change.violated_by)


def _print_leftovers(out: Console, plan: Plan, wide: bool) -> None:
    """Everything that got no place, or lost it otherwise than by preemption."""

    def section(
        title: str,
        headings: Sequence[str],
        rows: Sequence[tuple[Cell, ...]],
        of: Sequence[PodRow],
        merged: Collection[int] = (),
    ) -> None:
        shown = rows if wide else together([one.workload for one in of], rows, merged)
        print_section(out, title, headings, shown)

    pending = [
        (Text(p.pod, style=_WAITING), p.nominated_node or "-", p.message) for p in plan.pending
    ]
    section("PENDING", ("POD", "NOMINATED TO", "MESSAGE"), pending, plan.pending)
    gated = [(Text(g.pod, style=_WAITING), g.message) for g in plan.gated]
    section("GATED", ("POD", "MESSAGE"), gated, plan.gated)
    refusals = [(Text(r.pod, style=_LOST), r.node, r.reason, r.message) for r in plan.refusals]
    headings = ("POD", "NODE", "REASON", "MESSAGE")
    section("REFUSED BY THE NODE", headings, refusals, plan.refusals)
    rejected = [(Text(r.object, style=_LOST), r.workload or "-", r.message) for r in plan.rejected]
    print_section(out, "REJECTED BY THE API", ("OBJECT", "WORKLOAD", "MESSAGE"), rejected)
    ignored = [(i.pod, i.scheduler_name) for i in plan.ignored]
    section("IGNORED BY THESE PROFILES", ("POD", "SCHEDULER"), ignored, plan.ignored)
    removed = [(Text(r.pod, style=_LOST), r.node or "-", r.reason) for r in plan.removed]
    section("REMOVED", ("POD", "NODE", "WHY"), removed, plan.removed, merged=(1,))


def _chances(plan: Plan) -> Iterator[str]:
    if not plan.chances:
        yield f"{plan.seeds} seeds come to the same: nothing was seen to depend on chance"
    for chance in plan.chances:
        parts = (f"{outcome} ({times} of {plan.seeds})" for outcome, times in chance.outcomes)
        yield f"{chance.pod}: {', '.join(parts)}"
