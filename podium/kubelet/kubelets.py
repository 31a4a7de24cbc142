"""The state machine that runs the kubelets of one or many nodes.

A kubelet writes the status of pods and of its node when they change, deletes stopped pods, and
keeps a Lease.
"""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

import msgspec

from podium.api.objects import Object, Place, annotations, is_terminating, name, place_of, uid_of
from podium.api.pods import is_finished, node_name_of, node_names_of
from podium.kubelet.containers.device_preparation import CLAIM
from podium.kubelet.containers.pod_worker import NOT_WRITTEN, PodWorker
from podium.kubelet.kubelet import Kubelet
from podium.kubelet.kubelet_events import REPORTER
from podium.kubelet.node_status import status_patch
from podium.kubelet.pod_status import has_started
from podium.machines.effects import Create, Effect, Patch
from podium.machines.events import Change, FirstList, Outcome
from podium.machines.reconciler.reconciler import Reconciler
from podium.machines.reconciler.work_queue import Backoff, RetryRules

K = TypeVar("K", bound=Kubelet)

_WATCHED_FIELDS = ("deletionTimestamp", "deletionGracePeriodSeconds", "finalizers", "annotations")


class NodeKey(msgspec.Struct, frozen=True):
    """The reconciler's key of a node; the key of a pod is its namespace and name."""

    name: str


class LeaseKey(msgspec.Struct, frozen=True):
    """The reconciler's key of a node's Lease, if Leases are renewed."""

    name: str


class _Home(msgspec.Struct, frozen=True):
    node: str
    uid: str


