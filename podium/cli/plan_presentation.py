"""A plan as a presentation: the summary, what is affected, and then the details."""

from collections.abc import Iterable, Iterator

from podium.cli import plan_tables
from podium.cli.choice_text import choice_sentence
from podium.cli.output import count
from podium.cli.plan_pictures import before_and_after, cascades, decisions, lanes
from podium.cli.plan_summary_text import summary_lines
from podium.cli.plan_tables import PlanTable
from podium.cli.presentation_text import toned
from podium.cli.timeline_text import time_text, timeline_lines
from podium.plan.outcome import Plan
from podium.presenting import Block, Bullets, Presentation, Section, Table

_BUDGETS_MAX = 10
_AFFECTED = ("PENDING", "REFUSED BY THE NODE", "REJECTED BY THE API")


def plan_presentation(plan: Plan) -> Presentation:
    """What a plan comes to, in the words of the printed tables."""
    headline, *sentences = summary_lines(plan, wide=False)
    summary = Section("Summary", [Bullets([*sentences, *_budget_lines(plan)])])
    pictures = [before_and_after(plan), lanes(plan), cascades(plan)]
    affected = [*_affected(plan), *_optimum(plan)]
    sections = [summary, *pictures, *affected, *decisions(plan), *_details(plan)]
    return Presentation("Podium plan", headline, sections)


def _budget_lines(plan: Plan) -> Iterator[str]:
    """What becomes of the budgets, those that are violated first."""
    touched = [one for one in plan.budgets if one.is_touched]
    for one in sorted(touched, key=lambda change: not change.violated_by)[:_BUDGETS_MAX]:
        least = f"{one.allowed_least} at worst ({time_text(one.least_at_s)})"
        allowed = f"allows {count(one.allowed_before, 'disruption')} before"
        violated = f"; losing {', '.join(one.violated_by)} violates it" if one.violated_by else ""
        yield f"Budget {one.budget} {allowed}, {least}, {one.allowed_after} in the end{violated}."


def _optimum(plan: Plan) -> Iterable[Section]:
    if plan.optimum is None:
        return ()
    # What few plans have, nobody else imports.
    from podium.optimum.optimum_presentation import optimum_sections

    return optimum_sections(plan.optimum)


def _affected(plan: Plan) -> Iterator[Section]:
    yield Section("Warnings", [Bullets(plan.warnings)])
    yield section_of(plan_tables.disruptions(plan, wide=False))
    yield section_of(plan_tables.budgets(plan))
    yield section_of(plan_tables.stale_priorities(plan))
    for table in plan_tables.leftovers(plan):
        if table.title in _AFFECTED:
            yield section_of(table)


def _details(plan: Plan) -> Iterator[Section]:
    choices = Bullets([choice_sentence(one) for one in plan.preemptions])
    yield section_of(plan_tables.victims(plan), choices, is_detail=True)
    yield section_of(plan_tables.placements(plan), is_detail=True)
    for table in plan_tables.leftovers(plan):
        if table.title not in _AFFECTED:
            yield section_of(table, is_detail=True)
    timeline = [*timeline_lines(plan.timeline)] if plan_tables.takes_time(plan) else []
    anyway = [f"{fate.pod}: {fate.outcome}" for fate in plan.anyway]
    yield Section("Without the changes, too", [Bullets(anyway)], is_detail=True)
    yield Section("Chance", [Bullets([*plan_tables.chance_lines(plan)])], is_detail=True)
    yield Section("Timeline", [Bullets(timeline)], is_detail=True)
    yield Section("Notes", [Bullets(plan.notes)], is_detail=True)


def section_of(table: PlanTable, *more: Block, is_detail: bool = False) -> Section:
    """A section with a table of a plan, unless that has no row."""
    headers = [heading.capitalize() for heading in table.headings]
    rows = [[toned(cell) for cell in row] for row in table.rows(wide=False)]
    return Section(table.title.capitalize(), [Table(headers, rows), *more], is_detail)
