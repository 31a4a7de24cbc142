"""VolumeRestrictions: disks that can be mounted once per node, and claims for a single pod.

The disks are those of GCE, AWS, iSCSI and Ceph RBD. The claims have the access mode
ReadWriteOncePod, and conflict in the whole cluster. The rules are those of v1.36.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from podium.api.objects import Object, entries
from podium.api.pods import volumes_of
from podium.api.volumes.claims_and_volumes import READ_WRITE_ONCE_POD, access_modes, claim_uses
from podium.scheduler.framework.cluster_events import (
    Action,
    EventHint,
    EventResource,
    after_change,
    after_removal,
    claim_is_named,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FITS, PASSES, FilterState, PreFilterResult, Scope
from podium.scheduler.framework.status import Status, unresolvable, unschedulable
from podium.scheduler.snapshot.arrays import Codes, Rows, Sums
from podium.scheduler.snapshot.pod_classes import PodClass, PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Change, Snapshot
from podium.scheduler.snapshot.volumes.pod_claims import not_found, used_claims

DISK_CONFLICT, CLAIM_IN_USE = 1, 2
_REASONS = {
    DISK_CONFLICT: "node(s) had no available disk",
    CLAIM_IN_USE: (
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
        "already in-use by another pod"
    ),
}


class VolumeRestrictions:
    """Rules out nodes where the pod's disks or claims are in use (PreFilter, Filter)."""

    name = "VolumeRestrictions"

    def __init__(self, handle: Handle) -> None:
        self._snapshot = handle.snapshot
        self._listers = handle.listers
        self._users = _Users(handle.snapshot.classes)

    def events_to_register(self) -> Sequence[EventHint]:
        return (
            after_removal(EventResource.ASSIGNED_POD, self._is_released),
            after_change(EventResource.NODE, Action.ADD),
            after_change(EventResource.PERSISTENT_VOLUME_CLAIM, Action.ADD, claim_is_named),
        )

    def by_shape(self, cls: PodClass) -> bool:
        return not cls.has_volumes

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        """Refuse pods with missing claims; claims of ephemeral volumes may still be created."""
        for use, claim in used_claims(self._listers, pod):
            if not use.is_ephemeral and claim is None:
                fault = not_found("PersistentVolumeClaim", use.claim_name)
                return PreFilterResult(unresolvable(fault))
        return PASSES

    def filter(self, pod: PodInfo) -> FilterState | None:
        disks = tuple(_disks(pod.cls))
        claims = frozenset(
            use.claim_name
            for use, claim in used_claims(self._listers, pod)
            if claim is not None
            and not use.is_ephemeral
            and READ_WRITE_ONCE_POD in access_modes(claim)
        )
        if claims:
            return _ExclusiveClaims(self._snapshot, self._users, disks, claims, pod.namespace)
        return _Disks(self._snapshot, self._users, disks) if disks else None

    def _is_released(self, pod: PodInfo, gone: Object) -> bool:
        """Return whether a deleted pod of the pod's namespace used one of its disks or claims.

        As in v1.36, disks of pods in other namespaces aren't considered, although they conflict.
        """
        other = self._snapshot.classes.on_node(gone)
        if other is None or pod.namespace != other.namespace:
            return False
        shared = set(_claims_used(pod.cls)).intersection(_claims_used(other))
        return bool(shared) or share_a_disk(pod.cls, other)


class _Users:
    def __init__(self, classes: PodClasses) -> None:
        self._classes = classes
        self._begin()

    def of_disks(self) -> Sequence[PodClass]:
        self._keep_up()
        return [self._classes[number] for number in self._with_disks]

    def of_claim(self, namespace: str, claim_name: str) -> Sequence[PodClass]:
        self._keep_up()
        return [self._classes[n] for n in self._by_claim.get((namespace, claim_name), ())]

    def _begin(self) -> None:
        self._epoch = self._classes.epoch
        self._classes_read = 0
        # Class ids, since references to classes would keep these from being forgotten.
        self._with_disks: list[int] = []
        self._by_claim: dict[tuple[str, str], list[int]] = {}

    def _keep_up(self) -> None:
        if self._epoch != self._classes.epoch:
            self._begin()
        for number in range(self._classes_read, len(self._classes)):
            cls = self._classes[number]
            if any(_disks(cls)):
                self._with_disks.append(number)
            for claim_name in set(_claims_used(cls)):
                self._by_claim.setdefault((cls.namespace, claim_name), []).append(number)
        self._classes_read = len(self._classes)


