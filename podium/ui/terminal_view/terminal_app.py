"""The application of the terminal view, with tables of nodes, pending pods and news."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from podium.api.nodes import allocatable_of
from podium.api.objects import holds
from podium.api.priority import pod_priority
from podium.api.values.message_words import count
from podium.ui.terminal_view.followed_cluster import ConnectionState
from podium.ui.terminal_view.row_table import Cell, RowTable, printable
from podium.ui.terminal_view.rows import (
    NEWS_COLUMNS,
    NODE_COLUMNS,
    POD_COLUMNS,
    WAITING_COLUMNS,
    fullest,
    news_cells,
    node_cells,
    node_state,
    pod_cells,
    queue_of,
    waiting_cells,
)
from podium.ui.terminal_view.watched_cluster import News, WatchedCluster, WatchedNode

Explain = Callable[[str, int], Awaitable[str]]
"""What `podium explain` says of a pod, `namespace/name`, in lines of a width."""

_TELL_S = 0.5


async def explained(arguments: Sequence[str], width: int) -> str:
    """Run `podium explain` in a separate process; return its output or error message."""
    # Colours, but nothing that moves.
    variables = {"COLUMNS": str(width), "FORCE_COLOR": "1", "TTY_INTERACTIVE": "0"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "podium", "explain"),
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **variables},
    )
    try:
        printed, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return (printed if process.returncode == 0 else complaints).decode(errors="replace")


class NodeScreen(Screen[None]):
    """A screen with the resources of a node, and its pods by descending priority."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "app.pop_screen", "Back")]
    CSS = "#about { height: auto; padding-bottom: 1; }"

    def __init__(self, cluster: WatchedCluster, name: str) -> None:
        super().__init__()
        self._cluster = cluster
        self._called = name

    def compose(self) -> ComposeResult:
        yield Static(id="about", markup=False)
        yield RowTable(POD_COLUMNS, self._cells, id="pods")
        yield Footer()

    def on_mount(self) -> None:
        self.look()

    def look(self) -> None:
        """Update the screen to the cluster's current state."""
        node = self._cluster.node(self._called)
        pods = sorted(node.pods, key=lambda one: (-pod_priority(self._cluster.pods[one]), one))
        room = allocatable_of(node.obj or {})
        has = ", ".join(f"{resource} {amount}" for resource, amount in room.items())
        state = node_state(node.obj)[0] if node.obj else "gone"
        text = printable(f"{self._called}: {state}. It has {has or 'nothing'}.")
        self.query_one("#about", Static).update(Text(text))
        self.query_one(RowTable).show(pods)

    def _cells(self, pod: str) -> list[Cell]:
        found, node = self._cluster.pods.get(pod), self._cluster.node(self._called)
        return [*pod_cells(found, node.obj)] if found else [(pod, "")] + [("", "")] * 4


