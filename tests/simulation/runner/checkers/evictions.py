"""Evictions through the API never take more pods than budgets allow, as far as anybody knew."""

from collections import defaultdict, deque
from collections.abc import Mapping

from podium.apiserver.store.history import WatchEvent
from podium.cluster.virtual import Cluster
from tests.simulation.runner.checkers.checker import (
    Checker,
    condition,
    is_ready,
    is_terminating,
    uid_of,
)

# How many pods of which app the budgets of the storm want to be healthy.
LEAST: Mapping[str, int] = {"shop": 3, "db": 2}


class Evictions(Checker):
    """Remembers who was healthy when.

    Budgets follow pods with a delay, so that an eviction is right if it would have been so a
    little earlier, were it not for other evictions; those count at once.
    """

    def __init__(self, cluster: Cluster, patience_s: float) -> None:
        super().__init__(cluster, patience_s)
        self._healthy: dict[str, set[str]] = defaultdict(set)
        self._evicted: dict[str, set[str]] = defaultdict(set)
        # By app: since when who was healthy; the first entry reaches back as far as need be.
        self._views: dict[str, deque[tuple[float, frozenset[str]]]] = defaultdict(
            lambda: deque([(0.0, frozenset())])
        )

    def pod_changed(self, event: WatchEvent) -> None:
        app = (event.obj["metadata"].get("labels") or {}).get("app", "")
        if app not in LEAST:
            return
        uid = uid_of(event.obj)
        if _is_eviction(event) and uid in self._healthy[app]:
            self._check(app, uid)
        counts = event.type != "DELETED" and is_ready(event.obj) and not is_terminating(event.obj)
        if counts != (uid in self._healthy[app]):
            self._healthy[app] ^= {uid}
            self._views[app].append((self.now_s, frozenset(self._healthy[app])))

    def _check(self, app: str, uid: str) -> None:
        self._evicted[app].add(uid)
        views = self._views[app]
        while len(views) > 1 and views[1][0] < self.now_s - self.patience_s:
            views.popleft()
        most = max(len(view - self._evicted[app]) for _, view in views)
        assert most >= LEAST[app], f"{app}: {uid} is evicted, which leaves {most} healthy pods"


def _is_eviction(event: WatchEvent) -> bool:
    begins = is_terminating(event.obj) and not is_terminating(event.previous)
    return begins and condition(event.obj, "DisruptionTarget").get("reason") == (
        "EvictionByEvictionAPI"
    )
