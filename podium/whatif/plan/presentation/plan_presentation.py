"""Presentations of a plan: as a document, and for a terminal."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from podium.api.presentation import Bullets, Cell, Presentation, Section, Table, Tone, Toned
from podium.api.values.message_words import and_more, count, listed
from podium.simulation.timeline.preemption import Victim
from podium.whatif.plan.plan_report import (
    Disruption,
    Happening,
    PendingPod,
    Placement,
    Plan,
    PodRow,
    Return,
    time_text,
    why_never,
)
from podium.whatif.plan.presentation.choice_text import candidate_table, choice_sentence
from podium.whatif.plan.presentation.next_pod_words import next_pod_clauses
from podium.whatif.plan.presentation.plan_pictures import (
    before_and_after,
    cascades,
    decisions,
    lanes,
)
from podium.whatif.plan.presentation.plan_summary_text import lost_text, sleep_text, summary_lines

_PENDING_BEFORE = "Pending since before the plan"
_AFFECTED = ("Pending", _PENDING_BEFORE, "Refused by the node", "Rejected by the API")
_BUDGETS_MAX = 10
# More of these are shown by -o wide only.
_VICTIMS_MAX = 5
_MOMENTS_MAX = 20
_STALE_MAX = 10
_NAMES_MAX = 5
# A document of one file stays small enough for a mail.
_LINES_MAX = 1_000
# The API server quotes a template that may not change whole.
_QUOTED = re.compile(r"\{.{200,}\}(?=: )")


def plan_presentation(plan: Plan) -> Presentation:
    """Present a plan as a document: the summary, the affected pods, and then the details."""
    headline, *sentences = summary_lines(plan, wide=False)
    leftovers = [*_leftovers(plan, wide=False)]
    touched = [budget for budget in plan.budgets if budget.is_touched]
    # Violated budgets come first.
    for one in sorted(touched, key=lambda change: not change.violated_by)[:_BUDGETS_MAX]:
        least = f"{one.allowed_least} at worst ({time_text(one.least_at)})"
        allowed = f"allows {count(one.allowed_before, 'disruption')} before"
        violated = f"; losing {', '.join(one.violated_by)} violates it" if one.violated_by else ""
        sentences.append(
            f"Budget {one.budget} {allowed}, {least}, {one.allowed_after} in the end{violated}."
        )
    choices = [choice_sentence(preemption) for preemption in plan.preemptions]
    details = [
        Section("Preemptions", [replace(_victims(plan), rows_most=_LINES_MAX), _cut(choices)]),
        _placements(plan, wide=False),
        *(leftover for leftover in leftovers if leftover.title not in _AFFECTED),
        _unrelated(plan),
        _chance(plan),
        Section("Timeline", [_cut(_moments(plan))]),
        Section("Notes", [Bullets(plan.notes)]),
    ]
    return Presentation(
        "Podium plan",
        headline,
        [
            Section("Summary", [Bullets(sentences)]),
            before_and_after(plan),
            lanes(plan),
            cascades(plan),
            Section("Warnings", [Bullets(plan.warnings)]),
            disruptions(plan, wide=False),
            budgets(plan),
            stale_priorities(plan, wide=False),
            *(leftover for leftover in leftovers if leftover.title in _AFFECTED),
            *_optimum(plan),
            *decisions(plan),
            *(replace(detail, is_detail=True) for detail in details),
        ],
    )


def printed_plan(plan: Plan, *, wide: bool) -> Presentation:
    """Present a plan for a terminal, with each pod, candidate node and event if `wide`."""
    is_short = len(plan.timeline) <= _MOMENTS_MAX
    sections = [
        Section("Summary", [Bullets([*summary_lines(plan, wide=wide)])]),
        _placements(plan, wide=wide),
        *_preemptions(plan, wide=wide),
        disruptions(plan, wide=wide),
        budgets(plan),
        stale_priorities(plan, wide=wide),
        *_leftovers(plan, wide=wide),
        *([Section("Timeline", [Bullets(_moments(plan))])] if wide or is_short else ()),
        _unrelated(plan),
        _chance(plan),
        Section("Notes", [Bullets(plan.notes)]),
        *_optimum(plan),
    ]
    is_shortened = _victim_count(plan) > _VICTIMS_MAX or not is_short
    more = "Each preemption with its candidates, and the timeline: -o wide."
    return Presentation("", "", sections, footer=more if is_shortened and not wide else "")


def _placements(plan: Plan, *, wide: bool) -> Section:
    victims: dict[str, list[Victim]] = defaultdict(list)
    for preemption in plan.preemptions:
        victims[preemption.preemptor] += preemption.chosen.victims
    placements = sorted(plan.placements, key=_comes_in_place)
    rows: list[Sequence[Cell]] = [
        (
            Toned(placement.pod, Tone.GOOD),
            placement.node,
            str(placement.priority),
            time_text(placement.at),
            _how(placement, victims[placement.pod]),
        )
        for placement in placements
    ]
    headers = ["Pod", "Node", "Priority", "When", "How"]
    if wide and any(placement.devices for placement in placements):
        headers.append("Devices")
        devices = (", ".join(placement.devices) or "-" for placement in placements)
        rows = [(*row, cell) for row, cell in zip(rows, devices, strict=True)]
    return Section("Placements", [_of_pods(headers, placements, rows, (1, 3), wide=wide)])


def _comes_in_place(pod: Placement | PendingPod) -> bool:
    # Such pods come behind all others.
    return bool(pod.replaces)


def _how(placement: Placement, victims: Sequence[Victim]) -> str:
    if placement.by_node_name:
        return "names its node"
    leaving = sum(victim.leaving for victim in victims)
    parts = [f"preempts {count(len(victims) - leaving, 'pod')}"] if leaving < len(victims) else []
    parts += [f"waits for {count(leaving, 'pod')} to leave"] if leaving else []
    how = ", ".join(parts) or "fits"
    if placement.overslept_seconds is not None:
        how += f", though no event woke it for {placement.overslept_seconds:.12g} s"
    return f"{how}, in place of {placement.replaces}" if placement.replaces else how


def _preemptions(plan: Plan, *, wide: bool) -> Iterator[Section]:
    if not wide and _victim_count(plan) > _VICTIMS_MAX:
        return
    yield Section("Preemptions", [_victims(plan)])
    for preemption in plan.preemptions if wide else ():
        yield Section(f"Candidates for {preemption.preemptor}", [candidate_table(preemption)])
        yield Section("", [Bullets([choice_sentence(preemption)])])
    if not wide:
        yield Section("", [Bullets([choice_sentence(outcome) for outcome in plan.preemptions])])


def _victim_count(plan: Plan) -> int:
    return sum(len(preemption.taken) for preemption in plan.preemptions)


def _victims(plan: Plan) -> Table:
    rows = []
    for preemption in plan.preemptions:
        for victim in preemption.taken:
            covering = "; ".join(
                f"violates {one.budget}"
                if one.is_broken
                else f"{one.budget}, {count(one.allowed, 'disruption')} allowed"
                for one in victim.budgets
            )
            budget = Toned(covering, Tone.BAD if victim.broken else Tone.NONE)
            pod, priority = Toned(victim.pod, Tone.BAD), str(victim.priority)
            # Pages link each of several names.
            preemptor = ",".join(filter(None, (preemption.preemptor, preemption.for_devices)))
            rows.append((pod, victim.node, priority, preemptor, budget))
    return Table(["Victim", "Node", "Priority", "Preemptor", "Budget"], rows)


def disruptions(plan: Plan, *, wide: bool, by_workload: bool = True) -> Section:
    """List the disrupted pods: all if `wide`, otherwise equal ones once if `by_workload`."""
    arrivals = (*plan.placements, *plan.pending, *plan.disruptions)
    workloads = {} if wide else {row.pod: row.workload for row in arrivals}
    for_devices = {
        (preemption.preemptor, victim.pod): preemption.for_devices
        for preemption in plan.preemptions
        for victim in preemption.taken
    }
    rows: list[Sequence[Cell]] = []
    for one in plan.disruptions:
        by = workloads.get(one.by, one.by).removeprefix("Pod ")
        by += for_devices.get((one.by, one.pod), "")
        why = f"gives way to {by}" if by else f"{one.cause.clause}{one.times}"
        at, again = time_text(one.at), _return(one, wide=wide)
        pod = Toned(one.pod, Tone.BAD)
        rows.append((pod, one.node, str(one.priority), at, why, str(one.depth), again))
    headers = ["Pod", "Node", "Priority", "When", "Why", "Depth", "Comes again"]
    each = wide or not by_workload
    return Section("Disruptions", [_of_pods(headers, plan.disruptions, rows, (1, 3, 6), wide=each)])


def _return(one: Disruption, *, wide: bool) -> Toned:
    if one.comes_again is Return.SURPLUS:
        return Toned("no: its workload has all the pods that it wants", Tone.NONE)
    if one.replacement:
        name = f"{one.replacement}, which " if wide else ""
        if not one.replaced_on:
            return Toned(f"{name}is pending", Tone.WAITING)
        when = "" if one.replaced_at is None else f", {time_text(one.replaced_at)}"
        return Toned(f"{name}is on {one.replaced_on}{when}", Tone.GOOD)
    match one.comes_again:
        case Return.CERTAIN:
            return Toned("not yet", Tone.WAITING)
        case Return.AFTER_NODE:
            return Toned(f"only once {one.node} answers, or is deleted", Tone.WAITING)
        case Return.UNKNOWN:
            return Toned(f"not known of a {one.owner.partition(' ')[0]}", Tone.WAITING)
    return Toned(why_never(one), Tone.BAD)


def budgets(plan: Plan) -> Section:
    """List the budgets that a plan affects."""
    rows = []
    for change in plan.budgets:
        if not change.is_touched:
            continue
        health: Sequence[Cell] = (str(change.desired_healthy), str(change.healthy_before))
        if change.sync_failure:
            health = (Toned(f"can't be computed: {change.sync_failure}", Tone.BAD), "-", "-")
        else:
            least = str(change.healthy_least)
            if change.healthy_least < change.healthy_before:
                least += f" ({time_text(change.healthy_least_at)})"
            health = (*health, Toned(least, Tone.BAD if change.is_below else Tone.NONE))
        worst, before, after = change.allowed_least, change.allowed_before, change.allowed_after
        is_passing = worst < min(before, after)
        rows.append(
            (
                change.budget,
                *health,
                str(before),
                f"{worst} ({time_text(change.least_at)})" if is_passing else str(worst),
                str(after),
                lost_text(change) or "-",
                Toned(", ".join(change.violated_by), Tone.BAD),
            )
        )
    headers = ["Budget", "Asks for", "Healthy", "Least", "Allowed before", "At worst", "After"]
    return Section("Budgets touched", [Table([*headers, "Loses", "Violated by losing"], rows)])


def stale_priorities(plan: Plan, *, wide: bool) -> Section:
    """List the workloads whose running pods keep a priority that their successors don't get."""
    found = sorted(plan.stale_priorities, key=lambda one: not (one.next_pods or one.refusal))
    shown = found if wide else found[:_STALE_MAX]
    rows: list[Sequence[Cell]] = [
        (
            Toned(priority.workload, Tone.BAD if priority.is_harmful else Tone.NONE),
            str(priority.pods),
            str(priority.priority),
            "refused" if priority.next_priority is None else str(priority.next_priority),
            priority.next_class or "-",
            "; ".join(next_pod_clauses(priority, is_named=False)) or priority.refusal or "-",
        )
        for priority in shown
    ]
    if left := found[len(shown) :]:
        pods = sum(stale_priority.pods for stale_priority in left)
        rows += [(f"{len(left)} more, with -o wide", str(pods), "", "", "", "")]
    headers = ["Workload", "Pods", "Priority", "Next pod", "Its class", "Tried"]
    return Section("Stale priorities", [Table(headers, rows)])


