"""A simulation by priority class: a table of who waited, and who was disrupted."""

from collections.abc import Callable, Sequence

from rich.console import Console

from podium.cli.output import print_section
from podium.simulation.class_summary import ClassSummary
from podium.simulation.timeline_sentences import span

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
    ("MEDIAN", lambda one: span(one.median_wait_s()) if one.waited else _NONE),
    ("LONGEST", lambda one: span(one.longest_wait_s()) if one.waited else _NONE),
    ("NEVER PLACED", lambda one: _number(one.never_placed)),
    ("PREEMPTED", lambda one: _number(one.disrupted["preempted"])),
    ("EVICTED", lambda one: _number(one.disrupted["evicted"])),
    ("LOST", lambda one: _number(one.disrupted["lost"])),
)


def print_classes(out: Console, summaries: Sequence[ClassSummary]) -> None:
    """Print a row a class; there is no column for what is so of no pod."""
    columns = [(heading, [told(one) for one in summaries]) for heading, told in _ALWAYS]
    for heading, told in _IF_ANY:
        cells = [told(one) for one in summaries]
        if any(cell != _NONE for cell in cells):
            columns.append((heading, cells))
    rows = zip(*(cells for _, cells in columns), strict=True)
    print_section(out, "Pods by priority class", [heading for heading, _ in columns], rows)


def _number(number: int) -> str:
    return str(number) if number else _NONE
