"""What a cluster withstands as a presentation."""

from collections.abc import Mapping

from podium.api.presentation import Bullets, Cell, Presentation, Section, Table, Tone, Toned
from podium.api.values.message_words import and_more, count, listed
from podium.whatif.plan.plan_report import time_text
from podium.whatif.resilience.impact_presentation import UNPLACED_HEADERS, unplaced_row
from podium.whatif.resilience.resilience_report import Outage, RankedDisturbance, Resilience

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


def resilience_presentation(found: Resilience, *, wide: bool = False) -> Presentation:
    """What a cluster withstands: the worst first, with its witnesses."""
    total = sum(found.tried.values())
    tried = ", ".join(count(number, *_KINDS[kind]) for kind, number in found.tried.items())
    headline = (
        f"{_outage_clause(found, total)}; {found.harmless} of {total} do no harm, of {tried}."
    )
    rows: list[list[Cell]] = []
    for one in found.outages:
        causes = listed(one.disturbances, len(one.disturbances) if wide else _CAUSES_MAX)
        ready = str(one.ready_before)
        rows.append([Toned(one.workload, Tone.BAD), str(one.priority), ready, _span(one), causes])
    worst = found.ranking[: len(found.worst)]
    more = len(found.ranking) - len(worst)
    notes = [f"{more} less bad ones, with --worst."] if more and worst else []
    exposed: list[list[Cell]] = [
        [
            one.pod,
            str(one.priority),
            one.workload,
            f"{one.hit} of {one.failures}",
            Toned("none", Tone.BAD) if one.is_never_spared else str(one.failures - one.hit),
        ]
        for one in found.exposed
    ]
    blocking = [
        [one.budget, ", ".join(one.nodes), ", ".join(one.pods), "; ".join(one.reasons)]
        for one in found.blocking_budgets
    ]
    sections = [
        Section(
            "Workloads without a ready pod for a while",
            [Table(["Workload", "Priority", "Ready today", "None ready for", "In the"], rows)],
        ),
        Section("Worst", [Table(_HEADERS, [*map(_row, worst)], notes)]),
        Section("Left without a place", [_witnesses(found, wide)]),
        Section(
            "Pods that failures hit most often",
            [Table(["Pod", "Priority", "Workload", "Hit by", "Spared by"], exposed)],
        ),
        Section(
            "Budgets that make drains impossible",
            [Table(["Budget", "Nodes", "Pods", "Why, and what helps"], blocking)],
        ),
        Section("Spare room that would do for the pods that wait", [_spare_rooms(found)]),
        Section("Notes", [Bullets(found.notes)], is_detail=True),
    ]
    return Presentation("Resilience", headline, sections)


def _outage_clause(found: Resilience, total: int) -> str:
    if not found.outages:
        return "Each workload has a ready pod all the time"
    worst, *others = found.outages
    first, *more = worst.disturbances
    text = f"{worst.workload} has no ready pod for {_span(worst)} in the {first}"
    if more:
        text += f", and for a while in {len(more)} more of {total}"
    if others:
        text += f"; the same befalls {count(len(others), 'more workload')}"
    return text


def _span(outage: Outage) -> str:
    return f"{round(outage.longest_s, 1):.12g} s" + ("" if outage.is_over else ", to the end")


def _row(one: RankedDisturbance) -> list[Cell]:
    drained = Toned("yes", Tone.GOOD) if one.is_drained else Toned("no", Tone.BAD)
    return [
        one.name,
        Toned(str(one.unavailable), Tone.BAD if one.unavailable else Tone.GOOD),
        f"{round(one.unavailable_for_s, 1):.12g} s" if one.unavailable else "-",
        Toned(str(one.unplaced), Tone.BAD if one.unplaced else Tone.GOOD),
        "-" if one.highest_priority is None else str(one.highest_priority),
        str(one.lost),
        str(one.moved),
        str(one.preempted),
        drained if one.disturbance.kind == "Drain" else "-",
        time_text(one.settled_s) if one.lost else "-",
    ]


def _witnesses(found: Resilience, wide: bool) -> Table:
    rows: list[list[Cell]] = []
    for impact in found.worst:
        shown = impact.unplaced if wide else impact.unplaced[:_PODS_MAX]
        for number, one in enumerate(shown):
            rows.append(["" if number else impact.name, *unplaced_row(one)])
        more = and_more(len(impact.unplaced) - len(shown))
        rows += [["", text, "", "", ""] for text in more]
    return Table(("In the", *UNPLACED_HEADERS), rows)


def _spare_rooms(found: Resilience) -> Table:
    rows: list[list[Cell]] = [
        [
            ", ".join(one.like),
            one.shape,
            str(one.count) if one.cures else "-",
            Toned(f"{one.cures} of {one.of}", Tone.GOOD if one.cures == one.of else Tone.BAD),
            "; ".join(one.left) or "-",
        ]
        for one in found.spare_rooms
    ]
    untried = "; ".join(found.untried_shapes)
    notes = [f"Not tried, as less common: nodes with {untried}."] if untried else []
    return Table(["Nodes such as", "With", "How many", "Cure", "But not the"], rows, notes)
