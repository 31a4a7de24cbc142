"""What must hold in every storm, whatever goes wrong, and what must be well afterwards.

Checkers look at what is stored and called alone, not at what any machine says of itself.
"""

import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.nodes import tolerates
from podium.api.objects import Object, uid_of
from podium.api.pods import is_finished, node_name_of
from podium.api.values.times import parse_time
from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.store import Store
from podium.cluster.drivers.driver_events import Called, DriverEvent, Started
from podium.cluster.virtual import Cluster
from podium.machines.effects import Delete

_KINDS = ("Pod", "Node")


class Checker:
    """Looks on; whatever is wrong raises an AssertionError in the midst of it."""

    def __init__(self, cluster: Cluster, patience_s: float) -> None:
        self.patience_s = patience_s
        self.nodes: dict[str, Object] = {
            node["metadata"]["name"]: node for node in cluster.store.list("Node").items
        }
        self._driver = cluster.driver
        self._has_woken = False
        self._watches = [
            cluster.store.watch(kind, from_revision=cluster.store.revision, wake=self._wake)
            for kind in _KINDS
        ]
        cluster.driver.hooks.append(self.after)

    @property
    def now_s(self) -> float:
        return self._driver.now_s

    def after(self, happening: DriverEvent) -> None:
        """Something has happened."""

    def pod_changed(self, event: WatchEvent) -> None:
        """A pod was written."""

    def node_changed(self, event: WatchEvent) -> None:
        """A node was written; `nodes` says how it was before."""

    def at_rest(self) -> None:
        """All is over."""

    def _wake(self) -> None:
        if not self._has_woken:
            self._has_woken = True
            self._driver.at(self._driver.now_s, self._look)

    def _look(self) -> None:
        self._has_woken = False
        events = [event for watch in self._watches for event in watch.take()]
        for event in sorted(events, key=lambda event: event.revision):
            if event.kind == "Pod":
                self.pod_changed(event)
                continue
            self.node_changed(event)
            self.nodes.pop(event.name, None)
            if event.type != "DELETED":
                self.nodes[event.name] = event.obj


def condition(pod: Object, kind: str) -> Object:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one["type"] == kind), {})


def is_ready(pod: Object) -> bool:
    return condition(pod, "Ready").get("status") == "True"


def is_terminating(pod: Object | None) -> bool:
    return pod is not None and "deletionTimestamp" in pod["metadata"]


_DOWN = "podium.dev/down"
# SimulatedKubelets count from when they hear of it, and deletion timestamps are whole seconds.
_ROUNDING_S = 1.0


class Endings(Checker):
    """Remembers who is to go by when, and since when each node is heard of."""

    def __init__(self, cluster: Cluster, patience_s: float) -> None:
        super().__init__(cluster, patience_s)
        self._terminating: dict[str, Object] = {}
        self._up_since_s: dict[str, float] = dict.fromkeys(self.nodes, 0.0)

    def node_changed(self, event: WatchEvent) -> None:
        before = self.nodes.get(event.name)
        if _is_up(event.obj) and event.type != "DELETED":
            if before is None or not _is_up(before):
                self._up_since_s[event.name] = self.now_s
        else:
            self._up_since_s.pop(event.name, None)

    def pod_changed(self, event: WatchEvent) -> None:
        uid = uid_of(event.obj)
        if event.type == "DELETED":
            pod = self._terminating.pop(uid, None)
            if pod is not None:
                self._check(pod)
        elif is_terminating(event.obj) and _grace_s(event.obj):
            # The last write before a pod goes says 0 instead of what it was granted.
            self._terminating[uid] = event.obj

    def at_rest(self) -> None:
        for pod in self._terminating.values():
            self._check(pod)

    def _check(self, pod: Object) -> None:
        due_s = self._due_s(pod) + _ROUNDING_S + self.patience_s
        metadata = pod["metadata"]
        late_s = self.now_s - due_s
        assert late_s <= 0, f"{metadata['name']} outlives its grace by {late_s:g} s: {metadata}"

    def _due_s(self, pod: Object) -> float:
        metadata = pod["metadata"]
        by_itself_s = parse_time(metadata["deletionTimestamp"]) / 1e9
        if not node_name_of(pod):
            return by_itself_s
        up_since_s = self._up_since_s.get(node_name_of(pod), math.inf)
        return max(by_itself_s, up_since_s + _grace_s(pod))


