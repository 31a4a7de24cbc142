"""Usage that a cluster's metrics.k8s.io has, or doesn't have."""

import asyncio
from typing import Any, cast

import pytest

from podium.cluster.client.http_api import CallFailedError, HttpApi
from podium.machines.events import CallError
from podium.ui.dashboard.feeds.cluster_metrics import FRESH_S, RETRY_S, ClusterMetrics
from tests.objects import Obj

NODES = "/apis/metrics.k8s.io/v1beta1/nodes"
POD = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods/web"


class Metrics:
    """Answers what is at a path, and counts what it is asked."""

    def __init__(self, **at: Any) -> None:
        self.at: dict[str, Any] = {NODES: at.get("nodes"), POD: at.get("pod")}
        self.asked: list[str] = []

    async def read(self, path: str) -> Obj:
        self.asked.append(path)
        await asyncio.sleep(0)
        if self.at.get(path) is None:
            raise CallFailedError(CallError(403, "Forbidden", "may not"))
        return cast(Obj, self.at[path])


def items(**usages: Obj) -> Obj:
    return {"items": [{"metadata": {"name": n}, "usage": one} for n, one in usages.items()]}


def in_time(metrics: Metrics, *times_s: float) -> list[Any]:
    """Return what nodes use, asked twice at each of these times."""

    async def ask() -> list[Any]:
        loop, found = asyncio.get_running_loop(), []
        reader = ClusterMetrics(cast(HttpApi, metrics))
        begin_s = loop.time()
        for at_s in times_s:
            loop.time = lambda at_s=at_s: begin_s + at_s  # type: ignore[method-assign, misc]
            found += await asyncio.gather(reader.nodes(), reader.nodes())
        return found

    return asyncio.run(ask())


def test_usage_is_read_once_while_it_is_fresh() -> None:
    metrics = Metrics(nodes=items(a={"cpu": "1500000001n", "memory": "2Ki"}))
    found = in_time(metrics, 0, FRESH_S / 2, FRESH_S + 1)
    assert found == [{"a": {"cpu": 1501, "memory": 2048}}] * 6
    assert metrics.asked == [NODES, NODES]


def test_an_api_that_is_missing_or_forbidden_is_asked_again_later() -> None:
    metrics = Metrics()
    assert in_time(metrics, 0, FRESH_S + 1, RETRY_S + 1) == [{}] * 6
    assert metrics.asked == [NODES, NODES]


@pytest.mark.parametrize("usage", [{}, {"cpu": "1"}, {"cpu": "much", "memory": "1"}, None])
def test_a_node_of_which_not_all_is_measured_is_left_out(usage: Any) -> None:
    nodes = items(a=usage, b={"cpu": "1", "memory": "1"})
    assert in_time(Metrics(nodes=nodes), 0)[0] == {"b": {"cpu": 1000, "memory": 1}}


def test_pods_are_read_one_by_one_and_their_containers_summed_up() -> None:
    containers = [{"usage": {"cpu": "100m", "memory": "1Ki"}}] * 2
    pod = {"metadata": {"namespace": "shop", "name": "web"}, "containers": containers}

    async def ask() -> Any:
        reader = ClusterMetrics(cast(HttpApi, Metrics(pod=pod)))
        return await reader.pods([("shop", "web"), ("shop", "gone")])

    assert asyncio.run(ask()) == {"shop/web": {"cpu": 200, "memory": 2048}}
