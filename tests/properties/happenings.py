"""What happens in a cluster, one event at a time, as the scheduling queue is told of it.

Left out is what no plugin can register for, in v1.36 either: changes of namespaces, services and
controllers, and that a pod begins to terminate, which spreading doesn't count from then on. Pods
that wait for it are woken when the pod has gone. A node goes after its pods, whose going is told;
storage classes stay, and volumes that claims name; what pods on nodes use of them doesn't change.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from podium.api.volumes.claims_and_volumes import volume_name
from podium.scheduler.framework.cluster_events import (
    Action,
    ClusterEvent,
    EventHint,
    EventResource,
    claim_is_used,
)
from podium.scheduler.queue.queue_events import events_of_node_update, events_of_pod_update
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod
from tests.properties import clusters, volume_clusters
from tests.properties.clusters import Obj
from tests.properties.mirrors import placed
from tests.properties.volume_clusters import Dice, Object

NODES = tuple(f"n{index}" for index in range(7))
_NAMED_KINDS: dict[str, Callable[[Dice, str], Object]] = {
    "PersistentVolume": volume_clusters.persistent_volume,
    "StorageClass": volume_clusters.storage_class,
    "CSINode": volume_clusters.csi_node,
    "CSIStorageCapacity": volume_clusters.storage_capacity,
    "VolumeAttachment": volume_clusters.attachment,
}
_NAMES = {
    "PersistentVolume": volume_clusters.VOLUMES,
    "StorageClass": ("fast", "local", "slow", "gone"),
    "CSINode": volume_clusters.NODES,
}
# What can be changed of objects; of those of other kinds, all can.
_MUTABLE = {
    "PersistentVolume": {"metadata", "status"},
    "PersistentVolumeClaim": {"metadata", "status"},
    "StorageClass": {"allowedTopologies"},
    "CSIStorageCapacity": {"capacity", "maximumVolumeSize"},
    "VolumeAttachment": {"metadata"},
}
_MUTABLE_SPEC = {"PersistentVolume": {"claimRef"}, "PersistentVolumeClaim": {"volumeName"}}


@dataclass(frozen=True)
class Happening:
    """An event, with the object before and after it."""

    event: ClusterEvent
    old: Object | None
    new: Object | None

    def helps(self, pod: PodInfo, registered: Sequence[EventHint]) -> bool:
        """Whether one who has registered takes it for help."""
        return any(
            entry.event.matches(self.event)
            and (entry.hint is None or entry.hint(pod, self.old, self.new))
            for entry in registered
        )


class Happenings:
    """Lets things happen to a scheduler's cluster; the scheduler follows."""

    def __init__(self, scheduler: Scheduler, dice: Dice, new_pod: Callable[[str], Obj]) -> None:
        self._scheduler = scheduler
        self._dice = dice
        self._new_pod = new_pod
        self._born = 0

    def pods(self) -> Iterator[Happening]:
        """Something happens to a pod on a node."""
        yield from self._dice.one(
            *[self._pod_goes] * 3, self._pod_comes, self._pod_is_relabelled, self._pod_is_resized
        )()

    def nodes(self) -> Iterator[Happening]:
        """A node comes, changes, or goes."""
        names = list(self._scheduler.snapshot.row_of)
        name = self._dice.one(*NODES)
        if name not in names:
            yield self._set_node(clusters.node(self._dice, name))
        elif self._dice.chance(75) or len(names) == 1:
            yield from self._node_changes(name)
        else:
            yield from self._node_goes(name)

    def objects(self) -> Iterator[Happening]:
        """An object that concerns volumes comes, changes, or goes."""
        yield from self._dice.one(
            self._claim_changes, self._driver_changes, *[self._object_changes] * 3
        )()

    def _pod_comes(self) -> Iterator[Happening]:
        """To a node where it fits."""
        self._born += 1
        pod = self._scheduler.pending(self._new_pod(f"born-{self._born}"))
        node_name = self._scheduler.decide(pod).node_name
        if node_name:
            bound = self._scheduler.bind(pod, node_name)
            yield _happened(EventResource.ASSIGNED_POD, Action.ADD, None, bound.obj)

    def _pod_goes(self) -> Iterator[Happening]:
        here = placed(self._scheduler)
        if here:
            yield self._remove(self._dice.one(*here))

    def _remove(self, pod: PodInfo) -> Happening:
        self._scheduler.snapshot.remove_pod(pod)
        return _happened(EventResource.ASSIGNED_POD, Action.DELETE, pod.obj, None)

    def _pod_is_relabelled(self) -> Iterator[Happening]:
        labels = self._dice.fields(80, app=self._dice.one(*clusters.APPS), tier="x")
        yield from self._pod_changes(
            lambda pod: {**pod, "metadata": {**pod["metadata"], "labels": labels}}
        )

    def _pod_is_resized(self) -> Iterator[Happening]:
        resources = clusters.container(self._dice)["resources"]

        def resized(pod: Obj) -> Obj:
            containers = [
                {**container, "resources": resources} for container in pod["spec"]["containers"]
            ]
            return {**pod, "spec": {**pod["spec"], "containers": containers}}

        yield from self._pod_changes(resized)

    def _pod_changes(self, change: Callable[[Obj], Obj]) -> Iterator[Happening]:
        here = placed(self._scheduler)
        if not here:
            return
        snapshot, pod = self._scheduler.snapshot, self._dice.one(*here)
        old, node_name = pod.obj, snapshot.names[pod.row]
        new = change(old)
        snapshot.remove_pod(pod)
        snapshot.add_pod(placed_pod(new, snapshot.classes), node_name)
        yield _happened(EventResource.ASSIGNED_POD, events_of_pod_update(old, new), old, new)

    def _node_changes(self, name: str) -> Iterator[Happening]:
        old = self._node(name)
        drawn = clusters.node(self._dice, name)
        features = {"declaredFeatures": self._dice.some(["UserNamespacesHostNetworkSupport"])}
        drawn["status"] |= features
        parts = self._dice.some(["metadata", "spec", "status"]) or ["metadata"]
        yield self._set_node({**old, **{part: drawn[part] for part in parts}})

    def _set_node(self, new: Obj) -> Happening:
        name = new["metadata"]["name"]
        old = self._node(name) if name in self._scheduler.snapshot.row_of else None
        self._scheduler.snapshot.set_node(new)
        action = Action.ADD if old is None else events_of_node_update(old, new)
        return _happened(EventResource.NODE, action, old, new)

    def _node_goes(self, name: str) -> Iterator[Happening]:
        snapshot = self._scheduler.snapshot
        for pod in list(snapshot.pods_on[snapshot.row_of[name]]):
            yield self._remove(pod)
        gone = self._node(name)
        snapshot.remove_node(name)
        yield _happened(EventResource.NODE, Action.DELETE, gone, None)

    def _node(self, name: str) -> Object:
        node = self._scheduler.snapshot.nodes[self._scheduler.snapshot.row_of[name]]
        assert node is not None
        return node

    def _claim_changes(self) -> Iterator[Happening]:
        place = self._dice.one(*volume_clusters.NAMESPACES)
        name = self._dice.one(*volume_clusters.CLAIMS, "p-v0")
        drawn = volume_clusters.claim(self._dice, place, name)
        if not self._is_used(drawn):
            yield self._set_or_remove("PersistentVolumeClaim", drawn)

    def _driver_changes(self) -> Iterator[Happening]:
        spec = {"storageCapacity": self._dice.chance(50)}
        driver = {"kind": "CSIDriver", "metadata": {"name": "csi.one"}, "spec": spec}
        yield self._set_or_remove("CSIDriver", driver)

    def _object_changes(self) -> Iterator[Happening]:
        kind = self._dice.one(*_NAMED_KINDS)
        name = self._dice.one(*_NAMES.get(kind, ("one-0", "one-1", "two-0")))
        if kind == "PersistentVolume" and name in self._volumes_in_use():
            return
        keep = kind == "StorageClass" or (kind == "PersistentVolume" and name in self._claimed())
        yield self._set_or_remove(kind, _NAMED_KINDS[kind](self._dice, name), keep=keep)

    def _volumes_in_use(self) -> set[str]:
        attachments = self._scheduler.listers.list("VolumeAttachment")
        attached = {a["spec"]["source"]["persistentVolumeName"] for a in attachments}
        return attached | {volume_name(claim) for claim in self._claims() if self._is_used(claim)}

    def _claimed(self) -> set[str]:
        return set(map(volume_name, self._claims()))

    def _claims(self) -> list[Object]:
        return self._scheduler.listers.list("PersistentVolumeClaim")

    def _is_used(self, claim: Object) -> bool:
        return any(claim_is_used(pod, None, claim) for pod in placed(self._scheduler))

    def _set_or_remove(self, kind: str, drawn: Object, *, keep: bool = False) -> Happening:
        listers, metadata = self._scheduler.listers, drawn["metadata"]
        old = listers.get(kind, metadata["name"], _place(drawn))
        resource = EventResource(kind)
        if old is not None and not keep and self._dice.chance(30):
            listers.remove(old)
            return _happened(resource, Action.DELETE, old, None)
        new = drawn if old is None else _changed(kind, old, drawn)
        listers.set(new)
        return _happened(resource, Action.ADD if old is None else Action.UPDATE, old, new)


