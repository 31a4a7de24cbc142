"""Screens for the pods of a node, and for the decision about a pod."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, Static

from podium.api.nodes import allocatable_of
from podium.api.priority import pod_priority
from podium.ui.terminal_view.row_table import Cell, RowTable, printable
from podium.ui.terminal_view.rows import POD_COLUMNS, node_state, pod_cells
from podium.ui.terminal_view.watched_cluster import WatchedCluster

Explain = Callable[[str, int], Awaitable[str]]
"""What `podium explain` says of a pod, `namespace/name`, in lines of a width."""

_TELL_S = 0.5


async def explained(arguments: Sequence[str], width: int) -> str:
    """Run `podium explain` in a process of its own, and return its output or its error message.

    Args:
        width: of the lines, in cells.
    """
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
    """The resources of a node, and its pods by descending priority."""

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
        """Show the current state."""
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
    """The decision about a pod; leaving the screen ends the process that explains it."""

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
        """Explain the pod again."""
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
