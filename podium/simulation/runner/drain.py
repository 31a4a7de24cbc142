"""The drain of nodes as by `kubectl drain`: a node is cordoned and its pods are evicted.

As in kubectl v1.36, all pods are evicted at the same time, an eviction that a budget refuses is
tried again after `retry_s`, any other refusal is final, and the drain is done when all evicted pods
are deleted.
"""

from collections.abc import Iterable

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    annotations,
    controller_of,
    key,
    name,
    namespace,
    spec_of,
    uid,
)
from podium.api.pods import is_finished, node_name_of, volumes_of
from podium.apiserver.attributes import Attributes
from podium.cluster.virtual import Cluster
from podium.cluster.virtual.loading.unhealthy_objects import WAY_OUT, is_silent
from podium.machines.effects import Evict
from podium.simulation.runner.eviction_advice import (
    DELETION,
    EvictionBlock,
    eviction_blocks,
    selecting_budgets,
)
from podium.simulation.scenario.drain_step import Drain
from podium.simulation.timeline.observer import Observer

POLL_S = 1.0
_TOO_MANY_REQUESTS = 429
_DAEMON_SET = (
    "DaemonSet-managed pods (--ignore-daemonsets leaves them alone, "
    "ignoreDaemonSets: true in a scenario)"
)
_BARE = (
    "pods that no controller will recreate "
    "(--force loses them, NODE:force in a plan, force: true in a scenario)"
)
_EMPTY_DIR = (
    "pods with local storage (--delete-emptydir-data deletes it, "
    "deleteEmptyDirData: true in a scenario)"
)