class Kubelets(Reconciler, Generic[K]):
    """The kubelets of one or many nodes as one reconciler.

    Args:
        register: Node objects to create.
        writes_heartbeats: whether Leases are renewed; otherwise an annotation says so (see
            `podium.api.nodes`).
    """

    name = REPORTER
    kinds = frozenset({"Pod", "Node"})
    indexes = (("Pod", "node", node_names_of),)
    takes_lists = True
    retry_rules = RetryRules(Backoff(first_s=0.005, max_s=30.0), has_bucket=False)

    def __init__(self, register: Iterable[Object], *, writes_heartbeats: bool) -> None:
        super().__init__()
        self.kubelets: dict[str, K] = {}
        self._writes_heartbeats = writes_heartbeats
        self._homes: dict[Place, _Home] = {}
        # By node and uid, pods without workers, as nothing is to be done for them.
        self._asleep: dict[str, dict[str, Object]] = {}
        self._to_register = {name(node): node for node in register}
        for node_name in self._to_register:
            self.look_again(NodeKey(node_name), 0.0)

    @abstractmethod
    def _is_ours(self, node: Object) -> bool:
        """Return whether this state machine runs a node's kubelet."""

    @abstractmethod
    def _kubelet_of(self, node: Object, now_s: float) -> K:
        """Make the kubelet of a node."""

    def _synced_kubelet(self, kubelet: K, now_s: float) -> None:
        """Note that a kubelet has synced a pod or its node."""

    def _status(self, kubelet: K, now_s: float) -> Iterator[Effect]:
        patch = status_patch(kubelet.node, kubelet.conditions, now_s, host_ip=kubelet.host_ip)
        if patch is not None:
            yield patch

    def heeds(self, change: Change) -> bool:
        return change.kind != "Pod" or change.new is None or bool(node_name_of(change.new))

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.new or before or change.old
        if obj is None:
            return
        if change.kind == "Node":
            yield NodeKey(name(obj))
            return
        asleep = self._asleep.get(node_name_of(obj), {}) if self._asleep else {}
        if uid_of(obj) in asleep:
            kubelet = self.kubelets[node_name_of(obj)]
            self._take_up(kubelet, [asleep.pop(uid_of(obj))], kubelet.started_s)
        if node_name_of(obj) and (change.new is None or self._matters(before, obj)):
            yield place_of(obj)

    def look_at_all(self, listed: FirstList) -> None:
        if listed.kind != "Pod":
            super().look_at_all(listed)
            return
        for place, pod in listed.objects.items():
            if node_name_of(pod):
                self.look_now(place)

    def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
        if isinstance(key, NodeKey):
            return self._node(key.name, now_s)
        if isinstance(key, LeaseKey):
            kubelet = self.kubelets.get(key.name)
            # A silent kubelet just leaves its Lease as it is.
            if kubelet is None or kubelet.is_down:
                return ()
            due_s = kubelet.lease.due_s
            renewals = [*kubelet.lease.renew(kubelet.node, now_s)]
            if kubelet.lease.due_s != due_s:
                self.look_again(LeaseKey(key.name), kubelet.lease.due_s)
            return renewals
        assert isinstance(key, tuple)
        pod = self.objects.at("Pod", key)
        if pod is not None and uid_of(pod) in self._asleep.get(node_name_of(pod), ()):
            # It has no worker, so that its kubelet never knew of it.
            return ()
        return self._pod(key, now_s)

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        effect = outcome.effect
        if isinstance(key, NodeKey | LeaseKey) and isinstance(effect, Create | Patch):
            kubelet = self.kubelets.get(key.name)
            if kubelet is not None and effect.kind == "Lease":
                kubelet.lease.exists = True
        return self._read_claim(key, outcome)

    def refused(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        effect = outcome.effect
        if isinstance(key, NodeKey | LeaseKey):
            kubelet = self.kubelets.get(key.name)
            if kubelet is not None and getattr(effect, "kind", "") == "Lease":
                kubelet.lease.refused(outcome.error.reason if outcome.error else "")
        elif worker := self._worker_at(key):
            # The status may not have been written.
            worker.written = NOT_WRITTEN
        return self._read_claim(key, outcome)

    def _worker_at(self, key: Hashable) -> PodWorker | None:
        home = self._homes.get(key) if isinstance(key, tuple) else None
        kubelet = None if home is None else self.kubelets.get(home.node)
        return None if home is None or kubelet is None else kubelet.pods.get(home.uid)

    def _read_claim(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        effect = outcome.effect
        worker = self._worker_at(key)
        if worker is None or not (isinstance(effect, Patch) and effect.kind == CLAIM):
            return ()
        return worker.read_claim(effect.name, outcome, self._now_s)

    def _matters(self, before: Object | None, pod: Object) -> bool:
        if before is None or uid_of(before) != uid_of(pod):
            return True
        if before["spec"] is not pod["spec"] and before["spec"] != pod["spec"]:
            return True
        old, new = before["metadata"], pod["metadata"]
        if any(old.get(field) != new.get(field) for field in _WATCHED_FIELDS):
            return True
        kubelet = self.kubelets.get(node_name_of(pod))
        if kubelet is None:
            return is_terminating(pod)
        if is_finished(pod):
            # Another component may have said so of a pod that runs.
            return is_terminating(pod) or kubelet.counts(pod)
        return before.get("status") is not pod.get("status") and kubelet.status_differs(pod)

    def _pod(self, place: Place, now_s: float) -> Iterator[Effect]:
        pod = self.objects.get("Pod", place[1], place[0])
        home = self._homes.get(place)
        if home is not None and (pod is None or uid_of(pod) != home.uid):
            del self._homes[place]
            if home.node in self.kubelets:
                self.kubelets[home.node].gone(home.uid, now_s)
        if pod is None:
            return
        node_name = node_name_of(pod)
        kubelet = self.kubelets.get(node_name)
        if kubelet is not None:
            if home is None or place not in self._homes:
                self._homes[place] = _Home(node_name, uid_of(pod))
                asleep = self._asleep.get(node_name)
                if asleep and not kubelet.only_counts(asleep.values(), pod):
                    self.rouse(node_name)
            yield from kubelet.sync(pod, now_s)
            self._synced_kubelet(kubelet, now_s)

    def _node(self, node_name: str, now_s: float) -> Iterator[Effect]:
        node = self.objects.get("Node", node_name)
        if node is None or not self._is_ours(node):
            self._left(node_name)
            if node is None and node_name in self._to_register:
                yield Create(kind="Node", obj=self._to_register[node_name])
            return
        # A Node that is deleted doesn't come back by itself.
        self._to_register.pop(node_name, None)
        kubelet = self.kubelets.get(node_name)
        is_new = kubelet is None or uid_of(kubelet.node) != uid_of(node)
        if kubelet is None or is_new:
            self._asleep.pop(node_name, None)
            kubelet = self.kubelets[node_name] = self._kubelet_of(node, now_s)
        if annotations(kubelet.node) != annotations(node):
            self.rouse(node_name)
        was_down = kubelet.is_down
        yield from kubelet.see(node, now_s)
        if is_new:
            pods = sorted(
                self.objects.by("Pod", "node", node_name),
                key=lambda pod: str(pod["metadata"].get("creationTimestamp")),
            )
            if pods and all(map(kubelet.goes_on, pods)):
                self._asleep[node_name] = {uid_of(pod): pod for pod in pods}
                kubelet.pods.expect(self._asleep[node_name])
            else:
                self._take_up(kubelet, pods, now_s)
        elif was_down and not kubelet.is_down:
            for pod in self.objects.by("Pod", "node", node_name):
                self.revisit(pod, now_s)
        if not self._writes_heartbeats:
            started_s, is_down = kubelet.started_s, kubelet.is_down
            yield from kubelet.lease.announce(node, started_s, is_down=is_down, now_s=now_s)
        elif not kubelet.is_down:
            self.look_again(LeaseKey(node_name), now_s)
        if not kubelet.is_down:
            yield from self._status(kubelet, now_s)
        self._synced_kubelet(kubelet, now_s)

    def _left(self, node_name: str) -> None:
        self.kubelets.pop(node_name, None)
        self._asleep.pop(node_name, None)

    def rouse(self, node_name: str) -> None:
        """Make the workers of a node's pods, if the node doesn't have them yet."""
        pods = self._asleep.pop(node_name, None)
        if pods:
            kubelet = self.kubelets[node_name]
            self._take_up(kubelet, pods.values(), kubelet.started_s)

    def _take_up(self, kubelet: K, pods: Iterable[Object], now_s: float) -> None:
        for pod in pods:
            taken = kubelet.pods.get(uid_of(pod)) is not None
            if not (taken or is_finished(pod)) and has_started(pod):
                kubelet.resume(pod, now_s)
                self._homes[place_of(pod)] = _Home(name(kubelet.node), uid_of(pod))
            if not kubelet.is_settled(pod):
                self.revisit(pod, now_s)

    def revisit(self, pod: Object, at_s: float) -> None:
        self.look_again(place_of(pod), at_s)
