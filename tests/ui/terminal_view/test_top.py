"""The view beside an embedded cluster, by its keys."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from random import Random

import pytest
from rich.text import Text
from textual.pilot import Pilot
from textual.widgets import Static

from podium import Cluster
from podium.cluster.client.connection import Connection, load_connection
from podium.ui.command_line.main import app as podium
from podium.ui.terminal_view.followed_cluster import followed
from podium.ui.terminal_view.row_table import RowTable
from podium.ui.terminal_view.terminal_app import Top, explained
from tests.objects import pod, priority_class

# Only a failure takes so long.
WAIT_S = 120.0


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not holds():
            await pilot.pause(0.05)


def rows(app: Top, table: str) -> list[str]:
    found = app.screen.query_one(f"#{table}", RowTable)
    return [" ".join(text for text, _ in found._cells_of(key)) for key in found.keys]


def text(app: Top, where: str) -> str:
    return str(app.screen.query_one(where, Static).visual)


async def explain(pod: str, width: int) -> str:
    return f"{pod} in {width} cells"


def look(
    cluster: Cluster, story: Callable[[Top, Pilot[None], Connection], Awaitable[None]]
) -> None:
    async def run() -> None:
        connection = await load_connection(str(cluster.kubeconfig))
        async with followed(connection, Random(0)) as (known, state):
            app = Top("test", known, state, explain, lambda: 0.0)
            async with app.run_test(size=(80, 24)) as pilot:
                await until(pilot, lambda: known.is_synced)
                await story(app, pilot, connection)

    asyncio.run(run())


def test_a_preemption_is_seen_and_explained() -> None:
    with Cluster(nodes=2, node_cpu="2", insecure_http=True) as cluster:
        cluster.apply(priority_class("high", 100))
        cluster.apply(*(pod(f"low-{number}", "1500m") for number in (1, 2)))
        # From then on they take their grace period to go.
        cluster.advance(10)

        async def story(app: Top, pilot: Pilot[None], _: Connection) -> None:
            await until(pilot, lambda: len(rows(app, "nodes")) == 2)
            assert rows(app, "nodes")[0] == "podium-1 ████▌   75%          0% 1/110 ready"
            cluster.apply(pod("high", "2", priorityClassName="high"))
            await until(pilot, lambda: any("is preempted by" in one for one in rows(app, "news")))
            await until(pilot, lambda: "nominated to podium-" in "".join(rows(app, "waiting")))
            assert "1 pending (1 backoff)" in text(app, "#summary")
            await pilot.press("tab", "enter")
            await until(pilot, lambda: "default/high in 77 cells" in text(app, "#explanation"))
            await pilot.press("escape", "shift+tab", "enter")
            assert rows(app, "pods")[0].startswith("default/low-")
            await pilot.press("escape", "slash", *"podium-2", "enter")
            assert [one[:8] for one in rows(app, "nodes")] == ["podium-2"]
            await pilot.press("s", "escape")
            assert len(rows(app, "nodes")) == 2
            assert "fullest nodes first" in text(app, "#summary")

        look(cluster, story)


def test_a_lost_connection_is_told_and_mended() -> None:
    with Cluster(nodes=2, insecure_http=True) as second, ExitStack() as stack:
        first = stack.enter_context(Cluster(nodes=1, insecure_http=True))

        async def story(app: Top, pilot: Pilot[None], connection: Connection) -> None:
            await until(pilot, lambda: len(rows(app, "nodes")) == 1)
            await asyncio.to_thread(stack.close)
            await until(pilot, lambda: "The connection is lost" in text(app, "#trouble"))
            other = await load_connection(str(second.kubeconfig))
            for name in Connection.__struct_fields__:
                setattr(connection, name, getattr(other, name))
            await until(pilot, lambda: not text(app, "#trouble"))
            await until(pilot, lambda: len(rows(app, "nodes")) == 2)

        look(first, story)


def test_explanations_come_from_the_command() -> None:
    said = asyncio.run(explained(["-f", "/nowhere", "web"], 80))
    assert Text.from_ansi(said).plain.startswith("error: /nowhere: ")


def test_no_terminal_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        podium(["top", "--kubeconfig", "/dev/null"])
    assert ended.value.code == 1
    assert "podium top needs a terminal" in capsys.readouterr().err
