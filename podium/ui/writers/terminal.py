"""Presentations, warnings and progress on a terminal, and plain values as JSON or YAML."""

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import msgspec
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.status import Status
from rich.text import Text

from podium.api.presentation import Block, Bullets, Paragraph, Presentation, Table, Tone, Toned
from podium.api.values.message_words import escaped, steers

if TYPE_CHECKING:
    from podium.simulation.experiments.executors import Done

STYLES: Mapping[Tone, str] = {
    Tone.NONE: "",
    Tone.GOOD: "green",
    Tone.BAD: "red",
    Tone.WAITING: "yellow",
    Tone.FAINT: "dim",
    Tone.STRONG: "bold",
}

_GAP = 2
_LAST_WIDTH_MIN = 20
_REFRESH_S = 0.2
_NUMBER = re.compile(r"[-+\d.,%]*")
_WORDS = re.compile(r"\S+\s*")

Cell = str | Text


class EscapingConsole(Console):
    """A console that escapes control characters of texts, but not those of its own styles."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Render an object with its texts escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escaped(segment.text))


def console(*, stderr: bool = False) -> Console:
    """Return the console for standard output or standard error; plain text off a terminal.

    Brackets and colons aren't markup. Output has colours unless NO_COLOR is set.
    """
    return EscapingConsole(
        stderr=stderr, highlight=False, soft_wrap=True, markup=False, emoji=False
    )


class Progress:
    """Shows the progress of a command a few times a second; nothing if it isn't on a terminal."""

    def __init__(self, status: Status | None) -> None:
        self._status = status
        self._due_s = 0.0

    def tell(self, say: Callable[[], str]) -> None:
        """Show the text that `say` returns, unless a text was shown just before."""
        if self._status is not None and time.monotonic() >= self._due_s:
            self.show(say())
            self._due_s = time.monotonic() + _REFRESH_S

    def show(self, text: str) -> None:
        """Show a text at once."""
        if self._status is not None:
            self._status.update(Text(text))

    @contextmanager
    def counted(self, what: str, total: int) -> "Iterator[Done]":
        """Show a progress bar with the number of finished runs inside of `with`."""
        if self._status is None:
            yield lambda _: None
            return
        # Most commands count nothing, and don't wait for it.
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._status.stop()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        shown = self._status.console
        with Bar(*columns, TimeRemainingColumn(), console=shown, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda over: bar.update(task, completed=over)


@contextmanager
def working(what: str) -> Iterator[Progress]:
    """Show on a terminal inside of `with` what a command is doing."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield Progress(None)
        return
    with err.status(Text(what)) as status:
        yield Progress(status)


def print_values(values: Any, output: str) -> None:
    """Print plain values as `json` or `yaml`."""
    if output == "yaml":
        # Tables, which most commands print, don't wait for the import.
        from podium.api.codec.yaml_text import write_yaml

        sys.stdout.write(write_yaml(values, sort_keys=False))
    else:
        print(msgspec.json.format(msgspec.json.encode(values), indent=2).decode())


def print_table(
    out: Console, headings: Sequence[str], rows: Iterable[Sequence[Cell]], *, wide: bool = False
) -> None:
    """Print a table; without `headings`, only its rows.

    Off a terminal, each row is one line, and columns are as wide as their contents. On a terminal
    that is too narrow, cells are wrapped between words, starting with the last column; words may be
    names and aren't broken. If the longest words still don't fit, columns between the first and the
    last are left out, those with numbers first, then from the right; with `wide`, lines exceed the
    terminal's width instead. If a name is long, the last column is printed on separate lines.
    """
    texts = [[*map(_shown, row)] for row in rows]
    if headings:
        texts.insert(0, [Text(heading, style="bold") for heading in headings])
    columns = [*zip(*texts, strict=True)]
    widths = [max(map(_width, column)) for column in columns]
    left_out: list[str] = []
    if out.is_terminal:
        each_word = ([word for cell in cells for word in cell.plain.split()] for cells in columns)
        words = [max(map(cell_len, cells), default=0) for cells in each_word]
        # Sentences want more room than their longest word.
        words[-1] = max(words[-1], min(widths[-1], _LAST_WIDTH_MIN))
        kept = [*range(len(widths))]
        numbers = [all(map(_NUMBER.fullmatch, map(str, cells[1:]))) for cells in columns]
        while not wide and len(kept) > 2 and _total(words[at] for at in kept) > out.width:
            least = max(kept[1:-1], key=lambda at: (numbers[at], at))
            kept.remove(least)
            left_out.append(texts[0][least].plain)
        if not wide and len(kept) == 2 and _total(words[at] for at in kept) > out.width:
            for first, last in ([line[at] for at in kept] for line in texts):
                out.print(first)
                for piece in _pieces(last, out.width - _GAP) if last.plain else ():
                    out.print(Text(" " * _GAP) + piece)
            texts = []
        texts = [[line[at] for at in kept] for line in texts]
        widths, words = [widths[at] for at in kept], [words[at] for at in kept]
        widths[-1] = max(words[-1], widths[-1] - max(0, _total(widths) - out.width))
        while _total(widths) > out.width and (
            loose := [at for at, width in enumerate(widths) if width > words[at]]
        ):
            widths[max(loose, key=widths.__getitem__)] -= 1
    for line in texts:
        cells = [_pieces(cell, width) for cell, width in zip(line, widths, strict=True)]
        for pieces in zip_longest(*cells, fillvalue=Text()):
            # The last cell isn't padded, nor anything before empty cells.
            last_at = max((index for index, cell in enumerate(pieces) if cell.plain), default=-1)
            shown = Text()
            for index, cell in enumerate(pieces[: last_at + 1]):
                shown.append_text(cell)
                if index < last_at:
                    shown.append(" " * (widths[index] - _width(cell) + _GAP))
            out.print(shown)
    if left_out and headings:
        note = f"There is no room for {', '.join(left_out)}; -o wide prints all columns."
        print_line(out, Text(note, style="dim"))


def _total(widths: Iterable[int]) -> int:
    each = [*widths]
    return sum(each) + _GAP * (len(each) - 1)


def _pieces(text: Text, width: int) -> Sequence[Text]:
    begin, ends = 0, list[int]()
    for word in _WORDS.finditer(text.plain):
        if word.start() > begin and cell_len(text.plain[begin : word.end()].rstrip()) > width:
            begin = word.start()
            ends.append(begin)
    pieces = [*text.divide(ends)]
    for piece in pieces:
        piece.rstrip()
    return pieces


def print_line(out: Console, line: Text) -> None:
    """Print a text; on a narrow terminal as several lines, which are indented after the first."""
    line = _shown(line)
    if not out.is_terminal or _width(line) <= out.width:
        out.print(line)
        return
    first, *others = _pieces(line, out.width - _GAP)
    out.print(first)
    for piece in others:
        out.print(Text(" " * _GAP) + piece)


def print_warnings(warnings: Iterable[str]) -> None:
    """Print warnings to standard error."""
    err = console(stderr=True)
    for warning in warnings:
        err.print(Text.assemble(("warning:", "yellow"), f" {warning}"))


def _shown(cell: Cell) -> Text:
    if not isinstance(cell, Text):
        return Text(escaped(cell))
    if steers(cell.plain):
        cell = cell.copy()
        cell.plain = escaped(cell.plain)
    return cell


def _width(cell: Text) -> int:
    return cell_len(cell.plain)


def print_presentation(out: Console, presentation: Presentation, *, wide: bool = False) -> None:
    """Print a presentation as tables and sentences; `wide` shows all rows and columns."""
    if presentation.headline:
        out.print(Text(presentation.headline, style="bold"))
        out.print()
    for section in presentation.filled_sections(wide=wide):
        if section.title:
            out.print(Text(_heading(section.title), style="bold cyan"))
        for block in section.blocks:
            print_block(out, block, wide=wide)
        out.print()
    if presentation.footer:
        out.print(Text(presentation.footer))


def print_block(out: Console, block: Block, *, wide: bool = False) -> None:
    """Print a block of a presentation; `wide` shows all columns of tables."""
    match block:
        case Paragraph(text, tone):
            print_line(out, Text(text, style=STYLES[tone]))
        case Bullets(items):
            for item in items:
                print_line(out, Text(item))
        case Table(headers, rows, notes, title, _):
            if title:
                out.print(Text(_heading(title), style="bold cyan"))
            # What is spelt as plugins are is a name.
            names = [one for one in headers if " " not in one and one[1:] != one[1:].lower()]
            headings = [header if header in names else header.upper() for header in headers]
            texts = [
                [
                    Text(one.text, style=STYLES[one.tone]) if isinstance(one, Toned) else one
                    for one in row
                ]
                for row in rows
            ]
            print_table(out, headings, texts, wide=wide)
            for note in notes:
                print_line(out, Text(note))


def _heading(title: str) -> str:
    return " ".join(one if "/" in one else one.upper() for one in title.split(" "))
