"""All nodes' kubelets in one, as far as a scheduler notices them."""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from podium.api import objects as meta
from podium.api.objects import Object
from podium.api.pods import is_finished
from podium.api.resources import Amounts, pod_requests, resource_amount
from podium.api.values.quantity import nanos
from podium.api.values.times import NANOS_PER_SECOND, format_time, parse_time
from podium.machines.effects import Delete, Effect, Patch
from podium.machines.events import Change, Event, Outcome, Synced, Woken

RETRY_S = 1.0
# How long a node must be missing before its pods are given up, as the pod garbage collector waits.
QUARANTINE_S = 40.0


@dataclass(frozen=True, slots=True)
class Call:
    """The purpose of a call: about which pod."""

    uid: str


class KubeletStandIn:
    """Starts the pods that were bound, refuses those that don't fit, removes those that end.

    Pods on nodes that stay away are removed as well, as the pod garbage collector does.

    Args:
        starts_after_s: how long a pod takes to run; None leaves it pending.
        refuses: whether a pod that doesn't fit fails, such as with reason OutOfcpu.
    """

    name = "kubelet"
    kinds = frozenset({"Node", "Pod"})

    def __init__(self, *, starts_after_s: float | None = 1.0, refuses: bool = True) -> None:
        self._starts_after_s = starts_after_s
        self._refuses = refuses
        self._nodes: dict[str, Object] = {}
        self._missing_since_s: dict[str, float] = {}
        self._pods: dict[str, Object] = {}
        self._admitted_at_s: dict[str, float] = {}
        self._admitted_on: defaultdict[str, set[str]] = defaultdict(set)
        self._calling: set[str] = set()
        self._due: list[tuple[float, str]] = []
        self._now_s = 0.0
        self._synced = False

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        self._now_s = now_s
        if isinstance(event, Change):
            self._follow(event)
        elif isinstance(event, Outcome):
            self._answered(event)
        elif isinstance(event, Synced):
            self._synced = True
        elif isinstance(event, Woken):
            return self._work()
        return ()

    def next_wakeup_s(self) -> float | None:
        return self._due[0][0] if self._due and self._synced else None

    def _follow(self, change: Change) -> None:
        if change.kind == "Node":
            node = change.new if change.new is not None else change.old
            assert node is not None
            self._nodes.pop(meta.name(node), None)
            self._missing_since_s.pop(meta.name(node), None)
            if change.new is not None:
                self._nodes[meta.name(node)] = node
            for uid, pod in self._pods.items():
                if node_of(pod) == meta.name(node):
                    self._look_at(uid, self._now_s)
        elif change.new is None:
            assert change.old is not None
            self._forget(meta.uid(change.old))
        elif node_of(change.new):
            self._take_in(change.new)

    def _take_in(self, pod: Object) -> None:
        """Know a pod as it is now; answers may be ahead of the watch."""
        uid = meta.uid(pod)
        known = self._pods.get(uid)
        if known is None or version_of(known) <= version_of(pod):
            self._pods[uid] = pod
        self._look_at(uid, self._now_s)

    def _forget(self, uid: str) -> None:
        pod = self._pods.pop(uid, None)
        if pod is not None:
            self._admitted_at_s.pop(uid, None)
            self._admitted_on[node_of(pod)].discard(uid)

    def _answered(self, outcome: Outcome) -> None:
        effect, error = outcome.effect, outcome.error
        assert isinstance(effect.purpose, Call)
        uid = effect.purpose.uid
        self._calling.discard(uid)
        if error is not None and error.reason != "NotFound":
            self._look_at(uid, self._now_s + RETRY_S)
        elif error is not None or isinstance(effect, Delete):
            self._forget(uid)
        elif outcome.obj is not None:
            self._take_in(outcome.obj)

    def _look_at(self, uid: str, at_s: float) -> None:
        heapq.heappush(self._due, (at_s, uid))

    def _work(self) -> list[Effect]:
        effects = []
        while self._due and self._due[0][0] <= self._now_s:
            uid = heapq.heappop(self._due)[1]
            pod = self._pods.get(uid)
            effect = None if pod is None or uid in self._calling else self._next_step(uid, pod)
            if effect is not None:
                self._calling.add(uid)
                effects.append(effect)
        return effects

    def _next_step(self, uid: str, pod: Object) -> Effect | None:
        remove_s = self._removal_s(pod)
        if remove_s is not None:
            return self._remove_at(remove_s, uid, pod)
        if is_finished(pod):
            return None
        if uid not in self._admitted_at_s:
            reason = self._reason_to_refuse(pod) if phase_of(pod) == "Pending" else ""
            if reason and self._refuses:
                return self._patch(uid, pod, failed_status(reason))
            self._admitted_at_s[uid] = self._now_s
            self._admitted_on[node_of(pod)].add(uid)
        if phase_of(pod) == "Running" or self._starts_after_s is None:
            return None
        start_s = self._admitted_at_s[uid] + self._starts_after_s
        if start_s > self._now_s:
            self._look_at(uid, start_s)
            return None
        return self._patch(uid, pod, running_status(self._now_s))

    def _removal_s(self, pod: Object) -> float | None:
        """When a pod is to be removed; None if it isn't."""
        name = node_of(pod)
        if name not in self._nodes:
            return self._missing_since_s.setdefault(name, self._now_s) + QUARANTINE_S
        deleted_at = pod["metadata"].get("deletionTimestamp")
        return parse_time(deleted_at) / NANOS_PER_SECOND if deleted_at else None

    def _remove_at(self, remove_s: float, uid: str, pod: Object) -> Effect | None:
        if remove_s > self._now_s:
            self._look_at(uid, remove_s)
            return None
        return Delete(
            purpose=Call(uid),
            kind="Pod",
            namespace=meta.namespace(pod),
            name=meta.name(pod),
            uid=uid,
            grace_period_s=0,
        )

    def _patch(self, uid: str, pod: Object, status: Object) -> Effect:
        return Patch(
            purpose=Call(uid),
            kind="Pod",
            namespace=meta.namespace(pod),
            name=meta.name(pod),
            subresource="status",
            body={"metadata": {"uid": uid}, "status": status},
        )

    def _reason_to_refuse(self, pod: Object) -> str:
        """Why the node can't take one pod more; empty if it can."""
        name = node_of(pod)
        others = [self._pods[uid] for uid in self._admitted_on[name]]
        running = [other for other in others if not is_finished(other)]
        taken = {port for other in running for port in host_ports(other)}
        if taken & set(host_ports(pod)):
            return "NodePorts"
        lacking = overcommitted(self._nodes[name], [*running, pod])
        return f"OutOf{lacking}" if lacking else ""


