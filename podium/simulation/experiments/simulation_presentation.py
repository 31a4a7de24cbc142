"""A simulation as a presentation: how it ended, what failed, and its lines over time."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from podium.api.presentation import (
    Block,
    Bullets,
    Cell,
    Paragraph,
    Picture,
    Presentation,
    Section,
    Table,
    Tone,
    Toned,
)
from podium.api.values.message_words import count
from podium.simulation.runner.scenario_runner import Simulation
from podium.simulation.runner.simulation_report import ClassSummary, class_summaries, final_state
from podium.simulation.timeline.timeline_sentences import clock, sentence, sentences, span, tone_of

if TYPE_CHECKING:
    from podium.simulation.experiments.series.series import RunSeries

_FAILURES = ("AssertionFailed", "StepFailed", "StepRefused")


def summary(simulation: Simulation) -> str:
    """Summarize a simulation in a line."""
    end = final_state(simulation)
    pods = ", ".join(f"{number} {phase.lower()}" for phase, number in end.pods.items())
    verdicts = [entry.type for entry in simulation.entries]
    passed = verdicts.count("AssertionPassed")
    parts = [f"After {span(simulation.ended_s)}: {pods or 'no pods'}"]
    if passed or simulation.failures:
        parts.append(f"{count(passed, 'assertion')} passed, {simulation.failures} failed")
    text = "; ".join(parts) + "."
    return f"Interrupted. {text}" if simulation.interrupted else text


_NONE = "-"
_ALWAYS: Sequence[tuple[str, Callable[[ClassSummary], str]]] = (
    ("CLASS", lambda one: one.priority_class or _NONE),
    ("PRIORITY", lambda one: str(one.priority)),
    ("PODS", lambda one: str(one.pods)),
)
_IF_ANY: Sequence[tuple[str, Callable[[ClassSummary], str]]] = (
    ("PLACED BEFORE", lambda one: _number(one.placed_before)),
    ("AT ONCE", lambda one: _number(one.placed_at_once)),
    ("WAITED", lambda one: _number(one.waited)),
    ("MEDIAN", lambda one: span(one.median_wait_seconds) if one.waited else _NONE),
    ("LONGEST", lambda one: span(one.longest_wait_seconds) if one.waited else _NONE),
    ("NEVER PLACED", lambda one: _number(one.never_placed)),
    ("PREEMPTED", lambda one: _number(one.preempted)),
    ("EVICTED", lambda one: _number(one.evicted)),
    ("LOST", lambda one: _number(one.lost)),
)


def class_table(summaries: Sequence[ClassSummary]) -> tuple[list[str], list[list[str]]]:
    """Headings and a row for each class, without columns that would be zero for all."""
    columns = [(heading, [told(one) for one in summaries]) for heading, told in _ALWAYS]
    for heading, told in _IF_ANY:
        cells = [told(one) for one in summaries]
        if any(cell != _NONE for cell in cells):
            columns.append((heading, cells))
    rows = zip(*(cells for _, cells in columns), strict=True)
    return [heading for heading, _ in columns], [[*row] for row in rows]


def failures(simulation: Simulation) -> list[str]:
    """What failed, and when."""
    failed = [e for e in simulation.entries if e.type in _FAILURES and "FAILED" in sentence(e)]
    return [f"{clock(e.at_s)}  {sentence(e)}" for e in failed]


def sleepers(simulation: Simulation) -> list[str]:
    """Pods that would fit in the end, but wait for an event."""
    return [
        f"pod {one.pod} would fit on {one.fits_on}: it is tried at {clock(one.tried_at_s)}"
        for one in final_state(simulation).pending
        if one.tried_at_s is not None
    ]


def _number(number: int) -> str:
    return str(number) if number else _NONE


def simulation_presentation(
    simulation: Simulation, series: "RunSeries | None" = None
) -> Presentation:
    """How a simulation ended, what failed, and its lines over time as far as they can be drawn."""
    # A story needs no pictures.
    from podium.simulation.experiments.series.plots import run_png

    drawn = run_png({"": series}) if series and find_spec("matplotlib") else b""
    headings, rows = class_table(class_summaries(simulation))
    return Presentation(
        title=simulation.scenario.name,
        headline=summary(simulation),
        sections=[
            Section("What failed", [Bullets(failures(simulation))]),
            Section("Pods that no event wakes", [Bullets(sleepers(simulation))]),
            Section(
                "Pods by priority class", [Table([one.capitalize() for one in headings], rows)]
            ),
            Section("Over time", [Picture("Pods, nodes and waits over time", drawn)]),
            Section("Notes", [Bullets(simulation.notes)]),
        ],
    )


def printed_story(simulation: Simulation) -> Presentation:
    """What happened, moment by moment, and a summary, as it is printed on a terminal."""
    lines: list[Sequence[Cell]] = []
    before = ""
    for at_s, text in sentences(simulation.entries):
        for line in text.splitlines():
            at = clock(at_s)
            lines.append(
                (Toned("" if at == before else at, Tone.STRONG), Toned(line, tone_of(line)))
            )
            before = at
    headings, rows = class_table(class_summaries(simulation))
    classes: list[Block] = [Paragraph("Pods by priority class", Tone.STRONG), Table(headings, rows)]
    sections = [
        Section("", [Table((), lines)]),
        Section("", classes if rows else []),
        Section("What failed", [Bullets(failures(simulation))]),
        Section("Pods that no event wakes", [Bullets(sleepers(simulation))]),
    ]
    return Presentation("", "", sections, footer=summary(simulation))
