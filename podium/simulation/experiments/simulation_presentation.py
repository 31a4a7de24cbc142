"""The presentation of a simulation: its outcome, failures, and time series."""

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
from podium.simulation.runner.simulation_report import ClassSummary, final_state, summarize_classes
from podium.simulation.timeline.timeline_sentences import clock, sentence, sentences, span, tone_of

if TYPE_CHECKING:
    from podium.simulation.experiments.series.series import RunSeries

_FAILURES = ("AssertionFailed", "StepFailed", "StepRefused")
_NONE = "-"
_ALWAYS: Sequence[tuple[str, Callable[[ClassSummary], str]]] = (
    ("CLASS", lambda one: one.priority_class or _NONE),
    ("PRIORITY", lambda one: str(one.priority)),
    ("PODS", lambda one: str(one.pods)),
)
_IF_ANY: Sequence[tuple[str, Callable[[ClassSummary], str]]] = (
    ("PLACED BEFORE", lambda one: str(one.placed_before or _NONE)),
    ("AT ONCE", lambda one: str(one.placed_at_once or _NONE)),
    ("WAITED", lambda one: str(one.waited or _NONE)),
    ("MEDIAN", lambda one: span(one.median_wait_seconds) if one.waited else _NONE),
    ("LONGEST", lambda one: span(one.longest_wait_seconds) if one.waited else _NONE),
    ("NEVER PLACED", lambda one: str(one.never_placed or _NONE)),
    ("PREEMPTED", lambda one: str(one.preempted or _NONE)),
    ("EVICTED", lambda one: str(one.evicted or _NONE)),
    ("LOST", lambda one: str(one.lost or _NONE)),
)


def class_table(summaries: Sequence[ClassSummary]) -> tuple[list[str], list[list[str]]]:
    """Return headings, and a row for each class, without columns in which all rows are 0."""
    columns = [(heading, [*map(text, summaries)]) for heading, text in _ALWAYS]
    optional = [(heading, [*map(text, summaries)]) for heading, text in _IF_ANY]
    columns += [column for column in optional if any(cell != _NONE for cell in column[1])]
    rows = zip(*(cells for _, cells in columns), strict=True)
    return [heading for heading, _ in columns], [[*row] for row in rows]


def _summary(simulation: Simulation) -> str:
    end = final_state(simulation)
    pods = ", ".join(f"{number} {phase.lower()}" for phase, number in end.pods.items())
    passed = [entry.type for entry in simulation.entries].count("AssertionPassed")
    text = f"After {span(simulation.ended_s)}: {pods or 'no pods'}"
    if passed or simulation.failures:
        text += f"; {count(passed, 'assertion')} passed, {simulation.failures} failed"
    return f"Interrupted. {text}." if simulation.interrupted else f"{text}."


def _troubles(simulation: Simulation) -> list[Section]:
    failed = [
        f"{clock(entry.at_s)}  {sentence(entry)}"
        for entry in simulation.entries
        if entry.type in _FAILURES and "FAILED" in sentence(entry)
    ]
    # Pods that would fit in the end, but wait for an event.
    sleeping = [
        f"pod {pod.pod} would fit on {pod.fits_on}: it is tried at {clock(pod.tried_at)}"
        for pod in final_state(simulation).pending
        if pod.tried_at is not None
    ]
    return [
        Section("What failed", [Bullets(failed)]),
        Section("Pods that no event wakes", [Bullets(sleeping)]),
    ]


def simulation_presentation(
    simulation: Simulation, series: "RunSeries | None" = None
) -> Presentation:
    """Present the outcome and failures of a simulation, and its time series if given."""
    # A story needs no pictures.
    from podium.simulation.experiments.series.plots import run_png

    drawn = run_png({"": series}) if series and find_spec("matplotlib") else b""
    headings, rows = class_table(summarize_classes(simulation.histories()))
    classes = Table([heading.capitalize() for heading in headings], rows)
    return Presentation(
        title=simulation.scenario.name,
        headline=_summary(simulation),
        sections=[
            *_troubles(simulation),
            Section("Pods by priority class", [classes]),
            Section("Over time", [Picture("Pods, nodes and waits over time", drawn)]),
            Section("Notes", [Bullets(simulation.notes)]),
        ],
    )


def printed_story(simulation: Simulation) -> Presentation:
    """Present the timeline of a simulation and a summary, for a terminal."""
    lines: list[Sequence[Cell]] = []
    before = ""
    for at_s, text in sentences(simulation.entries):
        for line in text.splitlines():
            at = clock(at_s)
            moment = Toned("" if at == before else at, Tone.STRONG)
            lines.append((moment, Toned(line, tone_of(line))))
            before = at
    headings, rows = class_table(summarize_classes(simulation.histories()))
    classes: list[Block] = [Paragraph("Pods by priority class", Tone.STRONG), Table(headings, rows)]
    sections = [
        Section("", [Table((), lines)]),
        Section("", classes if rows else []),
        *_troubles(simulation),
    ]
    return Presentation("", "", sections, footer=_summary(simulation))
