"""A simulation as a story: one line for each thing that happened, and how it ended."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from podium.simulation.experiments.simulation_presentation import (
    class_table,
    failures,
    sleepers,
    summary,
)
from podium.simulation.runner.scenario_runner import Progress, Simulation
from podium.simulation.runner.simulation_report import class_summaries
from podium.simulation.timeline.timeline_sentences import clock, sentences
from podium.ui.writers.console import print_lines, print_section, story_line, working


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
    print_section(out, "Pods by priority class", *class_table(class_summaries(simulation)))
    print_lines(out, "WHAT FAILED", failures(simulation))
    print_lines(out, "PODS THAT NO EVENT WAKES", sleepers(simulation))
    out.print(Text(summary(simulation)))


@contextmanager
def progress() -> Iterator[Progress]:
    """Shows on a terminal how far a simulation is."""
    with working("simulating") as shown:

        def tell(passed_s: float, entries: int) -> None:
            shown.tell(lambda: f"simulating: {clock(passed_s)}, {entries} things happened")

        yield tell