class _Disks(FilterState):
    plugin = VolumeRestrictions.name
    scope = Scope.ROW
    width = 1

    def __init__(self, snapshot: Snapshot, users: _Users, disks: Sequence[Object]) -> None:
        self._snapshot = snapshot
        self._users = users
        self._disks = disks
        self._conflicts: dict[int, int] = {}

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        if not self._disks:
            return np.zeros(len(rows), np.int32)
        weights = np.zeros(len(self._snapshot.classes), np.int64)
        for cls in self._users.of_disks():
            weights[cls.id] = self._conflict(cls)
        sums = self._snapshot.sum_by_row(weights)[rows]
        if extra:
            sums = sums + extra[0]
        return np.where(sums > 0, DISK_CONFLICT, FITS).astype(np.int32)

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        if not self._disks:
            return FITS
        on_row = sum(self._conflict(pod.cls) for pod in self._snapshot.pods_on[row])
        return DISK_CONFLICT if on_row + sum(extra[:1]) > 0 else FITS

    def weights(self, cls: PodClass) -> Sequence[int]:
        return (self._conflict(cls),)

    def status(self, row: int, code: int) -> Status:
        return unschedulable(_REASONS[code])

    def _conflict(self, cls: PodClass) -> int:
        known = self._conflicts.get(cls.id)
        if known is None:
            known = self._conflicts[cls.id] = int(_any_conflict(self._disks, _disks(cls)))
        return known


class _ExclusiveClaims(_Disks):
    """Filter state of ReadWriteOncePod claims and of disks.

    Upstream counts each claim once however many pods use it, but in a dry run subtracts one for
    every use of a claim of that name, in any namespace. If no pod uses the claims and the pod has
    no disks, upstream skips the plugin, so that nominated pods don't count.
    """

    scope = Scope.CLUSTER
    width = 2

    def __init__(
        self,
        snapshot: Snapshot,
        users: _Users,
        disks: Sequence[Object],
        claims: frozenset[str],
        namespace: str,
    ) -> None:
        super().__init__(snapshot, users, disks)
        on_rows = snapshot.pods.classes[snapshot.pods.rows >= 0]

        def pods_of(cls: PodClass) -> int:
            return int(np.count_nonzero(on_rows == cls.id))

        self._namespace = namespace
        self._uses = {
            claim: sum(pods_of(cls) for cls in users.of_claim(namespace, claim)) for claim in claims
        }

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        codes = super().codes(rows, extra[:1])
        if self._is_idle():
            return codes
        in_use = self._in_use() + (extra[1] if extra else np.zeros(len(rows), np.int64))
        codes[(codes == FITS) & (in_use > 0)] = CLAIM_IN_USE
        return codes

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        code = super().code(row, extra[:1])
        if code == FITS and not self._is_idle() and self._in_use() + sum(extra[1:]) > 0:
            return CLAIM_IN_USE
        return code

    def weights(self, cls: PodClass) -> Sequence[int]:
        return self._conflict(cls), sum(claim in self._uses for claim in _claims_used(cls))

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        before, conflicts = self._in_use(), False
        for _, cls, sign in changes:
            if cls.has_volumes and cls.namespace == self._namespace:
                for claim in self._uses.keys() & set(_claims_used(cls)):
                    self._uses[claim] += sign
            conflicts |= bool(self._conflict(cls))
        return self._in_use() != before or conflicts

    def _in_use(self) -> int:
        return sum(pods > 0 for pods in self._uses.values())

    def _is_idle(self) -> bool:
        return not self._disks and not self._in_use()


def _claims_used(cls: PodClass) -> Iterator[str]:
    return (use.claim_name for use in claim_uses(cls.pod) if not use.is_ephemeral)


def _disks(cls: PodClass) -> Iterator[Object]:
    for volume in volumes_of(cls.spec):
        if any(volume.get(kind) is not None for kind in _IS_SAME):
            yield volume


def share_a_disk(cls: PodClass, other: PodClass) -> bool:
    """Return whether pods of two classes have a disk that only one of them can have on a node."""
    return _any_conflict(_disks(cls), _disks(other))


def _any_conflict(disks: Iterable[Object], others: Iterable[Object]) -> bool:
    for disk, other in product(disks, others):
        for kind, is_same in _IS_SAME.items():
            one, two = disk.get(kind), other.get(kind)
            if one is not None and two is not None and is_same(one, two):
                # AWS disks conflict even if both pods only read.
                is_shared = one.get("readOnly") and two.get("readOnly") and kind != _AWS
                if not is_shared:
                    return True
    return False


def _same(field: str) -> Callable[[Object, Object], bool]:
    return lambda one, two: bool(one.get(field) == two.get(field))


_AWS = "awsElasticBlockStore"
_IS_SAME: Mapping[str, Callable[[Object, Object], bool]] = {
    "gcePersistentDisk": _same("pdName"),
    _AWS: _same("volumeID"),
    "iscsi": _same("iqn"),
    "rbd": lambda one, two: (
        not set(entries(one, "monitors")).isdisjoint(entries(two, "monitors"))
        and (one.get("pool") or "") == (two.get("pool") or "")
        and one.get("image") == two.get("image")
    ),
}