def updated_itself(dice: Dice, old: Obj) -> Happening:
    """A waiting pod gets other labels, further tolerations, or both."""
    labels = dice.fields(80, app=dice.one(*clusters.APPS), tier=dice.one("x", "y"))
    more = {"key": "keep", "operator": "Exists", **dice.fields(50, effect="NoSchedule")}
    tolerations = [*old["spec"].get("tolerations", ()), *dice.fields(50, more=more).values()]
    new = {
        **old,
        "metadata": {**old["metadata"], **dice.fields(70, labels=labels)},
        "spec": {**old["spec"], "tolerations": tolerations},
    }
    action = events_of_pod_update(old, new)
    return _happened(EventResource.UNSCHEDULED_POD, action, old, new)


def _happened(
    resource: EventResource, action: Action, old: Object | None, new: Object | None
) -> Happening:
    return Happening(ClusterEvent(resource, action), old, new)


def _changed(kind: str, old: Object, drawn: Object) -> Object:
    fields = _MUTABLE.get(kind, drawn.keys())
    changed = dict(_mixed(old, drawn, fields))
    if kind in _MUTABLE_SPEC:
        changed["spec"] = _mixed(old["spec"], drawn["spec"], _MUTABLE_SPEC[kind])
    return changed


def _mixed(old: Object, drawn: Object, fields: Collection[str]) -> Object:
    """The drawn one's fields, as far as they can be changed, and the others as they were."""
    kept = {field: value for field, value in old.items() if field not in fields}
    return {**kept, **{field: value for field, value in drawn.items() if field in fields}}


def _place(obj: Object) -> str:
    scoped = obj["kind"] in ("PersistentVolumeClaim", "CSIStorageCapacity", "VolumeAttachment")
    return (obj["metadata"].get("namespace") or "default") if scoped else ""