class Drainer:
    """The drain of a node."""

    def __init__(self, cluster: Cluster, observer: Observer, drain: Drain) -> None:
        self.drain = drain
        self.state = "running"
        """`running`, `done` or `failed`."""
        self._cluster = cluster
        self._observer = observer
        self._about = ("Node", "", drain.node)
        self._started_s = self.moved_s = cluster.driver.now_s
        """The time of the last progress, in seconds since the epoch."""
        # By uid: pods that are still to be evicted, and pods that were.
        self._asking: dict[str, Object] = {}
        self._leaving: dict[str, Object] = {}
        self._given_up: list[tuple[Object, str]] = []
        self.evicted = 0
        self.failure = ""

    def start(self) -> None:
        """Cordon the node and evict its pods; raises RefusedError if there is no such node."""
        set_unschedulable(self._cluster, self.drain.node, True)
        pods: dict[str, Object] = {}
        left_alone, objections = 0, dict[str, list[str]]()
        for pod in self._cluster.store.list("Pod").items:
            if node_name_of(pod) != self.drain.node:
                continue
            objection = self._objection(pod)
            if objection is None:
                pods[uid(pod)] = pod
            elif objection:
                objections.setdefault(objection, []).append(key(pod))
            else:
                left_alone += 1
        if objections:
            texts = [f"there are {why}: {', '.join(names)}" for why, names in objections.items()]
            self._fail("; ".join(texts))
            return
        counts = {"pods": len(pods), "leftAlone": left_alone}
        self._observer.note("DrainStarted", counts, about=self._about)
        self._asking = pods
        self._ask([*pods])
        self._wait()

    def left(self) -> list[str]:
        """Return the pods that aren't evicted yet, as `namespace/name`."""
        return [*map(key, self._stuck())]

    def _stuck(self) -> list[Object]:
        return [*self._asking.values(), *(pod for pod, _ in self._given_up)]

    def terminating(self) -> list[str]:
        """Return the evicted pods, `namespace/name`, that are still there."""
        return [key(pod) for pod in self._leaving.values() if self._is_there(pod)]

    def held_by_silence(self) -> list[str]:
        """Return the evicted pods, `namespace/name`, that stay because the node doesn't respond."""
        return self.terminating() if is_silent(self._cluster.store, self.drain.node) else []

    def blocks(self) -> list[EvictionBlock]:
        """Return the budgets that refuse evictions, and what would help."""
        return eviction_blocks(self._cluster.store, self._stuck(), self._cluster.driver.now_s)

    def _objection(self, pod: Object) -> str | None:
        """Return why a pod prevents the drain; empty if it is ignored, None if it is evicted."""
        if "kubernetes.io/config.mirror" in annotations(pod):
            return ""
        if is_finished(pod):
            return None
        owner = controller_of(pod)
        if owner is not None and owner.get("kind") == "DaemonSet":
            return "" if self.drain.ignore_daemon_sets else _DAEMON_SET
        if owner is None and not self.drain.force:
            return _BARE
        volumes = volumes_of(pod["spec"])
        if any("emptyDir" in volume for volume in volumes):
            return None if self.drain.delete_empty_dir_data else _EMPTY_DIR
        return None

    def _ask(self, uids: Iterable[str]) -> None:
        if self.state != "running":
            return
        refused = [pod for pod in uids if pod in self._asking and not self._evict(pod)]
        if refused:
            again_s = self._cluster.driver.now_s + self.drain.retry_s
            self._cluster.driver.at(again_s, lambda: self._ask(refused))

    def _evict(self, pod_uid: str) -> bool:
        pod, now_s = self._asking[pod_uid], self._cluster.driver.now_s
        about = ("Pod", namespace(pod), name(pod))
        grace_period_s = self.drain.grace_period_s
        evict = Evict(namespace=about[1], name=about[2], uid=pod_uid, grace_period_s=grace_period_s)
        try:
            request = Attributes(KINDS["Pod"], about[1], about[2], now_s)
            self._cluster.server.evict(request, evict.eviction)
        except RefusedError as refused:
            if refused.reason != "NotFound":
                is_retried = refused.code == _TOO_MANY_REQUESTS
                budgets = selecting_budgets(self._cluster.store, pod)
                details = {
                    "code": refused.code,
                    "message": refused.message,
                    "causes": [cause.message for cause in refused.causes],
                    "budgets": [name(budget) for budget in budgets],
                    **({"retryAfterSeconds": self.drain.retry_s} if is_retried else {}),
                }
                self._observer.note("EvictionRefused", details, about=about)
                if not is_retried:
                    self._given_up.append((self._asking.pop(pod_uid), refused.message))
                return not is_retried
        else:
            self.evicted += 1
            self.moved_s = now_s
            self._observer.note("EvictionGranted", {"node": self.drain.node}, about=about)
        self._leaving[pod_uid] = self._asking.pop(pod_uid)
        return True

    def _wait(self) -> None:
        if self.state != "running":
            return
        leaving = {pod_uid: pod for pod_uid, pod in self._leaving.items() if self._is_there(pod)}
        if len(leaving) < len(self._leaving):
            self.moved_s = self._cluster.driver.now_s
        self._leaving = leaving
        now_s, timeout_s = self._cluster.driver.now_s, self.drain.timeout_s
        if not self._asking and not self._leaving and self._given_up:
            self._fail("; ".join(f"{key(pod)}: {why}" for pod, why in self._given_up))
        elif not self._asking and not self._leaving:
            self.state = "done"
            took_s = round(now_s - self._started_s, 6)
            done = {"evicted": self.evicted, "seconds": took_s}
            self._observer.note("DrainFinished", done, about=self._about)
        elif timeout_s is not None and now_s >= self._started_s + timeout_s:
            self._fail(f"global timeout reached: {timeout_s:g}s")
        else:
            next_s = now_s + POLL_S
            if timeout_s is not None:
                next_s = min(next_s, self._started_s + timeout_s)
            self._cluster.driver.at(next_s, self._wait)

    def _is_there(self, pod: Object) -> bool:
        found = self._cluster.store.get("Pod", namespace(pod), name(pod))
        return found is not None and uid(found) == uid(pod)

    def _fail(self, why: str) -> None:
        self.state, self.failure = "failed", why
        remedies = [block.text for block in self.blocks()]
        ends = [WAY_OUT] if self.held_by_silence() else []
        failed = {
            "message": why,
            "pods": [*self.left(), *map(key, self._leaving.values())],
            "remedies": [*remedies, *([DELETION] if remedies else []), *ends],
        }
        self._observer.note("DrainFailed", failed, about=self._about)


def set_unschedulable(cluster: Cluster, node_name: str, is_cordoned: bool) -> None:
    """Cordon or uncordon a node; raises RefusedError if there is no such node."""
    server, now_s = cluster.server, cluster.driver.now_s
    node = server.get(KINDS["Node"], "", node_name)
    if bool(spec_of(node).get("unschedulable")) == is_cordoned:
        return
    spec = {field: value for field, value in spec_of(node).items() if field != "unschedulable"}
    if is_cordoned:
        spec["unschedulable"] = True
    server.replace(Attributes(KINDS["Node"], "", node_name, now_s), {**node, "spec": spec})
