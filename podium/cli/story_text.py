"""Lines of a story: when something happened, and what, in the colour of what it means."""

from rich.text import Text

_GAP = 2

_GOOD, _BAD, _LOST, _WAITING = "green", "bold red", "red", "yellow"
_STYLES = (
    ("PASSED", _GOOD),
    ("FAILED", _BAD),
    ("isn't drained", _BAD),
    ("remedy: ", _WAITING),
    ("is preempted", _LOST),
    ("may not be evicted", _LOST),
    ("can't be scheduled", _WAITING),
    ("is bound to", _GOOD),
)


def story_line(at: str, text: str, width: int) -> Text:
    """One line.

    Args:
        at: when, such as `t+30s`; empty for the same moment as the line before.
        text: what happened.
        width: of the first column.
    """
    style = next((style for words, style in _STYLES if words in text), "")
    return Text.assemble((at.ljust(width + _GAP), "bold cyan"), (text, style))
