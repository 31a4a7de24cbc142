"""NodeVolumeLimits: no more volumes on a node than its CSI drivers can attach.

A volume that several pods use counts once. A claim without a volume counts for the driver of its
StorageClass; a volume of an in-tree plugin counts for the CSI driver that replaced it. The rules
are those of v1.36 with VolumeLimitScaling off, as by default.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from podium.api.objects import Object, spec_of
from podium.api.pods import volumes_of
from podium.api.volumes.claims_and_volumes import claim_uses
from podium.scheduler.framework.cluster_events import (
    Action,
    EventHint,
    EventResource,
    after_change,
    after_removal,
    claim_is_used,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FITS, CycleError, FilterState, FixedCodes, Scope
from podium.scheduler.framework.status import Status, unresolvable, unschedulable
from podium.scheduler.snapshot.arrays import Codes, Rows, Sums
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.volumes.attachable_volumes import (
    attach_limits,
    attachable_volumes,
    attached_volumes,
    inline_fault,
    limits_of,
)
from podium.scheduler.snapshot.volumes.csi_migration import (
    Attachable,
    MigrationError,
    in_tree_plugin,
    migrated_volume,
)
from podium.scheduler.snapshot.volumes.pod_claims import not_found, ownership_fault, used_claims

Volumes = frozenset[Attachable]

TOO_MANY = 1
CLAIM_MISSING = -1

_NOTHING: Volumes = frozenset()


class NodeVolumeLimits:
    """Rules out nodes that can't attach all the pod's volumes (Filter)."""

    name = "NodeVolumeLimits"

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._cluster = _Cluster(handle)

    def events_to_register(self) -> Sequence[EventHint]:
        return (
            after_change(EventResource.CSI_NODE, Action.ADD),
            after_change(EventResource.CSI_NODE, Action.UPDATE, _allows_more),
            after_removal(
                EventResource.ASSIGNED_POD,
                lambda pod, gone: (
                    any(claim_uses(gone)) or any(map(in_tree_plugin, volumes_of(spec_of(gone))))
                ),
            ),
            after_change(EventResource.PERSISTENT_VOLUME_CLAIM, Action.ADD, claim_is_used),
            after_removal(EventResource.VOLUME_ATTACHMENT, _may_free_an_attachment),
        )

    def by_shape(self, cls: PodClass) -> bool:
        return not cls.has_volumes

    def filter(self, pod: PodInfo) -> FilterState | None:
        """Return the class's filter state; None if no volume has a limit; raises CycleError."""
        if not pod.cls.has_volumes:
            return None
        claims = [*used_claims(self._handle.listers, pod)]
        for use, claim in claims:
            if claim is None and use.claim_name:
                what = not_found("PersistentVolumeClaim", use.claim_name)
                refusal = unresolvable(f"looking up PVC {pod.namespace}/{use.claim_name}: {what}")
                codes = np.full(self._handle.snapshot.node_count, CLAIM_MISSING, np.int32)
                return FixedCodes(self.name, codes, {CLAIM_MISSING: refusal}.__getitem__)
        for use, claim in claims:
            if claim is None:
                raise CycleError(self.name, "PersistentVolumeClaim had no name")
            if use.is_ephemeral and (fault := ownership_fault(claim, pod)):
                raise CycleError(self.name, fault)
        if fault := inline_fault(pod.obj):
            raise CycleError(self.name, fault)
        if not self._cluster.is_current():
            self._cluster = _Cluster(self._handle)
        volumes = self._cluster.volumes_of(pod)
        if self._cluster.limited_drivers.isdisjoint(volume.driver for volume in volumes):
            return None
        return _Limits(self._handle, self._cluster, volumes)


class _Cluster:
    """Limits and attached volumes, valid until a node or an object in the listers changes."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._epochs = self._current()
        self._volumes: dict[int, Volumes] = {}
        row_of = handle.snapshot.row_of
        self.limits: dict[int, Mapping[str, int]] = {
            row_of[node]: limits
            for node, limits in attach_limits(handle.listers).items()
            if node in row_of
        }
        """By row that has limits, the number of volumes by driver."""
        self.smallest_limit = {row: min(limits.values()) for row, limits in self.limits.items()}
        self.limited_drivers = frozenset(d for limits in self.limits.values() for d in limits)
        self.attached: dict[int, Volumes] = {
            row_of[node]: volumes
            for node, volumes in attached_volumes(handle.listers).items()
            if node in row_of
        }
        """By row, volumes that are attached, whether or not a pod uses them."""

    def is_current(self) -> bool:
        return self._epochs == self._current()

    def volumes_of(self, pod: PodInfo) -> Volumes:
        volumes = self._volumes.get(pod.cls.id)
        if volumes is None:
            volumes = attachable_volumes(self._handle.listers, pod)
            self._volumes[pod.cls.id] = volumes
        return volumes

    def _current(self) -> tuple[int, int]:
        return self._handle.snapshot.node_epoch, self._handle.listers.epoch


class _Limits(FilterState):
    plugin = NodeVolumeLimits.name
    scope = Scope.ROW
    additive = False

    def __init__(self, handle: Handle, cluster: _Cluster, volumes: Volumes) -> None:
        self._snapshot = handle.snapshot
        self._cluster = cluster
        self._volumes = volumes

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        return np.array([self.code(row) for row in rows.tolist()], np.int32)

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        return self.code_among(row, self._snapshot.pods_on[row])

    def code_among(self, row: int, pods: Sequence[PodInfo]) -> int:
        limits = self._cluster.limits.get(row)
        if limits is None:
            return FITS
        in_use = list(map(self._cluster.volumes_of, pods))
        attached = self._cluster.attached.get(row, _NOTHING)
        at_most = sum(map(len, in_use)) + len(attached) + len(self._volumes)
        if at_most <= self._cluster.smallest_limit[row]:
            return FITS
        used = _NOTHING.union(*in_use)
        # Upstream counts a volume that is attached but unused twice: as attached, and as new.
        held = _by_driver(used | attached)
        for driver, new in _by_driver(self._volumes - used).items():
            if driver in limits and held[driver] + new > limits[driver]:
                return TOO_MANY
        return FITS

    def status(self, row: int, code: int) -> Status:
        return unschedulable("node(s) exceed max volume count")


def _allows_more(pod: PodInfo, old: Object | None, new: Object) -> bool:
    """Return whether any driver's limit rises; a new limit counts as risen."""
    before = {} if old is None else limits_of(old)
    return any(limit > before.get(driver, 0) for driver, limit in limits_of(new).items())


def _may_free_an_attachment(pod: PodInfo, gone: Object) -> bool:
    """Return whether a pod uses a claim, or an in-tree volume of a deleted attachment's driver."""
    if any(not use.is_ephemeral for use in claim_uses(pod.obj)):
        return True
    attacher = spec_of(gone).get("attacher")
    try:
        migrated = [migrated_volume(volume) for volume in volumes_of(spec_of(pod.obj))]
    except MigrationError:
        return True
    return any(volume is not None and volume.driver == attacher for volume in migrated)


def _by_driver(volumes: Iterable[Attachable]) -> Counter[str]:
    return Counter(volume.driver for volume in volumes)
