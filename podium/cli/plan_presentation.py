"""A plan as a presentation: the summary, what is affected, and then the details."""

from collections.abc import Iterable, Iterator

from podium.cli import plan_tables
from podium.cli.choice_text import choice_sentence
from podium.cli.plan_summary_text import summary_lines
from podium.cli.plan_tables import PlanTable
from podium.cli.presentation_text import toned
from podium.cli.timeline_text import timeline_lines
from podium.plan.outcome import Plan
from podium.presenting import Block, Bullets, Presentation, Section, Table

_AFFECTED = ("PENDING", "REFUSED BY THE NODE", "REJECTED BY THE API")


def plan_presentation(plan: Plan) -> Presentation:
    """What a plan comes to, in the words of the printed tables."""
    headline, *sentences = summary_lines(plan, wide=False)
    summary = Section("Summary", [Bullets(sentences)])
    sections = [summary, *_affected(plan), *_optimum(plan), *_details(plan)]
    return Presentation("Podium plan", headline, sections)


def _optimum(plan: Plan) -> Iterable[Section]:
    if plan.optimum is None:
        return ()
    # What few plans have, nobody else imports.
    from podium.optimum.presentation import optimum_sections

    return optimum_sections(plan.optimum)


def _affected(plan: Plan) -> Iterator[Section]:
    yield Section("Warnings", [Bullets(plan.warnings)])
    yield section_of(plan_tables.disruptions(plan, wide=False))
    yield section_of(plan_tables.budgets(plan))
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
