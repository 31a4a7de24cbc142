"""The filesystem layout of a node, which determines thresholds, usage of pods, and reclaims."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from podium.kubelet.eviction.node_statistics import DiskPart
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.eviction.thresholds import Threshold, Value


class NodeReclaim(StrEnum):
    """The resources that a node reclaims before it evicts pods."""

    CONTAINERS = "containers"
    IMAGES = "images"


_NODEFS = (Signal.NODEFS_AVAILABLE, Signal.NODEFS_INODES_FREE)
_IMAGEFS = (Signal.IMAGEFS_AVAILABLE, Signal.IMAGEFS_INODES_FREE)
_CONTAINERFS = (Signal.CONTAINERFS_AVAILABLE, Signal.CONTAINERFS_INODES_FREE)
_FILESYSTEMS = frozenset((*_NODEFS, *_IMAGEFS, *_CONTAINERFS))

_EVERYTHING = frozenset(DiskPart)
_REST = frozenset({DiskPart.LOGS, DiskPart.VOLUMES})
_WRITABLE = frozenset({DiskPart.ROOTFS})


class Filesystems(msgspec.Struct, frozen=True):
    """The filesystems on which a node stores images and containers."""

    dedicated_image_fs: bool = False
    """Whether images have a filesystem of their own."""
    split_container_image_fs: bool = False
    """Whether writable layers are on nodefs, not with the images."""

    @property
    def is_split(self) -> bool:
        """Return whether a dedicated filesystem holds images only."""
        return self.dedicated_image_fs and self.split_container_image_fs

    def parts(self, signal: Signal) -> frozenset[DiskPart]:
        """Return the parts of a pod's disk usage that count for a signal."""
        if not self.dedicated_image_fs:
            return _EVERYTHING
        if self.is_split:
            return frozenset() if signal in _IMAGEFS else _EVERYTHING
        return _REST if signal in _NODEFS else _WRITABLE

    def reclaims(self, signal: Signal) -> tuple[NodeReclaim, ...]:
        """Return the reclaims that a node tries for a signal before it evicts pods, in order."""
        if signal not in _FILESYSTEMS:
            return ()
        if self.is_split:
            return (NodeReclaim.IMAGES,) if signal in _IMAGEFS else (NodeReclaim.CONTAINERS,)
        if self.dedicated_image_fs and signal in _NODEFS:
            return ()
        return (NodeReclaim.CONTAINERS, NodeReclaim.IMAGES)

    def with_containerfs(self, thresholds: Iterable[Threshold]) -> tuple[Threshold, ...]:
        """Return thresholds with those of containerfs, which are copied from nodefs or imagefs.

        The copies replace configured thresholds of containerfs. They are unset if nodefs or imagefs
        has no threshold.
        """
        made = list(thresholds)
        if self.split_container_image_fs and not self.dedicated_image_fs:
            return tuple(made)
        sources = _IMAGEFS if self.dedicated_image_fs and not self.is_split else _NODEFS
        for target, source_signal in zip(_CONTAINERFS, sources, strict=True):
            for is_hard in (True, False):
                places = {old.signal: at for at, old in enumerate(made) if old.is_hard is is_hard}
                new = Threshold(target, Value(), is_set=False)
                if source_signal in places:
                    source = made[places[source_signal]]
                    new = Threshold(target, source.value, source.grace_period_s, source.min_reclaim)
                at = places.get(target, len(made))
                made[at : at + 1] = [new]
        return tuple(made)
