"""Controllers that start with the first object that concerns them.

A controller that starts late lists everything, as after a restart, and so acts as if it had always
run. Until then it costs no time.
"""

from collections.abc import Callable, Mapping
from functools import partial

from podium.api.nodes import NO_EXECUTE, taints_of
from podium.api.objects import Object, condition_of, entries, is_terminating
from podium.api.pods import volumes_of
from podium.api.policy.disruption_target import DISRUPTION_TARGET
from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.store import Store
from podium.apiserver.store.watch import Watch
from podium.cluster.drivers.virtual import VirtualDriver
from podium.controllers.disruption import stale_s

Predicate = Callable[[Object], bool]


def _any(obj: Object) -> bool:
    return True


def _evicts(node: Object) -> bool:
    return any(taint.get("effect") == NO_EXECUTE for taint in taints_of(node))


def _has_ephemeral_claims(pod: Object) -> bool:
    return any("ephemeral" in volume for volume in volumes_of(pod["spec"]))


def _evicts_from_devices(resource_slice: Object) -> bool:
    devices = entries(resource_slice["spec"], "devices")
    taints = (taint for device in devices for taint in entries(device, "taints"))
    return any(taint.get("effect") == NO_EXECUTE for taint in taints)


def _has_resource_claims(pod: Object) -> bool:
    return bool(pod["spec"].get("resourceClaims"))


def _is_disrupted(pod: Object) -> bool:
    # The pod is marked for disruption, but hasn't been deleted.
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
    "resource-claim-controller": {"ResourceClaim": _any, "Pod": _has_resource_claims},
    "namespace-controller": {"Namespace": is_terminating},
    "resourcequota-controller": {"ResourceQuota": _any},
    "node-lifecycle-controller": {"Node": _any},
    "taint-eviction-controller": {"Node": _evicts},
    "device-taint-eviction-controller": {"ResourceSlice": _evicts_from_devices},
    "serviceaccount-controller": {"ServiceAccount": _any},
    "clusterrole-aggregation-controller": {"ClusterRole": _any},
}
"""By controller and kind, the objects that concern it; other controllers never sleep."""

# A pod is mostly deleted right after it was marked, and only a stale mark concerns the controller.
_LATER: Mapping[tuple[str, str], Callable[[Object], float]] = {
    ("disruption-controller", "Pod"): stale_s
}
"""By controller and kind, when an object starts the controller, if it still concerns it."""


class LazyControllers:
    """Starts each controller with the first object that concerns it."""

    def __init__(self, store: Store, driver: VirtualDriver, start: Callable[[str], None]) -> None:
        self._store = store
        self._driver = driver
        self._start = start
        self._asleep: dict[str, dict[str, Predicate]] = {}
        self._watches: dict[str, Watch] = {}

    def start_or_sleep(self, name: str) -> None:
        """Start a controller now if an object concerns it, otherwise with the first such object."""
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
        asleep = self._asleep[kind]
        for event in self._watches[kind].take():
            for name, rouses in asleep.items():
                if event.type == "DELETED" or not rouses(event.obj):
                    continue
                # The controller starts once the write is over.
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
        """Start a controller, unless it has started already."""
        kinds = [kind for kind, asleep in self._asleep.items() if asleep.pop(name, None)]
        for kind in kinds:
            if not self._asleep[kind]:
                self._watches[kind].close()
        if kinds:
            self._start(name)
