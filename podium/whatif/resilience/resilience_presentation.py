"""Presentations of a cluster's resilience, and of the impact of a drain or failure."""

from collections.abc import Iterator, Mapping

from podium.api.presentation import Bullets, Cell, Presentation, Section, Table, Tone, Toned
from podium.api.values.message_words import and_more, count, listed
from podium.whatif.plan.plan_report import Plan, time_text
from podium.whatif.plan.presentation.plan_presentation import budgets, disruptions
from podium.whatif.plan.presentation.plan_summary_text import summary_lines
from podium.whatif.resilience.impact import Impact, UnplacedPod
from podium.whatif.resilience.resilience_report import Outage, RankedDisturbance, Resilience

_UNPLACED_HEADERS = ("Pod", "Priority", "Was on", "Why")
_SHOWN_MAX = 50
_NAMED_MAX = 3
_PODS_MAX = 5
_CAUSES_MAX = 3
_KINDS: Mapping[str, tuple[str, str]] = {
    "NodeFailure": ("failure of nodes", "failures of nodes"),
    "ZoneFailure": ("failure of a zone", "failures of zones"),
    "Drain": ("drain", "drains"),
}
_HEADERS = (
    *("What happens", "None ready", "For", "Without a place", "Highest priority"),
    *("Lose a place", "Get another"),
    *("Give way", "Drained", "Last move"),
)


def resilience_presentation(resilience: Resilience, *, wide: bool = False) -> Presentation:
    """Present the resilience of a cluster, the worst disturbance first."""
    total = sum(resilience.tried.values())
    tried = ", ".join(count(number, *_KINDS[kind]) for kind, number in resilience.tried.items())
    outage = _outage_clause(resilience, total)
    headline = f"{outage}; {resilience.harmless} of {total} do no harm, of {tried}."
    if not total:
        headline = "The state has no nodes that could be drained or fail."
    rows: list[list[Cell]] = []
    for one in resilience.outages:
        causes = listed(one.disturbances, len(one.disturbances) if wide else _CAUSES_MAX)
        ready = str(one.ready_before)
        rows.append([Toned(one.workload, Tone.BAD), str(one.priority), ready, _span(one), causes])
    worst = resilience.ranking[: len(resilience.worst)]
    more = len(resilience.ranking) - len(worst)
    notes = [f"{more} less bad ones, with --worst."] if more and worst else []
    exposed: list[list[Cell]] = [
        [
            one.pod,
            str(one.priority),
            one.workload,
            f"{one.hit} of {one.failures}",
            Toned("none", Tone.BAD) if one.never_spared else str(one.failures - one.hit),
        ]
        for one in resilience.exposed
    ]
    blocking = [
        [budget.budget, ", ".join(budget.nodes), ", ".join(budget.pods), "; ".join(budget.reasons)]
        for budget in resilience.blocking_budgets
    ]
    sections = [
        Section(
            "Workloads without a ready pod for a while",
            [Table(["Workload", "Priority", "Ready today", "None ready for", "In the"], rows)],
        ),
        Section("Worst", [Table(_HEADERS, [*map(_row, worst)], notes)]),
        Section("Left without a place", [_witnesses(resilience, wide)]),
        Section(
            "Pods that failures hit most often",
            [Table(["Pod", "Priority", "Workload", "Hit by", "Spared by"], exposed)],
        ),
        Section(
            "Budgets that make drains impossible",
            [Table(["Budget", "Nodes", "Pods", "Why, and what helps"], blocking)],
        ),
        Section("Spare room that would do for the pods that wait", [_spare_rooms(resilience)]),
        Section("Notes", [Bullets(resilience.notes)], is_detail=True),
    ]
    return Presentation("Resilience", headline, sections)


def _outage_clause(resilience: Resilience, total: int) -> str:
    if not resilience.outages:
        without = max((one.unplaced for one in resilience.ranking), default=0)
        pods = "1 pod is" if without == 1 else f"up to {without} pods are"
        but = f", but {pods} without a place" if without else ""
        return f"No workload is without a ready pod{but}"
    worst, *others = resilience.outages
    first, *more = worst.disturbances
    text = f"{worst.workload} has no ready pod for {_span(worst)} in the {first}"
    if more:
        text += f", and for a while in {len(more)} more of {total}"
    if others:
        text += f"; the same befalls {count(len(others), 'more workload')}"
    return text


def _span(outage: Outage) -> str:
    return f"{round(outage.longest_seconds, 1):.12g} s" + ("" if outage.over else ", to the end")