class ExplanationScreen(Screen[None]):
    """A screen that explains a pod; leaving it ends the process that computes the explanation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "Back"),
        Binding("r", "again", "Again"),
    ]

    def __init__(self, pod: str, explain: Explain) -> None:
        super().__init__()
        self._pod = pod
        self._explain = explain

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(id="explanation", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self.action_again()

    def action_again(self) -> None:
        self.run_worker(self._find_out(), exclusive=True)

    async def _find_out(self) -> None:
        shown = self.query_one("#explanation", Static)
        # The last columns are the scroll bar's.
        finding = asyncio.ensure_future(self._explain(self._pod, self.size.width - 3))
        clock = asyncio.get_running_loop().time
        began_s = clock()
        try:
            while not finding.done():
                passed_s = clock() - began_s
                pod = printable(self._pod)
                shown.update(Text(f"{pod}: reads the cluster and decides, {passed_s:.0f} s"))
                await asyncio.wait([finding], timeout=_TELL_S)
            shown.update(Text.from_ansi(finding.result()))
        finally:
            finding.cancel()


_LOOK_S = 0.5
_ORDERS: Sequence[tuple[str, Callable[[tuple[str, WatchedNode]], object]]] = (
    ("nodes by name", lambda one: one[0]),
    ("fullest nodes first", lambda one: (-fullest(one[1]), one[0])),
    ("unwell nodes first", lambda one: (node_state(one[1].obj or {})[0] == "ready", one[0])),
)


class Top(App[None]):
    """The application, which shows a watched cluster."""

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (130, "-wide")]  # noqa: RUF012 - as Textual has it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort", "Sort"),
        Binding("slash", "filter", "Filter"),
        Binding("escape", "unfilter", "All", show=False),
        Binding("q", "quit", "Quit"),
    ]
    CSS = """
    #summary { height: auto; }
    #trouble { display: none; height: auto; color: ansi_red; text-style: bold; }
    #filter { display: none; height: 1; border: none; padding: 0; }
    #filter.shown, #trouble.shown { display: block; }
    #tables { height: 2fr; layout: vertical; }
    #waiting { height: auto; max-height: 40%; }
    #detail { height: auto; max-height: 3; color: ansi_cyan; }
    .-wide #tables { layout: horizontal; }
    .-wide #nodes { width: 1fr; margin-right: 2; }
    .-wide #waiting { width: 1fr; height: 1fr; max-height: 100%; }
    """

    def __init__(
        self,
        title: str,
        cluster: WatchedCluster,
        connection: ConnectionState,
        explain: Explain,
        now_s: Callable[[], float],
    ) -> None:
        # The terminal's own colours suit it, light or dark.
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"
        self._called = printable(title)
        self._cluster = cluster
        self._connection = connection
        self._explain = explain
        self._now_s = now_s
        self._order = 0
        self._sought = ""
        self._seen: object = None
        self._news: dict[str, News] = {}
        self._by_name: dict[str, WatchedNode] = {}

    def compose(self) -> ComposeResult:
        yield Static(id="summary", markup=False)
        yield Static(id="trouble", markup=False)
        with Container(id="tables"):
            yield RowTable(
                NODE_COLUMNS, lambda key: node_cells(key, self._by_name[key]), id="nodes"
            )
            yield RowTable(WAITING_COLUMNS, self._waiting_cells, id="waiting")
        yield RowTable(
            NEWS_COLUMNS, lambda key: news_cells(self._news[key]), follows_first=True, id="news"
        )
        yield Static(id="detail", markup=False)
        yield Input(placeholder="only rows with this; Enter keeps it, Esc shows all", id="filter")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#nodes").focus()
        self._look()
        # However much happens, it is drawn twice a second.
        self.set_interval(_LOOK_S, self._look)

    def action_sort(self) -> None:
        self._order = (self._order + 1) % len(_ORDERS)
        self._draw()

    def action_filter(self) -> None:
        found = self.query_one("#filter", Input)
        found.add_class("shown")
        found.focus()

    def action_unfilter(self) -> None:
        found = self.query_one("#filter", Input)
        found.value = ""
        self._leave(found)

    def on_input_changed(self, event: Input.Changed) -> None:
        self._sought = event.value
        self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._leave(event.input)

    def on_row_table_chosen(self, event: RowTable.Chosen) -> None:
        match event.table.id:
            case "nodes":
                self.push_screen(NodeScreen(self._cluster, event.key))
            case "news" if not self._news[event.key].pod:
                self.notify("Only pods have a decision to explain.")
            case "news":
                self._tell_of(self._news[event.key].pod)
            case _:
                self._tell_of(event.key)

    def on_row_table_moved(self) -> None:
        self._tell_what_is_cut()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available on the current screen."""
        return action not in ("sort", "filter", "unfilter") or len(self.screen_stack) == 1

    def _leave(self, field: Input) -> None:
        field.remove_class("shown")
        self.query_one("#nodes").focus()

    def _tell_of(self, pod: str) -> None:
        if pod in self._cluster.pods:
            self.push_screen(ExplanationScreen(pod, self._explain))
        else:
            self.notify(printable(f"{pod} is gone."))

    def _look(self) -> None:
        state = self._cluster.version, self._connection.sentence(), int(self._now_s()) // 5
        if state != self._seen:
            self._seen = state
            self._draw()

    def _draw(self) -> None:
        cluster = self._cluster
        self._by_name = cluster.nodes
        self._news = {str(news.number): news for news in cluster.news}
        main = self.screen_stack[0]
        trouble = main.query_one("#trouble", Static)
        trouble.update(Text(printable(self._connection.sentence())))
        trouble.set_class(bool(self._connection.sentence()), "shown")
        main.query_one("#summary", Static).update(self._summary())
        nodes = [one for one in self._by_name.items() if self._sought in one[0]]
        nodes.sort(key=_ORDERS[self._order][1])  # type: ignore[arg-type]
        main.query_one("#nodes", RowTable).show([key for key, _ in nodes])
        waiting = [one for one in cluster.waiting if self._sought in one]
        waiting.sort(key=lambda one: (-pod_priority(cluster.pods[one]), one))
        main.query_one("#waiting", RowTable).show(waiting)
        main.query_one("#news", RowTable).show(
            [key for key, news in reversed(self._news.items()) if self._sought in news.text]
        )
        self._tell_what_is_cut()
        if isinstance(self.screen, NodeScreen):
            self.screen.look()

    def _tell_what_is_cut(self) -> None:
        main = self.screen_stack[0]
        table = main.focused if isinstance(main.focused, RowTable) else None
        main.query_one("#detail", Static).update(Text(table.cut() if table else ""))

    def _summary(self) -> Text:
        cluster, counts = self._cluster, self._cluster.counts
        if not cluster.is_synced:
            read = f"{count(len(self._by_name), 'node')}, {count(len(cluster.pods), 'pod')}"
            return Text(f"{self._called}: reads the cluster, {read}")
        ready = sum(holds(node.obj or {}, "Ready") for node in self._by_name.values())
        queues = [queue_of(cluster.pods[key]) for key in cluster.waiting]
        said = ", ".join(f"{queues.count(one)} {one}" for one in dict.fromkeys(queues))
        parts = [
            f"{count(len(self._by_name), 'node')}, {ready} ready",
            count(len(cluster.pods), "pod"),
            f"{len(queues)} pending" + (f" ({said})" if said else ""),
            f"{counts['bound']} bound, {counts['preempted']} preempted, "
            f"{counts['evicted']} evicted" + (f", {lost} lost" if (lost := counts["lost"]) else ""),
            *([f"only {self._sought!r}"] if self._sought else []),
            *([_ORDERS[self._order][0]] if self._order else []),
        ]
        return Text.assemble((self._called, "bold"), " · ", " · ".join(parts))

    def _waiting_cells(self, key: str) -> Sequence[Cell]:
        pod = self._cluster.pods.get(key)
        return waiting_cells(pod, self._now_s()) if pod else [(key, "")] + [("", "")] * 4
