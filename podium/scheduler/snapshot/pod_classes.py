"""Classes of pods that scheduling can't tell apart.

Two pods are of one class if everything is equal that filters and scores of in-tree plugins read of
them. Class ids are small integers, by which columns are indexed.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Generic, TypeVar
from weakref import ref

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.objects import Object, controller_of, is_terminating, labels, name, namespace
from podium.api.pods import (
    affinity_of,
    all_containers_of,
    containers_of,
    init_containers_of,
    requests_of,
    volumes_of,
)
from podium.api.priority import pod_priority, preemption_policy
from podium.api.resources import (
    SCORING_DEFAULTS,
    may_be_devices,
    pod_requests,
    pod_scoring_requests,
    resource_amount,
)
from podium.api.selectors.node_selector import RequiredNodeAffinity, required_node_affinity
from podium.scheduler.snapshot.affinity_terms import PeerGroup, peer_group_key
from podium.scheduler.snapshot.host_ports import HostPort, host_ports

_SPEC_FIELDS = (
    "affinity",
    "hostNetwork",
    "hostUsers",
    "nodeSelector",
    "overhead",
    "preemptionPolicy",
    "resourceClaims",
    "resources",
    "schedulingGroup",
    "tolerations",
    "topologySpreadConstraints",
)
_SHAPE_FIELDS = ("hostNetwork", "hostUsers", "nodeSelector", "resourceClaims", "tolerations")
_SHAPE_CONTAINER_FIELDS = ("image", "ports", "restartPolicy", "restartPolicyRules")
_CONTAINER_FIELDS = ("image", "name", "ports", "resources", "restartPolicy", "restartPolicyRules")
_STATUS_FIELDS = frozenset(
    {"allocatedResources", "containerStatuses", "initContainerStatuses", "resources"}
)
_CONTAINER_STATUSES = ("containerStatuses", "initContainerStatuses")
_RESIZED = frozenset({"allocatedResources", "resources"})
_CONTAINER_STATUS_FIELDS = ("allocatedResources", "name", "resources")
# Volumes of these kinds differ from pod to pod, and never restrict nodes.
_INDIFFERENT_VOLUMES = frozenset({"configMap", "downwardAPI", "emptyDir", "projected", "secret"})

CROWD_MIN = 4096
"""With this many classes or fewer, unused ones aren't forgotten."""

V = TypeVar("V")

_encode = msgspec.json.Encoder().encode


class PodClass:
    """Pods that in-tree plugins can't tell apart; `pod` is any one of them.

    `id` is an index into columns of classes, which `PodClasses.forget` changes.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "id",
        "labels",
        "namespace",
        "peer_group",
        "pod",
        "priority",
        "terminating",
    )

    def __init__(self, class_id: int, pod: Object, peer_group: PeerGroup) -> None:
        self.id = class_id
        self.pod = pod
        self.peer_group = peer_group
        self.namespace = namespace(pod)
        self.labels = labels(pod)
        self.priority = pod_priority(pod)
        self.terminating = is_terminating(pod)

    @property
    def spec(self) -> Object:
        spec: Object = self.pod.get("spec") or {}
        return spec

    @cached_property
    def preempts(self) -> bool:
        return preemption_policy(self.pod) != "Never"

    @cached_property
    def node_affinity(self) -> RequiredNodeAffinity:
        return required_node_affinity(self.pod)

    @cached_property
    def shape_key(self) -> bytes:
        """A key that is equal for classes that plugins with a true `by_shape` can't tell apart."""
        spec = self.spec
        return _encode(
            (
                [*map(spec.get, _SHAPE_FIELDS)],
                affinity_of(spec).get("nodeAffinity"),
                [_picked(c, _SHAPE_CONTAINER_FIELDS) for c in containers_of(spec)],
                [_picked(c, _SHAPE_CONTAINER_FIELDS) for c in init_containers_of(spec)],
                [*filter(_may_decide, volumes_of(spec))],
                self.requested_devices,
            )
        )

    @cached_property
    def requested_devices(self) -> list[str]:
        """Requested resources that may be devices of a DeviceClass, sorted."""
        return sorted(r for r, n in self.requests.items() if n and may_be_devices(r))

    @cached_property
    def tolerations_key(self) -> bytes:
        return _encode(self.spec.get("tolerations"))

    @cached_property
    def node_affinity_key(self) -> bytes:
        spec = self.spec
        return _encode((spec.get("nodeSelector"), affinity_of(spec).get("nodeAffinity")))

    @cached_property
    def has_volumes(self) -> bool:
        return any(map(_may_decide, volumes_of(self.spec)))

    @cached_property
    def requests(self) -> Mapping[str, int]:
        """Requests of a pod: cpu in thousandths, others in units, rounded up."""
        return _amounts(pod_requests(self.pod))

    @cached_property
    def held(self) -> Mapping[str, int]:
        """Amounts that a pod takes of its node; its status may allocate more than it requests."""
        if _status_key(self.pod.get("status")) is None:
            return self.requests
        return _amounts(pod_requests(self.pod, use_status=True))

    @cached_property
    def scored(self) -> Mapping[str, int]:
        """Amounts that a pod adds in scores; containers without requests count with defaults."""
        if self._says_all:
            return self.held
        nanos = pod_requests(
            self.pod, use_status=True, default_missing=SCORING_DEFAULTS, pod_level=False
        )
        return _amounts(nanos)

    @cached_property
    def host_ports(self) -> frozenset[HostPort]:
        return host_ports(self.spec)

    @cached_property
    def held_nonzero(self) -> tuple[int, int]:
        """Held cpu (thousandths) and memory (bytes); containers without requests have defaults."""
        if self._says_all:
            return self.held["cpu"], self.held["memory"]
        amounts = _amounts(pod_scoring_requests(self.pod))
        return amounts.get("cpu", 0), amounts.get("memory", 0)

    @cached_property
    def _says_all(self) -> bool:
        spec = self.spec
        if spec.get("resources"):
            return False
        requested = [*map(requests_of, all_containers_of(spec))]
        return bool(requested) and all("cpu" in r and "memory" in r for r in requested)


