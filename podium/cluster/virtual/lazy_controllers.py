"""Starts controllers only when there is an object that concerns them.

A controller that starts late finds everything listed, as after a restart, so that nothing it does
depends on when it started. Before that it costs nothing, however many pods come and go.
"""

from collections.abc import Callable, Mapping
from functools import partial

from podium.api.nodes import taints_of
from podium.api.objects import Object, condition_of, is_terminating
from podium.api.pod_specs import volumes_of
from podium.api.policy.disruption_target import DISRUPTION_TARGET
from podium.api.taints import NO_EXECUTE
from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.store import Store
from podium.apiserver.store.watch import Watch
from podium.cluster.drivers.virtual import VirtualDriver
from podium.controllers.disruption import stale_s

Predicate = Callable[[Object], bool]


def _any(obj: Object) -> bool:
    return True


def _evicts(node: Object) -> bool:
    taints = taints_of(node)
    return any(taint.get("effect") == NO_EXECUTE for taint in taints)


def _has_ephemeral_claims(pod: Object) -> bool:
    return any("ephemeral" in volume for volume in volumes_of(pod["spec"]))


def _is_disrupted(pod: Object) -> bool:
    """Whether the pod is to go, but hasn't been deleted (yet)."""
    condition = condition_of(pod, DISRUPTION_TARGET)
    return condition is not None and not is_terminating(pod)


_CLAIMS = {"PersistentVolumeClaim": _any, "PersistentVolume": _any}

STARTED_BY: Mapping[str, Mapping[str, Predicate]] = {
    "deployment-controller": {"Deployment": _any},
    "replicaset-controller": {"ReplicaSet": _any},
    "replication-controller": {"ReplicationController": _any},
    "daemonset-controller": {"DaemonSet": _any},
    "statefulset-controller": {"StatefulSet": _any},
    "job-controller": {"Job": _any},
    "ttl-after-finished-controller": {"Job": _any},
    "disruption-controller": {"PodDisruptionBudget": _any, "Pod": _is_disrupted},
    "endpointslice-controller": {"Service": _any, "EndpointSlice": _any},
    "endpoint-controller": {"Service": _any, "Endpoints": _any},
    "ephemeral-volume-controller": {"Pod": _has_ephemeral_claims},
    "persistentvolume-controller": _CLAIMS,
    "volume-provisioner": _CLAIMS,
    "pvc-protection-controller": _CLAIMS,
    "namespace-controller": {"Namespace": is_terminating},
    "resourcequota-controller": {"ResourceQuota": _any},
    "node-lifecycle-controller": {"Node": _any},
    "taint-eviction-controller": {"Node": _evicts},
    "serviceaccount-controller": {"ServiceAccount": _any},
    "clusterrole-aggregation-controller": {"ClusterRole": _any},
}
"""By kind, the objects that a controller has something to do for; those not named never sleep."""

# The part of an object by a change of which it may begin to concern somebody.
_READS: Mapping[Predicate, str] = {
    _evicts: "spec",
    _has_ephemeral_claims: "spec",
    _is_disrupted: "status",
}

# A pod is mostly deleted as soon as it says that it is to go; until then nobody acts on that.
_LATER: Mapping[tuple[str, str], Callable[[Object], float]] = {
    ("disruption-controller", "Pod"): stale_s
}
"""By controller and kind, when an object starts the controller, if it still is as it was."""


class LazyControllers:
    """Starts controllers when the first object comes that concerns them."""

    def __init__(self, store: Store, driver: VirtualDriver, start: Callable[[str], None]) -> None:
        self._store = store
        self._driver = driver
        self._start = start
        self._asleep: dict[str, dict[str, Predicate]] = {}
        self._watches: dict[str, Watch] = {}

    def start_or_sleep(self, name: str) -> None:
        """Start a controller now if anything concerns it, otherwise once something does."""
        rousing = STARTED_BY.get(name)
        if rousing is None or any(
            any(map(rouses, self._store.list(kind).items)) for kind, rouses in rousing.items()
        ):
            self._start(name)
            return
        for kind, rouses in rousing.items():
            self._asleep.setdefault(kind, {})[name] = rouses
            if kind not in self._watches:
                self._watches[kind] = self._store.watch(
                    kind, from_revision=self._store.revision, wake=partial(self._notice, kind)
                )

    def _notice(self, kind: str) -> None:
        """Look at what was written; who is concerned starts once the write is over."""
        asleep = self._asleep[kind]
        for event in self._watches[kind].take():
            if event.type == "DELETED":
                continue
            before = event.previous
            for name, rouses in asleep.items():
                part = _READS.get(rouses)
                if before is not None and part and before.get(part) is event.obj.get(part):
                    continue
                if rouses(event.obj):
                    later = _LATER.get((name, kind))
                    if later is None:
                        self._driver.at(self._driver.now_s, partial(self.rouse, name))
                    else:
                        self._driver.at(later(event.obj), partial(self._rouse_if, name, event))

    def _rouse_if(self, name: str, event: WatchEvent) -> None:
        obj = self._store.get(event.kind, event.namespace, event.name)
        if obj is not None and STARTED_BY[name][event.kind](obj):
            self.rouse(name)

    def rouse(self, name: str) -> None:
        """Start a controller, unless another object has roused it already."""
        was_asleep = False
        for kind, asleep in self._asleep.items():
            if asleep.pop(name, None) is not None:
                was_asleep = True
                if not asleep:
                    self._watches[kind].close()
        if was_asleep:
            self._start(name)