def _row(one: RankedDisturbance) -> list[Cell]:
    drained = Toned("yes", Tone.GOOD) if one.drained else Toned("no", Tone.BAD)
    return [
        one.name,
        Toned(str(one.unavailable), Tone.BAD if one.unavailable else Tone.GOOD),
        f"{round(one.unavailable_seconds, 1):.12g} s" if one.unavailable else "-",
        Toned(str(one.unplaced), Tone.BAD if one.unplaced else Tone.GOOD),
        "-" if one.highest_priority is None else str(one.highest_priority),
        str(one.lost),
        str(one.moved),
        str(one.preempted),
        drained if one.disturbance.kind == "Drain" else "-",
        time_text(one.settled_at) if one.lost else "-",
    ]


def _witnesses(resilience: Resilience, wide: bool) -> Table:
    rows: list[list[Cell]] = []
    for impact in resilience.worst:
        shown = impact.unplaced if wide else impact.unplaced[:_PODS_MAX]
        for number, pod in enumerate(shown):
            rows.append(["" if number else impact.name, *_unplaced_row(pod)])
        more = and_more(len(impact.unplaced) - len(shown))
        rows += [["", text, "", "", ""] for text in more]
    return Table(("In the", *_UNPLACED_HEADERS), rows)


def _spare_rooms(resilience: Resilience) -> Table:
    rows: list[list[Cell]] = [
        [
            ", ".join(room.like),
            room.shape,
            str(room.count) if room.cures else "-",
            Toned(f"{room.cures} of {room.of}", Tone.GOOD if room.cures == room.of else Tone.BAD),
            "; ".join(room.left) or "-",
        ]
        for room in resilience.spare_rooms
    ]
    untried = "; ".join(resilience.untried_shapes)
    notes = [f"Not tried, as less common: nodes with {untried}."] if untried else []
    return Table(["Nodes such as", "With", "How many", "Cure", "But not the"], rows, notes)


def impact_presentation(impact: Impact, *, wide: bool = False) -> Presentation:
    """Present the impact of a drain or failure."""
    plan = Plan(
        disruptions=impact.disruptions,
        budgets=impact.budgets,
        failed_jobs=impact.failed_jobs,
        drains=impact.drains,
        workloads=impact.workloads,
        until_seconds=impact.until_seconds,
    )
    _, *sentences = summary_lines(plan, wide=wide)
    rows = [_unplaced_row(pod) for pod in impact.unplaced]
    undrained: list[list[Cell]] = [
        [
            drain.node,
            Toned(drain.result, Tone.BAD),
            ", ".join(blocker.budget for blocker in drain.blockers) or "-",
            ", ".join(drain.left) or "-",
            drain.why or "-",
        ]
        for drain in impact.drains
        if drain.state != "Done"
    ]
    headers = ["Node", "Drain", "Budgets", "Pods left", "Why, and what helps"]
    sections = [
        Section("Summary", [Bullets(sentences)]),
        Section("Without a place", [Table(_UNPLACED_HEADERS, rows, rows_most=_SHOWN_MAX)]),
        Section("What blocks", [Table(headers, undrained)]),
        disruptions(plan, wide=wide, by_workload=len(plan.disruptions) > _SHOWN_MAX),
        budgets(plan),
        Section("Notes", [Bullets(impact.notes)], is_detail=True),
    ]
    name = impact.name[0].upper() + impact.name[1:]
    return Presentation(name, f"{name}: {'; '.join(_clauses(impact))}.", sections)


def _unplaced_row(one: UnplacedPod) -> list[Cell]:
    return [Toned(one.pod, Tone.BAD), str(one.priority), one.node or "-", one.reason]


def _clauses(impact: Impact) -> Iterator[str]:
    down = impact.unavailable
    for workload in down[:_NAMED_MAX]:
        how_long = f"{round(workload.ready_least_for_seconds, 1):.12g} s"
        end = "" if workload.ready_after else ", to the end"
        yield f"{workload.workload} has no ready pod for {how_long}{end}"
    if len(down) > _NAMED_MAX:
        yield f"nor have {count(len(down) - _NAMED_MAX, 'more workload')} for a while"
    undrained = sum(drain.state != "Done" for drain in impact.drains)
    if undrained:
        yield f"{count(undrained, 'node')} {'is' if undrained == 1 else 'are'}n't drained"
    lost = len(impact.disruptions)
    if not lost and not impact.unplaced:
        yield "no pod loses its place"
        return
    if lost:
        yield f"{count(lost, 'pod')} {_verb(lost, 'lose')} a place"
        yield f"{impact.moved} {_verb(impact.moved, 'get')} another one"
    if impact.preempted:
        yield f"{impact.preempted} {_verb(impact.preempted, 'give')} way in turn"
    without = len(impact.unplaced)
    be = "is" if without == 1 else "are"
    if not lost:
        yield f"no pod moves, but {count(without, 'pod')} {be} without a place"
        return
    yield f"{without} {be} without one in the end"
    yield f"the last moves at {time_text(impact.settled_at)}"


def _verb(number: int, verb: str) -> str:
    return f"{verb}s" if number == 1 else verb
