"""A simulation as a story: one line for each thing that happened, and how it ended."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from podium.cli.classes_text import print_classes
from podium.cli.output import count, working
from podium.cli.story_text import story_line
from podium.simulation.report import class_summaries, final_state
from podium.simulation.scenario_runner import Progress, Simulation
from podium.simulation.timeline_sentences import clock, sentences, span


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
    out.print(Text(_summary(simulation)))


def _summary(simulation: Simulation) -> str:
    end = final_state(simulation)
    pods = ", ".join(f"{number} {phase.lower()}" for phase, number in end["pods"].items())
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
