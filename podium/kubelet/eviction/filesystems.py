"""The filesystems of a node: what images, containers and everything else share of them.

This decides which thresholds apply to containerfs, what counts as a pod's usage, and what a node
can reclaim before it evicts pods.
"""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from podium.kubelet.eviction.node_statistics import DiskPart
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.eviction.thresholds import Threshold, unset


class NodeReclaim(StrEnum):
    """What a node reclaims before it evicts pods."""

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
    """The way in which images and containers share the filesystems of a node.

    Attributes:
        split_container_image_fs: whether writable layers of containers aren't stored with the
            images, but with everything else.
    """

    dedicated_image_fs: bool = False
    split_container_image_fs: bool = False

    @property
    def is_split(self) -> bool:
        """Whether images are alone on their filesystem."""
        return self.dedicated_image_fs and self.split_container_image_fs

    def parts(self, signal: Signal) -> frozenset[DiskPart]:
        """The parts of a pod's disk usage that count for a signal of a filesystem."""
        if not self.dedicated_image_fs:
            return _EVERYTHING
        if self.is_split:
            return frozenset() if signal in _IMAGEFS else _EVERYTHING
        return _REST if signal in _NODEFS else _WRITABLE

    def reclaims(self, signal: Signal) -> tuple[NodeReclaim, ...]:
        """What the node reclaims for a signal, in this order."""
        if signal not in _FILESYSTEMS:
            return ()
        if self.is_split:
            return (NodeReclaim.IMAGES,) if signal in _IMAGEFS else (NodeReclaim.CONTAINERS,)
        if self.dedicated_image_fs and signal in _NODEFS:
            return ()
        return (NodeReclaim.CONTAINERS, NodeReclaim.IMAGES)

    def with_containerfs(self, thresholds: Iterable[Threshold]) -> tuple[Threshold, ...]:
        """Thresholds with those of containerfs, which are those of nodefs or of imagefs.

        The last thresholds of containerfs itself are overwritten. Where nodefs or imagefs has no
        threshold, that of containerfs is unset.
        """
        made = list(thresholds)
        if self.split_container_image_fs and not self.dedicated_image_fs:
            return tuple(made)
        sources = _IMAGEFS if self.dedicated_image_fs and not self.is_split else _NODEFS
        for target, source_signal in zip(_CONTAINERFS, sources, strict=True):
            for is_hard in (True, False):
                places = {one.signal: at for at, one in enumerate(made) if one.is_hard is is_hard}
                new = unset(target)
                if source_signal in places:
                    source = made[places[source_signal]]
                    new = Threshold(target, source.value, source.grace_period_s, source.min_reclaim)
                at = places.get(target, len(made))
                made[at : at + 1] = [new]
        return tuple(made)
