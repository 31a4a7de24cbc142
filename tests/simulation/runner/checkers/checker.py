"""What checkers have in common: they follow pods and nodes, write by write, and calls."""

from podium.api.objects import Object
from podium.apiserver.store.history import WatchEvent
from podium.cluster.drivers.driver_events import DriverEvent
from podium.cluster.virtual import Cluster

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


def uid_of(obj: Object) -> str:
    return str(obj["metadata"]["uid"])


def node_of(pod: Object) -> str:
    return pod["spec"].get("nodeName") or ""


def condition(pod: Object, kind: str) -> Object:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one["type"] == kind), {})


def is_ready(pod: Object) -> bool:
    return condition(pod, "Ready").get("status") == "True"


def is_terminating(pod: Object | None) -> bool:
    return pod is not None and "deletionTimestamp" in pod["metadata"]
