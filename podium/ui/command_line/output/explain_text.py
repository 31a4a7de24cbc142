"""An explanation on a terminal, with its parts apart."""

from rich.console import Console
from rich.text import Text

from podium.api.presentation import Block, Paragraph, is_filled
from podium.ui.writers.console import print_lines
from podium.ui.writers.terminal import print_block
from podium.whatif.explain.explanation import PodExplanation
from podium.whatif.explain.explanation_presentation import (
    admission_blocks,
    decision_blocks,
    decision_title,
    remedy_table,
    whose,
)


def print_explanation(out: Console, explanation: PodExplanation) -> None:
    """Print an explanation."""
    about, *place = whose(explanation)
    out.print(Text.assemble((explanation.pod, "bold"), f", {about}"))
    for line in place:
        out.print(Text(line))
    out.print()
    for block in admission_blocks(explanation):
        _print(out, block)
    total = len(explanation.decisions)
    for number, view in enumerate(explanation.decisions, 1):
        if title := decision_title(view, number, total):
            out.print(Text(title, style="bold"))
            out.print()
        for block in decision_blocks(view):
            _print(out, block)
    _print(out, Paragraph(explanation.sleep))
    _print(out, remedy_table(explanation))
    print_lines(out, "NOTES", explanation.notes)


def _print(out: Console, block: Block) -> None:
    if is_filled(block):
        print_block(out, block)
        out.print()
