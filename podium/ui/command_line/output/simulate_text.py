"""A simulation as a story: one line for each thing that happened, and how it ended."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from podium.api.values.message_words import count
from podium.simulation.runner.class_summary import ClassSummary
from podium.simulation.runner.scenario_runner import Progress, Simulation
from podium.simulation.runner.simulation_report import class_summaries, final_state
from podium.simulation.timeline.timeline_sentences import clock, sentence, sentences, span
from podium.ui.command_line.output.output import print_lines, print_section, story_line, working

_FAILURES = ("AssertionFailed", "StepFailed", "StepRefused")


def print_story(out: Console, simulation: Simulation) -> None:
    """Print what happened, moment by moment, and a summary."""
    told = [(clock(at_s), text) for at_s, text in sentences(simulation.entries)]
    width = max((len(at) for at, _ in told), default=0)
    before = ""
    for at, text in told:
        for line in text.splitlines():
            shown = "" if at == before else at
            out.print(story_line(shown, line, width))
            before = at
    if told:
        out.print()
    print_classes(out, class_summaries(simulation))
    print_lines(out, "WHAT FAILED", failures(simulation))
    print_lines(out, "PODS THAT NO EVENT WAKES", sleepers(simulation))
    out.print(Text(summary(simulation)))


def summary(simulation: Simulation) -> str:
    """How it ended, in a line."""
    end = final_state(simulation)
    pods = ", ".join(f"{number} {phase.lower()}" for phase, number in end.pods.items())
    verdicts = [entry.type for entry in simulation.entries]
    passed = verdicts.count("AssertionPassed")
    parts = [f"After {span(simulation.ended_s)}: {pods or 'no pods'}"]
    if passed or simulation.failures:
        parts.append(f"{count(passed, 'assertion')} passed, {simulation.failures} failed")
    text = "; ".join(parts) + "."
    return f"Interrupted. {text}" if simulation.interrupted else text


@contextmanager
def progress() -> Iterator[Progress]:
    """Shows on a terminal how far a simulation is."""
    with working("simulating") as shown:

        def tell(passed_s: float, entries: int) -> None:
            shown.tell(lambda: f"simulating: {clock(passed_s)}, {entries} things happened")

        yield tell


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


def print_classes(out: Console, summaries: Sequence[ClassSummary]) -> None:
    """Print a row a class."""
    print_section(out, "Pods by priority class", *class_table(summaries))


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
