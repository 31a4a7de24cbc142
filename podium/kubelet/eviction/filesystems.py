"""What a node's images, containers and the rest of it share of its filesystems.

On it depends which thresholds go for containerfs, what of a pod counts as its usage, and what a
node can throw away before it evicts pods.
"""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from podium.kubelet.eviction.node_statistics import DiskPart
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.eviction.thresholds import Threshold, unset


class NodeReclaim(StrEnum):
    """What a node throws away before it evicts pods."""

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
        split_container_image_fs: of the two that images and containers make, the writable layers
            of containers aren't with the images but with the rest.
    """

    dedicated_image_fs: bool = False
    split_container_image_fs: bool = False

    @property
    def is_split(self) -> bool:
        """Images are alone on their filesystem."""
        return self.dedicated_image_fs and self.split_container_image_fs

    def parts(self, signal: Signal) -> frozenset[DiskPart]:
        """What of a pod's disk usage counts when a signal of a filesystem tells of pressure."""
        if not self.dedicated_image_fs:
            return _EVERYTHING
        if self.is_split:
            return frozenset() if signal in _IMAGEFS else _EVERYTHING
        return _REST if signal in _NODEFS else _WRITABLE

    def reclaims(self, signal: Signal) -> tuple[NodeReclaim, ...]:
        """What the node throws away when a signal tells of pressure, in this order."""
        if signal not in _FILESYSTEMS:
            return ()
        if self.is_split:
            return (NodeReclaim.IMAGES,) if signal in _IMAGEFS else (NodeReclaim.CONTAINERS,)
        if self.dedicated_image_fs and signal in _NODEFS:
            return ()
        return (NodeReclaim.CONTAINERS, NodeReclaim.IMAGES)

    def with_containerfs(self, thresholds: Iterable[Threshold]) -> tuple[Threshold, ...]:
        """Thresholds with those of containerfs, which are those of nodefs or of imagefs.

        Thresholds that were set for containerfs itself are overwritten. Where there is nothing to
        take them from, they stand there unset.
        """
        found = list(thresholds)
        if self.split_container_image_fs and not self.dedicated_image_fs:
            return tuple(found)
        whose = _IMAGEFS if self.dedicated_image_fs and not self.is_split else _NODEFS
        for target, source_signal in zip(_CONTAINERFS, whose, strict=True):
            for is_hard in (True, False):
                new = unset(target)
                if (at := _last(found, source_signal, is_hard)) >= 0:
                    source = found[at]
                    new = Threshold(target, source.value, source.grace_period_s, source.min_reclaim)
                at = _last(found, target, is_hard)
                if at >= 0:
                    found[at] = new
                else:
                    found.append(new)
        return tuple(found)


def _last(thresholds: list[Threshold], signal: Signal, is_hard: bool) -> int:
    return max(
        (
            at
            for at, one in enumerate(thresholds)
            if one.signal is signal and one.is_hard is is_hard
        ),
        default=-1,
    )
