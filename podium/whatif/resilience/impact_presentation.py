"""The impact of a drain or a failure as a presentation."""

from collections.abc import Iterator

from podium.api.presentation import Bullets, Cell, Presentation, Section, Table, Tone, Toned
from podium.api.values.message_words import count
from podium.whatif.plan.plan_report import Plan, time_text
from podium.whatif.plan.presentation.plan_presentation import budgets, disruptions
from podium.whatif.plan.presentation.plan_summary_text import summary_lines
from podium.whatif.resilience.impact import Impact, UnplacedPod

UNPLACED_HEADERS = ("Pod", "Priority", "Was on", "Why")
_SHOWN_MAX = 50
_NAMED_MAX = 3


def impact_presentation(impact: Impact, *, wide: bool = False) -> Presentation:
    """What a disturbance does: the answer, who is left without a place, and who goes where."""
    told = Plan(
        disruptions=impact.disruptions,
        budgets=impact.budgets,
        failed_jobs=impact.failed_jobs,
        drains=impact.drains,
        workloads=impact.workloads,
        until_s=impact.until_s,
    )
    _, *sentences = summary_lines(told, wide=wide)
    rows = [unplaced_row(one) for one in impact.unplaced]
    undrained: list[list[Cell]] = [
        [
            one.node,
            Toned(one.state.lower(), Tone.BAD),
            ", ".join(blocker.budget for blocker in one.blockers) or "-",
            ", ".join(one.left) or "-",
            one.message or "; ".join(one.reasons),
        ]
        for one in impact.drains
        if one.state != "Done"
    ]
    headers = ["Node", "Drain", "Budgets", "Pods left", "Why, and what helps"]
    sections = [
        Section("Summary", [Bullets(sentences)]),
        Section("Without a place", [Table(UNPLACED_HEADERS, rows, rows_most=_SHOWN_MAX)]),
        Section("What blocks", [Table(headers, undrained)]),
        disruptions(told, wide=wide, by_workload=len(told.disruptions) > _SHOWN_MAX),
        budgets(told),
        Section("Notes", [Bullets(impact.notes)], is_detail=True),
    ]
    name = impact.name[0].upper() + impact.name[1:]
    return Presentation(name, f"{name}: {'; '.join(_clauses(impact))}.", sections)


def unplaced_row(one: UnplacedPod) -> list[Cell]:
    """A pod without a place, and why."""
    return [Toned(one.pod, Tone.BAD), str(one.priority), one.node or "-", one.reason]


def _clauses(impact: Impact) -> Iterator[str]:
    down = impact.unavailable
    for one in down[:_NAMED_MAX]:
        how_long = f"{round(one.ready_least_for_s, 1):.12g} s"
        end = "" if one.ready_after else ", to the end"
        yield f"{one.workload} has no ready pod for {how_long}{end}"
    if len(down) > _NAMED_MAX:
        yield f"nor have {count(len(down) - _NAMED_MAX, 'more workload')} for a while"
    undrained = sum(one.state != "Done" for one in impact.drains)
    if undrained:
        yield f"{count(undrained, 'node')} {'is' if undrained == 1 else 'are'}n't drained"
    lost = len(impact.disruptions)
    if not lost and not impact.unplaced:
        yield "no pod loses its place"
        return
    yield f"{count(lost, 'pod')} {_verb(lost, 'lose')} a place"
    yield f"{impact.moved} {_verb(impact.moved, 'get')} another one"
    if impact.preempted:
        yield f"{impact.preempted} {_verb(impact.preempted, 'give')} way in turn"
    without = len(impact.unplaced)
    yield f"{without} {'is' if without == 1 else 'are'} without one in the end"
    yield f"the last moves at {time_text(impact.settled_s)}"


def _verb(number: int, verb: str) -> str:
    return f"{verb}s" if number == 1 else verb
