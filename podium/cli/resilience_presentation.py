"""What a cluster withstands as a presentation."""

from collections.abc import Mapping

from podium.advice.resilience_report import RankedDisturbance, Resilience
from podium.cli.impact_presentation import UNPLACED_HEADERS, unplaced_row
from podium.cli.output import count
from podium.cli.timeline_text import time_text
from podium.presenting import (
    Bullets,
    Cell,
    Presentation,
    Section,
    Table,
    Tone,
    Toned,
)

_PODS_MAX = 5
_KINDS: Mapping[str, tuple[str, str]] = {
    "NodeFailure": ("failure of nodes", "failures of nodes"),
    "ZoneFailure": ("failure of a zone", "failures of zones"),
    "Drain": ("drain", "drains"),
}
_HEADERS = (
    *("What happens", "Without a place", "Highest priority", "Lose a place", "Get another"),
    *("Give way", "Drained", "Last move"),
)


def resilience_presentation(found: Resilience, *, wide: bool = False) -> Presentation:
    """What a cluster withstands: the worst first, with its witnesses.

    Args:
        found: what was found out.
        wide: whether to name all pods that are left without a place, however many.
    """
    total = sum(found.tried.values())
    tried = ", ".join(count(number, *_KINDS[kind]) for kind, number in found.tried.items())
    headline = f"{found.harmless} of {total} leave every pod with a place, of {tried}."
    sections = [
        Section("Worst", [_worst(found)]),
        Section("Left without a place", [_witnesses(found, wide)]),
        Section("Pods that failures hit most often", [_exposed(found)]),
        Section("Budgets that make drains impossible", [_blocking(found)]),
        Section("Spare room that would do for the pods that wait", [_spare_rooms(found)]),
        Section("Notes", [Bullets(found.notes)], is_detail=True),
    ]
    return Presentation("Resilience", headline, sections)


def _worst(found: Resilience) -> Table:
    shown = found.ranking[: len(found.worst)]
    more = len(found.ranking) - len(shown)
    notes = [f"{more} less bad ones, with --worst."] if more and shown else []
    return Table(_HEADERS, [_row(one) for one in shown], notes)


def _row(one: RankedDisturbance) -> list[Cell]:
    return [
        one.name,
        Toned(str(one.unplaced), Tone.BAD if one.unplaced else Tone.GOOD),
        "-" if one.highest_priority is None else str(one.highest_priority),
        str(one.lost),
        str(one.moved),
        str(one.preempted),
        _drained(one),
        time_text(one.settled_s) if one.lost else "-",
    ]


def _drained(one: RankedDisturbance) -> Cell:
    if one.disturbance.kind != "Drain":
        return "-"
    return Toned("yes", Tone.GOOD) if one.is_drained else Toned("no", Tone.BAD)


def _witnesses(found: Resilience, wide: bool) -> Table:
    rows: list[list[Cell]] = []
    for impact in found.worst:
        shown = impact.unplaced if wide else impact.unplaced[:_PODS_MAX]
        for number, one in enumerate(shown):
            rows.append(["" if number else impact.name, *unplaced_row(one)])
        if more := len(impact.unplaced) - len(shown):
            rows.append(["", f"and {more} more", "", "", ""])
    return Table(("In the", *UNPLACED_HEADERS), rows)


def _exposed(found: Resilience) -> Table:
    rows: list[list[Cell]] = [
        [
            one.pod,
            str(one.priority),
            one.workload,
            f"{one.hit} of {one.failures}",
            Toned("none", Tone.BAD) if one.is_never_spared else str(one.failures - one.hit),
        ]
        for one in found.exposed
    ]
    return Table(["Pod", "Priority", "Workload", "Hit by", "Spared by"], rows)


def _blocking(found: Resilience) -> Table:
    rows = [
        [one.budget, ", ".join(one.nodes), ", ".join(one.pods), "; ".join(one.reasons)]
        for one in found.blocking_budgets
    ]
    return Table(["Budget", "Nodes", "Pods", "Why, and what helps"], rows)


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