def _grace_s(pod: Object) -> int:
    return int(pod["metadata"].get("deletionGracePeriodSeconds") or 0)


def _is_up(node: Object) -> bool:
    return (node["metadata"].get("annotations") or {}).get(_DOWN) != "true"


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


CONTROLLER = "taint-eviction-controller"

Taint = tuple[str, str]


class TaintEvictions(Checker):
    """Remembers since when each node has which taints, and since when pods are there.

    A controller that starts anew counts from then on.
    """

    def __init__(self, cluster: Cluster, patience_s: float) -> None:
        super().__init__(cluster, patience_s)
        self._since_s: dict[str, dict[Taint, float]] = {}
        # By node: when taints were taken off that may not be known of yet.
        self._past: dict[str, dict[Taint, tuple[float, float]]] = {}
        self._pods: dict[tuple[str, str], Object] = {}
        self._placed_s: dict[str, float] = {}
        self._started_s = 0.0

    def after(self, happening: DriverEvent) -> None:
        if isinstance(happening, Started) and happening.who == CONTROLLER:
            self._started_s = happening.at_s
        elif (
            isinstance(happening, Called)
            and happening.who == CONTROLLER
            and isinstance(happening.effect, Delete)
            and happening.error is None
        ):
            self._check_not_early(self._pods[happening.effect.namespace, happening.effect.name])

    def pod_changed(self, event: WatchEvent) -> None:
        place = (event.namespace, event.name)
        self._pods[place] = event.obj
        uid = uid_of(event.obj)
        if node_name_of(event.obj):
            self._placed_s.setdefault(uid, self.now_s)
        if is_terminating(event.obj) and not is_terminating(event.previous):
            self._check_not_late(event.obj)
        if event.type == "DELETED":
            del self._pods[place]
            self._placed_s.pop(uid, None)

    def node_changed(self, event: WatchEvent) -> None:
        self._check_node(event.name)
        since_s = self._since_s.setdefault(event.name, {})
        taints = () if event.type == "DELETED" else event.obj["spec"].get("taints") or ()
        now = {_identity(taint) for taint in taints if taint["effect"] == "NoExecute"}
        for gone in since_s.keys() - now:
            self._past.setdefault(event.name, {})[gone] = (since_s.pop(gone), self.now_s)
        for taint in now - since_s.keys():
            since_s[taint] = self.now_s

    def at_rest(self) -> None:
        for name in self.nodes:
            self._check_node(name)

    def _check_node(self, name: str) -> None:
        for pod in self._pods.values():
            if node_name_of(pod) == name and not is_terminating(pod):
                self._check_not_late(pod)

    def _check_not_early(self, pod: Object) -> None:
        """Some taint, at present or until lately, has been there for as long as it may."""
        known = self._since_s.get(node_name_of(pod), {}) | {
            taint: since_s
            for taint, (since_s, until_s) in self._past.get(node_name_of(pod), {}).items()
            if until_s >= self.now_s - self.patience_s
        }
        # Who starts again counts from what is stored, in whole seconds.
        due_s = min(self._ends_s(pod, known), default=math.inf) - 1.0
        assert self.now_s >= due_s, f"{pod['metadata']['name']} leaves {due_s} too soon"

    def _check_not_late(self, pod: Object) -> None:
        taints = self._since_s.get(node_name_of(pod), {})
        if not node_name_of(pod) or is_finished(pod):
            return
        # Whoever plans a deletion keeps to it, though another taint may ask for an earlier one.
        ends_s = [one for one in self._ends_s(pod, taints) if one < math.inf]
        due_s = max([self._started_s, *ends_s]) if ends_s else math.inf
        if self._started_s > min(ends_s, default=math.inf):
            due_s += self._longest_stay_s(pod, taints)
        late_s = self.now_s - due_s - self.patience_s
        assert late_s <= 0, f"{pod['metadata']['name']} stays {late_s:g} s too long"

    def _ends_s(self, pod: Object, taints: Mapping[Taint, float]) -> list[float]:
        """When each taint sends the pod away; infinite for never."""
        placed_s = self._placed_s[uid_of(pod)]
        return [max(since_s, placed_s) + _stay_s(pod, taint) for taint, since_s in taints.items()]

    def _longest_stay_s(self, pod: Object, taints: Mapping[Taint, float]) -> float:
        stays_s = [_stay_s(pod, taint) for taint in taints]
        return max((stay_s for stay_s in stays_s if stay_s < math.inf), default=0.0)


