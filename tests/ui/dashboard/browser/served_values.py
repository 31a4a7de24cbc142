"""A dashboard of made-up values, for what no cluster is quick to show.

Such as thousands of nodes, texts that no API lets through, a server that goes and comes back.
"""

import asyncio
import gzip
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self, cast

import msgspec

from podium.apiserver.authentication.users import READER
from podium.apiserver.http.http_server import Serving
from podium.apiserver.http.limits import Limits
from podium.apiserver.http.users import Tokens
from podium.ui.dashboard import views
from podium.ui.dashboard.dashboard_app import PREFIX, DashboardApp

TOKEN = "reader-of-values"
CLOCK_S = 1767225600.0


def node(name: str, **values: Any) -> views.Node:
    known: dict[str, Any] = {
        "zone": "zone-1",
        "pool": "general",
        "ready": True,
        "cordoned": False,
        "taints": (),
        "pressure": (),
        "allocatable": {"cpu": 4000, "memory": 16 << 30, "pods": 110},
    }
    return views.Node(name=name, **known | values)


def pod(name: str, on: str = "", **values: Any) -> views.Pod:
    known: dict[str, Any] = {
        "uid": f"uid-{name}",
        "namespace": "default",
        "node": on,
        "nominated_node": "",
        "priority": 20000,
        "priority_class": "web",
        "owner": "Deployment/web",
        "requests": {"cpu": 500, "memory": 1 << 30},
        "state": "running" if on else "pending",
        "queue": "" if on else "active",
        "message": "",
    }
    return views.Pod(name=name, **known | values)


def workload(name: str, ready: int, desired: int = 3, **values: Any) -> views.Workload:
    known: dict[str, Any] = {
        "namespace": "default",
        "kind": "Deployment",
        "pending": 0,
        "unready": 0,
        "note": "",
        "budgets": (),
    }
    return views.Workload(name=name, ready=ready, desired=desired, **known | values)


def entry(at_s: float, kind: str, about: str, text: str, of: str = "Pod") -> views.Entry:
    return views.Entry(
        at_s=at_s, type=kind, kind=of, namespace="default", name=about, by="test", text=text
    )


def disruption(number: int, of: views.Pod, **values: Any) -> views.Disruption:
    """A preemption, by default; `at_s` is after the start of the clock."""
    known: dict[str, Any] = {
        "at_s": 0.0,
        "cause": "Preempted",
        "group": "preempted",
        "clause": "is preempted",
        "message": "",
        "owner_uid": "web",
        "budgets": (),
        "preemptor": "",
    }
    known |= values
    known["at_s"] += CLOCK_S
    return views.Disruption(number=number, pod=of, **known)


def view(nodes: Sequence[views.Node], pods: Sequence[views.Pod] = (), **values: Any) -> views.View:
    known: dict[str, Any] = {
        "number": 1,
        "at_s": 0,
        "clock": "2026-01-01T00:00:00Z",
        "title": "values",
        "live": True,
        "can_plan": False,
        "can_apply": False,
        "priority_classes": [views.PriorityClass(name="web", value=20000)],
        "budgets": [
            views.Budget(namespace="a", name="b", allowed=0, healthy=2, desired=2, expected=3)
        ],
        "entries": (),
    }
    return views.View(nodes=nodes, pods=pods, **known | values)


class ServedValues:
    """A view, and the steps after it, as a `Feed` and as what answers pages; over HTTP."""

    def __init__(self, begun: views.View, steps: Sequence[views.Step] = (), text: str = "") -> None:
        self.begun, self.steps, self.text = begun, list(steps), text
        self.disrupted: list[views.Disruption] = []
        self.used = views.NodeUsage(nodes=(), cpu=(), memory=())
        self.is_over = not begun.live
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._serving: Serving | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]

    @property
    def link(self) -> str:
        return f"http://127.0.0.1:{self._port}{PREFIX}/#token={TOKEN}"

    def __enter__(self) -> Self:
        self._thread.start()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def start(self) -> None:
        """Answer at the same port as before."""

        async def start() -> Serving:
            self._news = asyncio.Event()
            self._is_closed = False
            answers = cast(Any, self)
            app = DashboardApp(cast(Any, self), answers, Tokens({TOKEN: READER}))
            return await Serving.start(app, Limits(), port=self._port, certificates=None)

        self._serving = asyncio.run_coroutine_threadsafe(start(), self._loop).result()

    def stop(self) -> None:
        """Be gone."""
        if self._serving is not None:
            asyncio.run_coroutine_threadsafe(self._serving.stop(), self._loop).result()
        self._serving = None

    def push(self, step: views.Step) -> None:
        """Something happens."""
        self._loop.call_soon_threadsafe(lambda: (self.steps.append(step), self._tell()))

    def close(self) -> None:
        self._is_closed = True
        self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def beginning(self) -> bytes:
        return gzip.compress(msgspec.json.encode(self.begun), 1)

    def after(self, number: int) -> list[bytes] | None:
        self.is_over = self._is_closed or not self.begun.live
        last = self.steps[-1].number if self.steps else self.begun.number
        if not self.begun.number <= number <= last:
            return None
        return [msgspec.json.encode(one) for one in self.steps if one.number > number]

    @contextmanager
    def looking(self) -> Iterator[None]:
        yield

    async def wait(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._news.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def pod_page(self, namespace: str, name: str) -> views.PodPage:
        text = self.text
        blocks = [{"text": text, "tone": "bad"}, {"items": [text]}]
        sections = [{"title": text, "blocks": blocks, "isDetail": True}]
        told = {"title": text, "headline": text, "sections": sections}
        history = [entry(1, "PodCreated", name, text)]
        return views.PodPage(manifest=text, history=history, explanation=told, problem=text)

    async def workload_page(self, kind: str, namespace: str, name: str) -> views.WorkloadPage:
        return views.WorkloadPage(manifest=self.text, history=[entry(1, "Scaled", name, "3", kind)])

    async def disruptions(self, number: int) -> bytes:
        """Two at a time, as the page fetches what is before."""
        return views.compressed([one for one in self.disrupted if one.number < number][-2:])

    async def usage(self) -> bytes:
        return views.compressed(self.used)

    async def node_page(self, name: str) -> views.NodePage:
        row = views.SignalRow(signal=self.text, available="1Gi", threshold="100Mi", kind="hard")
        return views.NodePage(manifest=self.text, history=(), signals=[row], usage={})
