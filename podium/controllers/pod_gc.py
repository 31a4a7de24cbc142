"""The pod garbage collector: deletes pods that no kubelet will delete.

The rules are those of v1.36's `podgc` controller, which runs every 20 seconds. It deletes pods of
nodes that no longer exist, terminating pods that are unscheduled or on an out-of-service node, and
the oldest of too many finished pods. Unfinished pods are marked as failed first.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from podium.api.nodes import taints_of
from podium.api.objects import Object, condition_of, is_terminating, name, place_of, status_of
from podium.api.pods import is_finished, is_moved, node_name_of, node_names_of
from podium.api.policy.disruption_target import BY_POD_GC, disruption_condition, ending_of
from podium.machines.effects import Effect, deletion_of, status_patch_of
from podium.machines.events import Change
from podium.machines.reconciler.reconciler import Reconciler

PERIOD_S = 20.0
QUARANTINE_S = 40.0
FINISHED_MAX = 12_500

_OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
_NODE, _POD, _FINISHED = "node", "pod", "finished"
_ALL = ""


class PodGCController(Reconciler):
    """Deletes orphaned pods, and the oldest finished ones beyond `FINISHED_MAX`."""

    name = "pod-garbage-collector"
    kinds = frozenset({"Pod", "Node"})
    indexes = (
        ("Pod", "node", node_names_of),
        ("Pod", "finished", lambda pod: (_ALL,) if is_finished(pod) else ()),
    )
    tends = frozenset[str]()

    def __init__(self) -> None:
        super().__init__()
        self._start_s = 0.0
        self._due_s: dict[Hashable, float] = {}

    def synced(self, now_s: float) -> None:
        self._start_s = now_s

    def heeds(self, change: Change) -> bool:
        # Of a pod it matters where it is, and whether it ends.
        old, new = change.old, change.new
        if change.kind != "Pod" or new is None:
            return True
        if old is None:
            return bool(node_name_of(new)) or is_terminating(new) or is_finished(new)
        if is_terminating(old) != is_terminating(new) or is_moved(old, new):
            return True
        return old.get("status") is not new.get("status") and ending_of(old) != ending_of(new)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind == "Node":
            if change.new is None or before is None or _is_out_of_service(change.new):
                yield _NODE, name(obj)
        elif change.new is not None:
            node_name, goes = node_name_of(obj), is_terminating(obj)
            if node_name:
                node = self.objects.get("Node", node_name)
                if node is None or (goes and _is_out_of_service(node)):
                    yield _NODE, node_name
            elif goes:
                yield _POD, *place_of(obj)
            if is_finished(obj) and not (before is not None and is_finished(before)):
                yield (_FINISHED,)
        elif (_NODE, node_name_of(obj)) in self._due_s:
            yield _NODE, node_name_of(obj)

    def stirs(self, change: Change, before: Object | None) -> bool:
        # Pods that were loaded without their node stay, until it comes and goes.
        return change.kind == "Node" and super().stirs(change, before)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        assert isinstance(key, tuple)
        if key[0] == _NODE:
            node = self.objects.get("Node", key[1])
            pods = [*self.objects.by("Pod", "node", key[1])]
            message, wait_s = "PodGC: node no longer exists", QUARANTINE_S
            if node is not None:
                pods = [pod for pod in pods if is_terminating(pod) and _is_out_of_service(node)]
                message, wait_s = "", 0.0
            if not pods:
                self._due_s.pop(key, None)
            elif self._is_due(key, wait_s, now_s):
                return self._removals(key, pods, message, now_s)
            return ()
        if key[0] == _FINISHED:
            if not self._is_due(key, 0.0, now_s):
                return ()
            del self._due_s[key]
            finished = sorted(self.objects.by("Pod", "finished", _ALL), key=_by_age)
            surplus = max(len(finished) - FINISHED_MAX, 0)
            return [_removal(pod, "", now_s) for pod in finished[:surplus]]
        pod = self.objects.at("Pod", key[1:])
        if pod is None or not is_terminating(pod) or node_name_of(pod):
            self._due_s.pop(key, None)
            return ()
        return self._removals(key, [pod], "", now_s) if self._is_due(key, 0.0, now_s) else ()

    def _is_due(self, key: Hashable, wait_s: float, now_s: float) -> bool:
        # A key is first due at the next run of the collector, and after the wait.
        due_s = self._due_s.get(key)
        if due_s is None:
            rounds = -((self._start_s - now_s) // PERIOD_S)
            due_s = self._due_s[key] = self._start_s + rounds * PERIOD_S + wait_s
            if due_s > now_s:
                self.look_again(key, due_s)
        return due_s <= now_s

    def _removals(
        self, key: Hashable, pods: Sequence[Object], message: str, now_s: float
    ) -> Sequence[Effect]:
        # Pods that a finalizer keeps are deleted again at each run of the collector.
        if all(map(is_finished, pods)):
            rounds = (now_s - self._start_s) // PERIOD_S + 1
            self._due_s[key] = self._start_s + rounds * PERIOD_S
            self.look_again(key, self._due_s[key])
        return [_removal(pod, message, now_s) for pod in pods]


def _removal(pod: Object, message: str, now_s: float) -> Effect:
    if is_finished(pod):
        return deletion_of("Pod", pod, grace_period_s=0)
    status: dict[str, Any] = {"phase": "Failed"}
    if message:
        status["conditions"] = [disruption_condition(pod, BY_POD_GC, message, now_s)]
    return status_patch_of("Pod", pod, status)


def _is_out_of_service(node: Object) -> bool:
    taints = taints_of(node)
    ready = condition_of(node, "Ready") or {}
    return ready.get("status") != "True" and any(t.get("key") == _OUT_OF_SERVICE for t in taints)


def _by_age(pod: Object) -> tuple[bool, str, str]:
    # Evicted pods are first, then the oldest.
    metadata, status = pod["metadata"], status_of(pod)
    is_evicted = status.get("phase") == "Failed" and status.get("reason") == "Evicted"
    return not is_evicted, metadata.get("creationTimestamp") or "", metadata["name"]