def _may_decide(volume: Object) -> bool:
    return _INDIFFERENT_VOLUMES.isdisjoint(volume)


def _amounts(nanos: Mapping[str, int]) -> dict[str, int]:
    return {resource: resource_amount(resource, amount) for resource, amount in nanos.items()}


class PodClasses:
    """All classes of pods; `epoch` is raised when unused ones are forgotten and ids change."""

    def __init__(self) -> None:
        self.epoch = 0
        self.peer_groups: list[PeerGroup] = []
        self._group_by_key: dict[bytes, PeerGroup] = {}
        self._crowd = CROWD_MIN
        self._by_key: dict[bytes, PodClass] = {}
        self._all: list[PodClass] = []
        self._placed: dict[int, PodClass] = {}
        self._dying: dict[int, PodClass] = {}
        self._seen: tuple[tuple[Object, PodClass], ...] = ()
        self.priorities = ClassColumn(self, lambda cls: cls.priority, 0)
        self.peer_group_ids = ClassColumn(self, lambda cls: cls.peer_group.id, -1)

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, class_id: int) -> PodClass:
        return self._all[class_id]

    @property
    def is_crowded(self) -> bool:
        return len(self._all) > self._crowd

    def forget(self) -> None:
        """Forget the classes that nothing refers to, and renumber the others."""
        known = [(key, ref(cls)) for key, cls in self._by_key.items()]
        self._by_key, self._all, self._placed, self._dying = {}, [], {}, {}
        self._seen = ()
        for key, held in known:
            cls = held()
            if cls is not None:
                cls.id = len(self._all)
                self._by_key[key] = cls
                self._all.append(cls)
        kept = {id(cls.peer_group) for cls in self._all}
        self._group_by_key = {
            k: peer_group for k, peer_group in self._group_by_key.items() if id(peer_group) in kept
        }
        self.peer_groups = list(self._group_by_key.values())
        for number, peer_group in enumerate(self.peer_groups):
            peer_group.id = number
        self._crowd = max(CROWD_MIN, 2 * len(self._all))
        self.epoch += 1

    def of(self, pod: Object, *, wants_node: bool) -> PodClass:
        """Return a pod's class; with `wants_node`, that of pods which only accept this nodeName."""
        spec: Object = pod.get("spec") or {}
        owner = controller_of(pod)
        deciding = [*filter(_may_decide, volumes_of(spec))]
        key = _encode(
            (
                namespace(pod),
                labels(pod),
                pod_priority(pod),
                is_terminating(pod),
                [*map(spec.get, _SPEC_FIELDS)],
                [_picked(c, _CONTAINER_FIELDS) for c in containers_of(spec)],
                [_picked(c, _CONTAINER_FIELDS) for c in init_containers_of(spec)],
                deciding,
                name(pod) if any(v.get("ephemeral") for v in deciding) else None,
                owner and (owner.get("apiVersion"), owner.get("kind"), owner.get("name")),
                spec.get("nodeName") if wants_node else None,
                _status_key(pod.get("status")),
            )
        )
        known = self._by_key.get(key)
        if known is None:
            group_key = _encode(peer_group_key(pod))
            peer_group = self._group_by_key.get(group_key)
            if peer_group is None:
                peer_group = self._group_by_key[group_key] = PeerGroup(len(self.peer_groups), pod)
                self.peer_groups.append(peer_group)
            known = self._by_key[key] = PodClass(len(self._all), pod, peer_group)
            self._all.append(known)
        return known

    def on_node(self, pod: Object | None) -> PodClass | None:
        """Return the class of a pod on a node; None for None. Keeps the last two results."""
        if pod is None:
            return None
        for seen, cls in self._seen:
            if seen is pod:
                return cls
        pod_class = self.of(pod, wants_node=False)
        self._seen = (*self._seen[-1:], (pod, pod_class))
        return pod_class

    def renewed(self, cls: PodClass, old: Object, new: Object, *, wants_node: bool) -> PodClass:
        """Return the class of a pod's new version, given the class of its old version."""
        if old is new:
            return cls
        before, after, is_dying = old["metadata"], new["metadata"], is_terminating(new)
        if (
            before.get("labels") == after.get("labels")
            and before.get("ownerReferences") == after.get("ownerReferences")
            and _same_spec(old.get("spec") or {}, new.get("spec") or {}, wants_node)
            and _status_key(old.get("status")) == _status_key(new.get("status"))
        ):
            if is_terminating(old) == is_dying:
                return cls
            if is_dying and not wants_node:
                # All pods of a class have the same class again once they terminate.
                dying = self._dying.get(cls.id)
                if dying is None:
                    dying = self._dying[cls.id] = self.of(new, wants_node=False)
                return dying
        return self.of(new, wants_node=wants_node)

    def placed(self, cls: PodClass) -> PodClass:
        if not cls.spec.get("nodeName"):
            return cls
        pod_class = self._placed.get(cls.id)
        if pod_class is None:
            pod_class = self._placed[cls.id] = self.of(cls.pod, wants_node=False)
        return pod_class