def _identity(taint: Object) -> Taint:
    return taint["key"], taint.get("value") or ""


def _stay_s(pod: Object, taint: Taint) -> float:
    """How long a pod tolerates a taint."""
    of_node = {"key": taint[0], "value": taint[1], "effect": "NoExecute"}
    tolerations = pod["spec"].get("tolerations") or ()
    first = next((one for one in tolerations if tolerates(one, of_node)), None)
    if first is None:
        return 0.0
    stay_s = first.get("tolerationSeconds")
    return math.inf if stay_s is None else float(max(stay_s, 0))


_WORKLOADS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")


def lacking(store: Store) -> list[str]:
    """What isn't well, in plain sentences."""
    pods = [pod for pod in store.list("Pod").items if not is_finished(pod)]
    return [*_lingering(store, pods), *_replicas(store, pods), *_finished_jobs(store)]


def _lingering(store: Store, pods: list[Object]) -> Iterator[str]:
    owners = {uid_of(obj) for kind in _WORKLOADS for obj in store.list(kind).items}
    for pod in pods:
        called = pod["metadata"]["name"]
        if not node_name_of(pod):
            yield f"{called} has no node"
        elif store.get("Node", "", node_name_of(pod)) is None:
            yield f"{called} is on {node_name_of(pod)}, which is gone"
        if is_terminating(pod):
            yield f"{called} is terminating"
        elif not is_ready(pod):
            yield f"{called} isn't ready"
        if _owner(pod) not in owners:
            yield f"{called} has lost its owner"


def _replicas(store: Store, pods: list[Object]) -> Iterator[str]:
    counts = Counter(_owner(pod) for pod in pods)
    for kind in ("ReplicaSet", "StatefulSet"):
        for workload in store.list(kind).items:
            yield from _compared(workload, counts[uid_of(workload)], workload["spec"]["replicas"])
    for deployment in store.list("Deployment").items:
        sets = [one for one in store.list("ReplicaSet").items if _owner(one) == uid_of(deployment)]
        count = sum(counts[uid_of(one)] for one in sets)
        yield from _compared(deployment, count, deployment["spec"]["replicas"])
        if sum(bool(counts[uid_of(one)]) for one in sets) > 1:
            yield f"{deployment['metadata']['name']} has pods of several revisions"
    for daemon_set in store.list("DaemonSet").items:
        nodes = {node["metadata"]["name"] for node in store.list("Node").items}
        of_it = Counter(node_name_of(pod) for pod in pods if _owner(pod) == uid_of(daemon_set))
        if of_it != Counter(nodes):
            yield f"{daemon_set['metadata']['name']} has pods on {dict(of_it)}"


def _compared(workload: Mapping[str, Any], count: int, wanted: int) -> Iterator[str]:
    if count != wanted:
        yield f"{workload['metadata']['name']} has {count} pods instead of {wanted}"


def _finished_jobs(store: Store) -> Iterator[str]:
    for job in store.list("Job").items:
        done = (job.get("status") or {}).get("succeeded") or 0
        if done != job["spec"]["completions"]:
            yield f"{job['metadata']['name']} has been completed {done} times"


def _owner(obj: Object) -> str:
    references = obj["metadata"].get("ownerReferences") or ()
    return next((str(one["uid"]) for one in references if one.get("controller")), "")


def look_on(cluster: Cluster, patience_s: float) -> list[Checker]:
    """Have all checkers look on from now on."""
    return [kind(cluster, patience_s) for kind in (Evictions, Endings, TaintEvictions)]