def _leftovers(plan: Plan, *, wide: bool) -> Iterator[Section]:
    pending = sorted(plan.pending, key=_comes_in_place)
    for title, waited in (("Pending", False), (_PENDING_BEFORE, True)):
        pods = [pod for pod in pending if pod.waited_before is waited]
        yield Section(title, [_pending(pods, wide=wide)])
    rows: list[Sequence[Cell]] = [(Toned(g.pod, Tone.WAITING), g.message) for g in plan.gated]
    yield Section("Gated", [_of_pods(["Pod", "Message"], plan.gated, rows, wide=wide)])
    rows = [
        (Toned(r.pod, Tone.BAD), r.node, f"{r.reason}{r.times}", r.message) for r in plan.refusals
    ]
    headers = ["Pod", "Node", "Reason", "Message"]
    yield Section("Refused by the node", [_of_pods(headers, plan.refusals, rows, wide=wide)])
    rows = [
        (Toned(r.object, Tone.BAD), r.workload or "-", _QUOTED.sub("{…}", r.message))
        for r in plan.rejected
    ]
    yield Section("Rejected by the API", [Table(["Object", "Workload", "Message"], rows)])
    rows = [(i.pod, i.scheduler_name) for i in plan.ignored]
    table = _of_pods(["Pod", "Scheduler"], plan.ignored, rows, wide=wide)
    yield Section("Ignored by these profiles", [table])
    rows = [(Toned(r.pod, Tone.BAD), r.node or "-", r.reason) for r in plan.removed]
    yield Section(
        "Removed", [_of_pods(["Pod", "Node", "Why"], plan.removed, rows, (1,), wide=wide)]
    )