class PerClass(Generic[V]):
    """A value for each class, computed once, and anew when class ids change."""

    def __init__(self, classes: PodClasses, make: Callable[[PodClass], V]) -> None:
        self._classes = classes
        self._make = make
        self._epoch = classes.epoch
        self._values: dict[int, V] = {}

    def of(self, cls: PodClass) -> V:
        if self._epoch != self._classes.epoch:
            self._epoch = self._classes.epoch
            self._values.clear()
        value = self._values.get(cls.id)
        if value is None:
            value = self._values[cls.id] = self._make(cls)
        return value


class ClassColumn:
    """A number for each class, int64[classes + 1]; the last one, `of_none`, is for no class."""

    def __init__(
        self, classes: PodClasses, number_of: Callable[[PodClass], int], of_none: int
    ) -> None:
        self._classes = classes
        self._number_of = number_of
        self._of_none = of_none
        self._epoch = self._known = -1
        self._column: NDArray[np.int64] = np.zeros(0, np.int64)

    def __call__(self) -> NDArray[np.int64]:
        if self._epoch != self._classes.epoch:
            self._epoch, self._known = self._classes.epoch, 0
            self._column = np.full(2, self._of_none, np.int64)
        count = len(self._classes)
        if self._known < count:
            if len(self._column) <= count:
                self._column = np.resize(self._column, 2 * count)
            new = [self._number_of(self._classes[n]) for n in range(self._known, count)]
            self._column[self._known : count] = new
            self._column[count] = self._of_none
            self._known = count
        return self._column[: count + 1]


def holds_alike(old: Object, new: Object) -> bool:
    """Return whether two versions of a pod on a node certainly take equal resources."""
    return _same_spec(old.get("spec") or {}, new.get("spec") or {}, False) and (
        _status_key(old.get("status")) == _status_key(new.get("status"))
    )


def _same_spec(old: Object, new: Object, wants_node: bool) -> bool:
    if old is new:
        return True
    if wants_node:
        return old == new
    # A binding adds one field, and leaves the others as they are.
    fields = old.keys() | new.keys()
    return all(old.get(field) == new.get(field) for field in fields if field != "nodeName")


def _status_key(status: Object | None) -> object:
    if not status or _STATUS_FIELDS.isdisjoint(status):
        return None
    containers = [c for field in _CONTAINER_STATUSES for c in status.get(field) or ()]
    statuses = [
        [_picked(c, _CONTAINER_STATUS_FIELDS) for c in containers if not _RESIZED.isdisjoint(c)],
        status.get("resources") or None,
        status.get("allocatedResources") or None,
        [c for c in status.get("conditions") or () if c.get("type") == "PodResizePending"],
    ]
    return statuses if any(statuses) else None


def _picked(obj: Object, fields: tuple[str, ...]) -> list[object]:
    return [*map(obj.get, fields)]
