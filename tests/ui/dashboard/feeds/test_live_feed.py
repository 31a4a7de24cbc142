"""Steps lead to what somebody sees who comes later."""

import asyncio
import json
from typing import Any

import msgspec
import pytest

from podium.cluster.virtual import Cluster
from podium.ui.dashboard.feeds.feed import LiveFeed, event_stream
from podium.ui.dashboard.feeds.store_source import StoreSource
from podium.ui.dashboard.scene import Scene
from podium.ui.dashboard.views import Abilities
from tests.cluster.virtual.busy_cluster import BusyCluster
from tests.ui.dashboard.folding import folded, read, shown


def feed_of(cluster: Cluster) -> LiveFeed:
    return LiveFeed(StoreSource(cluster, []), Abilities("test"))


def steps_in(kept: list[bytes] | None) -> list[dict[str, Any]]:
    assert kept is not None
    return [json.loads(one) for one in kept]


@pytest.mark.parametrize("seed", range(2))
def test_steps_lead_to_what_a_later_beginning_shows(seed: int) -> None:
    async def look() -> None:
        busy = BusyCluster(seed, round_s=20.0)
        first, later = feed_of(busy.cluster), feed_of(busy.cluster)
        begun = read(await first.beginning())
        counts = {"pods": 0, "gonePods": 0, "nodes": 0, "budgets": 0, "workloads": 0, "entries": 0}
        for _ in range(3):
            busy.play(1)
            now = read(await first.beginning())
            steps = steps_in(first.after(begun["number"]))
            assert folded(begun, steps) == shown(now)
            counts = {field: sum(len(step[field]) for step in steps) for field in counts}
        assert shown(read(await later.beginning())) == shown(now)
        assert min(counts.values()) > 0, counts
        first.close()
        later.close()
        assert busy.cluster.driver.hooks == []

    asyncio.run(look())


def test_what_is_learned_of_a_disruption_is_a_step() -> None:
    lost = [msgspec.Raw(b"{}")]
    assert Scene().step(1.0, [], {}, []) is None
    step = Scene().step(1.0, [], {}, [], lost)
    assert step is not None
    assert (step.number, step.disruptions) == (1, lost)


def test_who_reads_slowly_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.ui.dashboard.feeds.feed.STEPS_BYTES_MAX", 20_000)

    async def look() -> None:
        busy = BusyCluster(0, round_s=20.0)
        feed = feed_of(busy.cluster)
        begun = read(await feed.beginning())
        stream = event_stream(feed, begun["number"])
        assert await anext(stream) == b":\n\n"
        while feed.after(begun["number"]) is not None:
            busy.play(1)
            now = read(await feed.beginning())
        assert sum(len(one) for one in feed.after(now["number"] - 1) or ()) <= 20_000
        assert feed.after(now["number"]) == []
        assert feed.after(now["number"] + 1) is None
        assert [piece async for piece in stream] == [b"event: again\ndata: {}\n\n"]
        feed.close()

    asyncio.run(look())


def test_nobody_follows_what_nobody_looks_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.ui.dashboard.feeds.feed.LINGER_S", 0.0)
    monkeypatch.setattr("podium.ui.dashboard.feeds.feed.COALESCE_S", 0.001)

    async def look() -> None:
        cluster = BusyCluster(0).cluster
        feed = feed_of(cluster)
        # Only disruptions are noted.
        assert len(cluster.driver.hooks) == 1
        with feed.looking():
            begun = read(await feed.beginning())
            assert len(cluster.driver.hooks) > 1
        while len(cluster.driver.hooks) > 1:
            await asyncio.sleep(0.001)
        assert feed.after(begun["number"]) is None
        assert shown(read(await feed.beginning())) == shown(begun)
        feed.close()

    asyncio.run(look())