def overcommitted(node: Object, pods: Sequence[Object]) -> str:
    """The first resource of which pods that aren't finished want more than a node has."""
    running = [pod for pod in pods if not is_finished(pod)]
    wanted: Amounts = {"pods": len(running) * NANOS_PER_SECOND}
    for pod in running:
        for resource, amount in pod_requests(pod).items():
            wanted[resource] = wanted.get(resource, 0) + amount
    allocatable = node["status"]["allocatable"]
    for resource, amount in wanted.items():
        room = nanos(allocatable.get(resource, "0"))
        if amount and resource_amount(resource, amount) > resource_amount(resource, room):
            return resource
    return ""


def version_of(obj: Object) -> int:
    return int(obj["metadata"]["resourceVersion"])


def node_of(pod: Object) -> str:
    return (pod.get("spec") or {}).get("nodeName") or ""


def phase_of(pod: Object) -> str:
    return (pod.get("status") or {}).get("phase") or "Pending"


def running_status(now_s: float) -> Object:
    since = format_time(int(now_s) * NANOS_PER_SECOND)
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": since}
    return {"phase": "Running", "startTime": since, "conditions": [ready]}


def failed_status(reason: str) -> Object:
    return {"phase": "Failed", "reason": reason, "message": "Pod was rejected by the kubelet"}


def host_ports(pod: Object) -> Iterator[int]:
    for container in pod["spec"]["containers"]:
        for port in container.get("ports", ()):
            if "hostPort" in port:
                yield port["hostPort"]
