"""The tables of a plan, for all output formats."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec
from rich.text import Text

from podium.cli.output import Cell, count
from podium.cli.plan_summary_text import lost_text
from podium.cli.row_groups import together, told_once
from podium.cli.timeline_text import DISRUPTION_HEADINGS, disruption_rows, sleep_text, time_text
from podium.plan.next_pod_words import next_pod_clauses
from podium.plan.outcome import BudgetChange, Happening, PendingPod, Placement, Plan, PodRow
from podium.simulation.timeline.preemption import Victim

_Arrival = TypeVar("_Arrival", Placement, PendingPod)

# Workloads whose running pods keep a priority; more of them are told by -o wide only.
_STALE_MAX = 10
_PLACED, _LOST, _WAITING = "green", "red", "yellow"
# The API server quotes a template that may not change whole.
_QUOTED = re.compile(r"\{.{200,}\}(?=: )")


class PlanTable(msgspec.Struct, frozen=True):
    """A table of a plan.

    Attributes:
        title: of the table.
        headings: of its columns.
        all_rows: a row for each pod, or whatever else it is about.
        workloads: whose pod each row is about; None if it isn't about pods.
        merged: places of cells in which pods may differ that are told together.
        told_once: the place of a long text that need not be told twice; None if there is none.
    """

    title: str
    headings: Sequence[str]
    all_rows: Sequence[Sequence[Cell]]
    workloads: Sequence[str] | None = None
    merged: Collection[int] = ()
    told_once: int | None = None

    def rows(self, *, wide: bool) -> Iterable[Sequence[Cell]]:
        """Its rows; unless `wide`, one for all pods of a workload that fare alike."""
        if wide or self.workloads is None:
            return self.all_rows
        rows = together(self.workloads, self.all_rows, self.merged)
        return rows if self.told_once is None else told_once(rows, self.told_once)


def placements(plan: Plan) -> PlanTable:
    """The pods that get a place."""
    victims: dict[str, list[Victim]] = defaultdict(list)
    for preemption in plan.preemptions:
        victims[preemption.preemptor] += preemption.chosen.victims
    rows = [
        (
            Text(placement.pod, style=_PLACED),
            placement.node,
            str(placement.priority),
            time_text(placement.at_s),
            _how(placement, victims[placement.pod]),
        )
        for placement in _change_first(plan.placements)
    ]
    headings = ("POD", "NODE", "PRIORITY", "WHEN", "HOW")
    workloads = _workloads(_change_first(plan.placements))
    return PlanTable("PLACEMENTS", headings, rows, workloads, merged=(1, 3))


def _change_first(rows: Sequence[_Arrival]) -> list[_Arrival]:
    """Rows with the pods that replace lost ones behind all others, otherwise in order."""
    return sorted(rows, key=lambda row: bool(row.replaces))


def _how(placement: Placement, victims: Sequence[Victim]) -> str:
    if placement.by_node_name:
        return "names its node"
    leaving = sum(victim.is_leaving for victim in victims)
    parts = [f"preempts {count(len(victims) - leaving, 'pod')}"] if leaving < len(victims) else []
    parts += [f"waits for {count(leaving, 'pod')} to leave"] if leaving else []
    how = ", ".join(parts) or "fits"
    if placement.overslept_s is not None:
        how += f", though no event woke it for {placement.overslept_s:.12g} s"
    return f"{how}, in place of {placement.replaces}" if placement.replaces else how


def victims(plan: Plan) -> PlanTable:
    """The pods that are preempted."""
    rows = [
        (
            Text(victim.pod, style=_LOST),
            victim.node,
            str(victim.priority),
            preemption.preemptor,
            Text(_budgets_of(victim), style=_LOST if victim.broken else ""),
        )
        for preemption in plan.preemptions
        for victim in preemption.taken
    ]
    headings = ("VICTIM", "NODE", "PRIORITY", "PREEMPTOR", "BUDGET")
    return PlanTable("PREEMPTIONS", headings, rows)


def _budgets_of(victim: Victim) -> str:
    return "; ".join(
        f"violates {covering.budget}"
        if covering.is_broken
        else f"{covering.budget}, {count(covering.allowed, 'disruption')} allowed"
        for covering in victim.budgets
    )


def disruptions(plan: Plan, *, wide: bool) -> PlanTable:
    """The pods that lose their places."""
    rows = [*disruption_rows(plan, wide=wide)]
    workloads = _workloads(plan.disruptions)
    return PlanTable("DISRUPTIONS", DISRUPTION_HEADINGS, rows, workloads, merged=(1, 3, 6))


def budgets(plan: Plan) -> PlanTable:
    """The budgets of which another number of disruptions is allowed."""
    rows = [
        (
            change.budget,
            *_health(change),
            str(change.allowed_before),
            _worst(change),
            str(change.allowed_after),
            lost_text(change) or "-",
            Text(", ".join(change.violated_by), style=_LOST),
        )
        for change in plan.budgets
        if change.is_touched
    ]
    headings = (
        *("BUDGET", "ASKS FOR", "HEALTHY", "LEAST", "ALLOWED BEFORE", "AT WORST", "AFTER"),
        *("LOSES", "VIOLATED BY LOSING"),
    )
    return PlanTable("BUDGETS TOUCHED", headings, rows)


def _health(change: BudgetChange) -> Sequence[Cell]:
    """How many healthy pods a budget asks for, how many there were, and how few there are."""
    if change.sync_failure:
        return (Text(f"can't be computed: {change.sync_failure}", style=_LOST), "-", "-")
    least = f"{change.healthy_least} ({time_text(change.healthy_least_at_s)})"
    fallen = change.healthy_least < change.healthy_before
    return (
        str(change.desired_healthy),
        str(change.healthy_before),
        Text(
            least if fallen else str(change.healthy_least), style=_LOST if change.is_below else ""
        ),
    )


def _worst(change: BudgetChange) -> str:
    least = change.allowed_least
    is_passing = least < min(change.allowed_before, change.allowed_after)
    return f"{least} ({time_text(change.least_at_s)})" if is_passing else str(least)


def stale_priorities(plan: Plan, *, wide: bool = False) -> PlanTable:
    """The running pods that keep a priority which their successors don't get.

    Args:
        plan: the outcome.
        wide: whether to list all workloads, also those whose next pods weren't tried.
    """
    found = sorted(plan.stale_priorities, key=lambda one: not (one.next_pods or one.refusal))
    shown = found if wide else found[:_STALE_MAX]
    rows: list[Sequence[Cell]] = [
        (
            Text(one.workload, style=_LOST if one.is_harmful else ""),
            str(one.pods),
            str(one.priority),
            "refused" if one.next_priority is None else str(one.next_priority),
            one.next_class or "-",
            "; ".join(next_pod_clauses(one, is_named=False)) or one.refusal or "-",
        )
        for one in shown
    ]
    if len(found) > len(shown):
        left = found[len(shown) :]
        pods = sum(one.pods for one in left)
        rows.append((f"{len(left)} more, with -o wide", str(pods), "", "", "", ""))
    headings = ("WORKLOAD", "PODS", "PRIORITY", "NEXT POD", "ITS CLASS", "TRIED")
    return PlanTable("STALE PRIORITIES", headings, rows)


def leftovers(plan: Plan) -> Iterator[PlanTable]:
    """Everything that got no place, or lost it otherwise than by preemption."""
    pending = [
        (Text(p.pod, style=_WAITING), _nomination(p), _pending_message(p))
        for p in _change_first(plan.pending)
    ]
    headings: tuple[str, ...] = ("POD", "NOMINATED TO", "MESSAGE")
    workloads = _workloads(_change_first(plan.pending))
    yield PlanTable("PENDING", headings, pending, workloads, told_once=2)
    gated = [(Text(g.pod, style=_WAITING), g.message) for g in plan.gated]
    yield PlanTable("GATED", ("POD", "MESSAGE"), gated, _workloads(plan.gated))
    refusals = [
        (Text(r.pod, style=_LOST), r.node, f"{r.reason}{r.times}", r.message) for r in plan.refusals
    ]
    headings = ("POD", "NODE", "REASON", "MESSAGE")
    yield PlanTable("REFUSED BY THE NODE", headings, refusals, _workloads(plan.refusals))
    rejected = [
        (Text(r.object, style=_LOST), r.workload or "-", _QUOTED.sub("{…}", r.message))
        for r in plan.rejected
    ]
    yield PlanTable("REJECTED BY THE API", ("OBJECT", "WORKLOAD", "MESSAGE"), rejected)
    ignored = [(i.pod, i.scheduler_name) for i in plan.ignored]
    headings = ("POD", "SCHEDULER")
    yield PlanTable("IGNORED BY THESE PROFILES", headings, ignored, _workloads(plan.ignored))
    removed = [(Text(r.pod, style=_LOST), r.node or "-", r.reason) for r in plan.removed]
    headings = ("POD", "NODE", "WHY")
    yield PlanTable("REMOVED", headings, removed, _workloads(plan.removed), merged=(1,))


def _pending_message(pod: PendingPod) -> str:
    sleep = sleep_text(pod.fits_on, pod.tried_at_s)
    return f"{pod.message} It {sleep}." if sleep else pod.message


def _nomination(pod: PendingPod) -> str:
    if pod.room_at_s is None:
        return pod.nominated_node or "-"
    return f"{pod.nominated_node}, which has room from {time_text(pod.room_at_s)} on"


def chance_lines(plan: Plan) -> Iterator[str]:
    """What depends on chance, if it was looked for."""
    if plan.seeds > 1 and not plan.chances:
        yield f"{plan.seeds} seeds come to the same: nothing was seen to depend on chance"
    for chance in plan.chances:
        parts = (f"{outcome} ({times} of {plan.seeds})" for outcome, times in chance.outcomes)
        yield f"{chance.pod}: {', '.join(parts)}"


def takes_time(plan: Plan) -> bool:
    """Whether there is more to tell than that pods are placed."""
    times_s = [one.at_s for one in plan.placements]
    times_s += [one.at_s for one in plan.timeline if one.happening is Happening.FAILED]
    is_repeated = any(one.repeats for one in plan.refusals)
    return bool(plan.disruptions) or is_repeated or any(at_s >= 1 for at_s in times_s)


def _workloads(rows: Iterable[PodRow]) -> list[str]:
    return [row.workload for row in rows]
