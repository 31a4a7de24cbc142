"""Pods leave nodes with NoExecute taints when they don't tolerate them any longer, no sooner."""

import math
from collections.abc import Mapping

from podium.api.taints import tolerates
from podium.apiserver.store.history import WatchEvent
from podium.cluster.drivers.driver_events import Called, DriverEvent, Started
from podium.cluster.virtual import Cluster
from podium.machines.effects import Delete
from tests.simulation.runner.checkers.checker import (
    Checker,
    Object,
    is_terminating,
    node_of,
    uid_of,
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
        if node_of(event.obj):
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
            if node_of(pod) == name and not is_terminating(pod):
                self._check_not_late(pod)

    def _check_not_early(self, pod: Object) -> None:
        """Some taint, at present or until lately, has been there for as long as it may."""
        known = self._since_s.get(node_of(pod), {}) | {
            taint: since_s
            for taint, (since_s, until_s) in self._past.get(node_of(pod), {}).items()
            if until_s >= self.now_s - self.patience_s
        }
        # Who starts again counts from what is stored, in whole seconds.
        due_s = min(self._ends_s(pod, known), default=math.inf) - 1.0
        assert self.now_s >= due_s, f"{pod['metadata']['name']} leaves {due_s} too soon"

    def _check_not_late(self, pod: Object) -> None:
        phase = (pod.get("status") or {}).get("phase")
        taints = self._since_s.get(node_of(pod), {})
        if not node_of(pod) or phase in ("Succeeded", "Failed"):
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
