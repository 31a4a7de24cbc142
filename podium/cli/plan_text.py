"""A plan as tables and sentences."""

from rich.console import Console
from rich.text import Text

from podium.cli import plan_tables
from podium.cli.choice_text import candidate_table, choice_sentence
from podium.cli.output import print_line, print_lines, print_section
from podium.cli.plan_summary_text import summary_lines
from podium.cli.plan_tables import PlanTable
from podium.cli.timeline_text import LINES_MAX, timeline_lines
from podium.plan.optimum_report import Optimum
from podium.plan.outcome import Plan
from podium.simulation.timeline.preemption import PreemptionOutcome

# More of them are told by -o wide only.
_VICTIMS_MAX = 5


def print_plan(out: Console, plan: Plan, *, wide: bool) -> None:
    """Print a plan.

    Args:
        out: where to.
        plan: the outcome.
        wide: also print the candidates of each preemption, with each step of the choice.
    """

    def print_table(table: PlanTable) -> None:
        print_section(out, table.title, table.headings, table.rows(wide=wide))

    print_lines(out, "SUMMARY", summary_lines(plan, wide=wide))
    print_table(plan_tables.placements(plan))
    _print_preemptions(out, plan, wide)
    print_table(plan_tables.disruptions(plan, wide=wide))
    print_table(plan_tables.budgets(plan))
    print_table(plan_tables.stale_priorities(plan, wide=wide))
    for table in plan_tables.leftovers(plan):
        print_table(table)
    if plan_tables.takes_time(plan) and (wide or len(plan.timeline) <= LINES_MAX):
        print_lines(out, "TIMELINE", timeline_lines(plan.timeline))
    anyway = (f"{fate.pod}: {fate.outcome}" for fate in plan.anyway)
    print_lines(out, "WITHOUT THE CHANGES, TOO", anyway)
    print_lines(out, "CHANCE", plan_tables.chance_lines(plan))
    print_lines(out, "NOTES", plan.notes)
    if plan.optimum is not None:
        _print_optimum(out, plan.optimum)
    if not wide and (_victims(plan) > _VICTIMS_MAX or len(plan.timeline) > LINES_MAX):
        out.print("Each preemption with its candidates, and the timeline: -o wide.")


def _print_optimum(out: Console, optimum: Optimum) -> None:
    # What few plans have, nobody else imports.
    from podium.cli.presentation_text import print_presentation
    from podium.optimum.optimum_presentation import optimum_sections
    from podium.presenting import Presentation

    print_presentation(out, Presentation("", "", [*optimum_sections(optimum)]))


def _victims(plan: Plan) -> int:
    return sum(len(preemption.taken) for preemption in plan.preemptions)


def _print_preemptions(out: Console, plan: Plan, wide: bool) -> None:
    if _victims(plan) > _VICTIMS_MAX and not wide:
        return
    table = plan_tables.victims(plan)
    print_section(out, table.title, table.headings, table.rows(wide=wide))
    for preemption in plan.preemptions:
        if wide:
            _print_candidates(out, preemption)
        print_line(out, Text(choice_sentence(preemption)))
        if wide:
            out.print()
    if plan.preemptions and not wide:
        out.print()


def _print_candidates(out: Console, preemption: PreemptionOutcome) -> None:
    title = f"CANDIDATES FOR {preemption.preemptor}"
    headings, rows = candidate_table(preemption)
    print_section(out, title, headings, rows)
