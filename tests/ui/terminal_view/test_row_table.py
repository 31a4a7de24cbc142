"""Tables of any length: what is made of them, and where the cursor is."""

from textual.app import App, ComposeResult

from podium.ui.terminal_view.row_table import RowTable, TableColumn, printable, shortened


class _Shown(App[None]):
    """A table with a number in each row."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[str] = []

    def compose(self) -> ComposeResult:
        yield RowTable([TableColumn("KEY"), TableColumn("SIZE", 4)], self._cells)

    def _cells(self, key: str) -> list[tuple[str, str]]:
        self.made.append(key)
        return [(f"row {key}", ""), (str(len(key)), "red")]


async def test_only_what_is_seen_is_made_and_the_cursor_stays_on_its_row() -> None:
    app = _Shown()
    async with app.run_test(size=(40, 12)) as pilot:
        table = app.query_one(RowTable)
        keys = [f"{number:05}" for number in range(50_000)]
        table.show(keys)
        await pilot.press("end")
        assert table.chosen == "49999"
        assert len(set(app.made)) < 100
        await pilot.press("home", "down", "pagedown")
        assert table.chosen == "00011"
        table.show(keys[::-1])
        assert table.chosen == "00011"
        await pilot.pause()
        assert table.render_line(11).text.startswith("row 00011")
        table.show(["a"])
        assert table.chosen == "a"
        table.show([])
        assert table.chosen == ""
        await pilot.press("enter", "down")


def test_nothing_that_others_write_reaches_the_terminal_as_a_command() -> None:
    assert printable("a\x1b[31m\n\u202eb") == r"a\u001b[31m \u202eb"


def test_long_names_keep_their_end() -> None:
    assert shortened("default/web-7d4b9c-x2k", 11) == "defau…c-x2k"
    assert shortened("default/web", 11) == "default/web"