def _pending(pods: Sequence[PendingPod], *, wide: bool) -> Table:
    rows: list[Sequence[Cell]] = []
    for pod in pods:
        nomination, sleep = pod.nominated_node or "-", sleep_text(pod.fits_on, pod.tried_at)
        if pod.room_at is not None:
            nomination += f", which has room from {time_text(pod.room_at)} on"
        message = f"{pod.message} It {sleep}." if sleep else pod.message
        if pod.device_holders:
            held = [f"{workload} ({number})" for workload, number in pod.device_holders.items()]
            others = " and others" if len(held) > _NAMES_MAX else ""
            named = ", ".join(held[:_NAMES_MAX]) + others
            message += f" Devices that it asks for are held by {named}."
        rows.append((Toned(pod.pod, Tone.WAITING), nomination, message))
    table = _of_pods(["Pod", "Nominated to", "Message"], pods, rows, wide=wide)
    return table if wide else replace(table, rows=[*shown_once(table.rows, 2)])


def _cut(lines: Sequence[str]) -> Bullets:
    return Bullets([*lines[:_LINES_MAX], *and_more(len(lines) - _LINES_MAX)])


def _moments(plan: Plan) -> list[str]:
    times_s = [placement.at for placement in plan.placements]
    times_s += [moment.at for moment in plan.timeline if moment.event is Happening.FAILED]
    is_repeated = any(refusal.repeats for refusal in plan.refusals)
    takes_time = bool(plan.disruptions) or is_repeated or any(at_s >= 1 for at_s in times_s)
    if not takes_time:
        return []
    # A pod that goes at once has no moment of its own in which it begins to terminate.
    gone = {(moment.uid, moment.at) for moment in plan.timeline if moment.event is Happening.GONE}
    shown = [
        moment
        for moment in plan.timeline
        if moment.event is not Happening.TERMINATING or (moment.uid, moment.at) not in gone
    ]
    width = max((len(time_text(moment.at)) for moment in shown), default=0)
    return [f"{time_text(moment.at):<{width}}  {moment.text}" for moment in shown]


