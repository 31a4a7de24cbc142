"""A table of any length that renders only its visible lines."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import ClassVar

import msgspec
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from podium.api.values.message_words import escaped

Cell = tuple[str, str]
"""A text, and the name of its colour; empty for the usual one."""

_GAP = 1
_ALL = 10**9
_WIDTH_MIN = 6


class TableColumn(msgspec.Struct, frozen=True):
    """The title and the width of a column."""

    title: str
    width: int = 0
    """Width in terminal cells; 0 for a share of what other columns leave."""
    share: int = 1


class RowTable(ScrollView, can_focus=True):
    """A table of rows with keys; the cursor stays on its row when the order changes.

    If it `follows_first`, a cursor at the top stays there when another row becomes the first.
    """

    class Chosen(Message):
        """The user has chosen a row."""

        def __init__(self, table: "RowTable", key: str) -> None:
            super().__init__()
            self.table = table
            self.key = key

    class Moved(Message):
        """The cursor has moved, the focus has changed, or the table was resized."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Look"),
        Binding("tab", "app.focus_next", "Next table"),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", f"move({-_ALL})", "First", show=False),
        Binding("end,G", f"move({_ALL})", "Last", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--heading", "rows--cursor"}
    DEFAULT_CSS = """
    RowTable { height: 1fr; scrollbar-size: 1 1; scrollbar-background: ansi_default; }
    RowTable > .rows--heading { text-style: bold underline; }
    RowTable:focus > .rows--heading { text-style: bold underline; color: ansi_cyan; }
    RowTable > .rows--cursor { text-style: none; }
    RowTable:focus > .rows--cursor { text-style: reverse; }
    """

    def __init__(
        self,
        columns: Sequence[TableColumn],
        cells_of: Callable[[str], Sequence[Cell]],
        *,
        follows_first: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's word
    ) -> None:
        super().__init__(id=id)
        self.keys: Sequence[str] = ()
        self.cursor = 0
        self._columns = columns
        self._cells_of = cells_of
        self._follows_first = follows_first

    @property
    def chosen(self) -> str:
        """The key of the row with the cursor; empty without rows."""
        return self.keys[self.cursor] if self.keys else ""

    def show(self, keys: Sequence[str]) -> None:
        """Show the rows with these keys, in this order."""
        chosen, stays = self.chosen, self._follows_first and not self.cursor
        self.keys = keys
        if chosen and not stays and (self.cursor >= len(keys) or keys[self.cursor] != chosen):
            try:
                self.cursor = keys.index(chosen)
            except ValueError:
                self.cursor = max(0, min(self.cursor, len(keys) - 1))
            self._scroll()
        self.virtual_size = Size(0, len(keys) + 1)
        self.refresh(layout=self.styles.is_auto_height)

    def cut(self) -> str:
        """Return the full text of the chosen row's last cell if it is cut off, otherwise ""."""
        if not self.keys:
            return ""
        text = printable(self._cells_of(self.chosen)[-1][0])
        width = self._widths(self.scrollable_content_region.width)[-1]
        return text if cell_len(text) > width else ""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.keys) + 1

    def on_focus(self) -> None:
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if y == 0:
            titles = [(column.title, "") for column in self._columns]
            return self._strip(titles, self.get_component_rich_style("rows--heading"), width)
        index = round(self.scroll_offset.y) + y - 1
        if index >= len(self.keys):
            return Strip.blank(width, self.rich_style)
        cells: Sequence[Cell] = self._cells_of(self.keys[index])
        style = self.rich_style
        if index == self.cursor:
            style = self.get_component_rich_style("rows--cursor")
            if self.has_focus:
                # Colours aren't read well the other way round.
                cells = [(text, "") for text, _ in cells]
        return self._strip(cells, style, width)

    def action_choose(self) -> None:
        if self.keys:
            self.post_message(self.Chosen(self, self.chosen))

    def action_move(self, by: int) -> None:
        self.cursor = max(0, min(self.cursor + by, len(self.keys) - 1))
        self._scroll()
        self.refresh()
        self.post_message(self.Moved())

    def action_page(self, by: int) -> None:
        self.action_move(by * max(1, self._lines - 1))

    @property
    def _lines(self) -> int:
        return self.scrollable_content_region.height - 1

    def _scroll(self) -> None:
        top = round(self.scroll_offset.y)
        last = top + self._lines - 1
        to = min(self.cursor, top) if self.cursor <= last else self.cursor - self._lines + 1
        if to != top:
            self.virtual_size = Size(0, len(self.keys) + 1)
            self.scroll_to(y=to, animate=False, force=True, immediate=True)

    def _strip(self, cells: Sequence[Cell], style: Style, width: int) -> Strip:
        segments = []
        for index, (size, cell) in enumerate(zip(self._widths(width), cells, strict=True)):
            text, colour = printable(cell[0]), cell[1]
            if index == 0:
                text = shortened(text, size)
            own = style + Style.parse(colour) if colour else style
            segments.append(Segment(set_cell_size(text, size), own))
            segments.append(Segment(" " * _GAP, style))
        return Strip(segments).adjust_cell_length(width, style)

    def _widths(self, width: int) -> Sequence[int]:
        left = width - sum(column.width + _GAP for column in self._columns)
        shares = [0 if column.width else column.share for column in self._columns]
        # What is left over by rounding goes to the last.
        ends = [max(left, 0) * part // (sum(shares) or 1) for part in accumulate(shares)]
        parts = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
        return [
            column.width or max(part, _WIDTH_MIN)
            for column, part in zip(self._columns, parts, strict=True)
        ]


def shortened(name: str, width: int) -> str:
    """Shorten a long name in its middle, as similar names mostly differ at the end."""
    if cell_len(name) <= width:
        return name
    end = (width - 1) // 2
    return f"{name[: width - 1 - end]}…{name[len(name) - end :]}"


def printable(text: str) -> str:
    """Return a text in one line with its control characters escaped."""
    return escaped(" ".join(text.replace("\t", " ").splitlines()))