def _unrelated(plan: Plan) -> Section:
    lines = [f"{fate.pod}: {fate.outcome}" for fate in plan.anyway]
    return Section("Without the changes, too", [Bullets(lines)])


def _chance(plan: Plan) -> Section:
    lines = [
        f"{chance.pod}: "
        + ", ".join(f"{outcome} ({times} of {plan.seeds})" for outcome, times in chance.outcomes)
        for chance in plan.chances
    ]
    if plan.seeds > 1 and not plan.chances:
        lines = [f"{plan.seeds} seeds come to the same: nothing was seen to depend on chance"]
    return Section("Chance", [Bullets(lines)])


def _optimum(plan: Plan) -> Iterable[Section]:
    if plan.optimum is None:
        return ()
    # Few plans have an optimum, and others don't wait for the import.
    from podium.whatif.optimum.optimum_presentation import optimum_sections

    return optimum_sections(plan.optimum)


def _of_pods(
    headers: Sequence[str],
    pods: Iterable[PodRow],
    rows: Sequence[Sequence[Cell]],
    merged: Collection[int] = (),
    *,
    wide: bool,
) -> Table:
    """Make a table with a row for each pod; unless `wide`, merge equal rows of a workload.

    Args:
        rows: cells of each pod, of which the first is its name.
        merged: indices of cells that may differ in merged rows, which show all of their contents.
    """
    if wide:
        return Table(headers, rows)
    groups: dict[tuple[str, ...], list[Sequence[Cell]]] = defaultdict(list)
    for pod, row in zip(pods, rows, strict=True):
        same = (str(cell) for place, cell in enumerate(row) if place and place not in merged)
        groups[pod.workload, *same] += [row]
    shown = []
    for (workload, *_), alike in groups.items():
        name, *cells = alike[0]
        if len(alike) > 1:
            text = f"{workload}: {count(len(alike), 'pod')}"
            name = Toned(text, name.tone) if isinstance(name, Toned) else text
            for place in merged:
                # Each content once, with how often it is there.
                counts = Counter(str(row[place]) for row in alike)
                several = len(counts) > 1
                texts = [f"{one} ×{n}" if several and n > 1 else one for one, n in counts.items()]
                cells[place - 1] = listed(texts, _NAMES_MAX)
        shown.append((name, *cells))
    return Table(headers, shown)


def shown_once(rows: Iterable[Sequence[Cell]], place: int) -> Iterator[Sequence[Cell]]:
    """Group rows by the text in column `place`, and keep it only in a group's first row."""
    groups: dict[str, list[Sequence[Cell]]] = defaultdict(list)
    for row in rows:
        groups[str(row[place])] += [row]
    for first, *others in groups.values():
        yield first
        for row in others:
            yield (*row[:place], "as above", *row[place + 1 :])
