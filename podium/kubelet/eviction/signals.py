"""The eviction signals, what they starve, and the node conditions that they stand for."""

from collections.abc import Mapping
from enum import StrEnum

from podium.api.nodes import DISK_PRESSURE, MEMORY_PRESSURE, PID_PRESSURE
from podium.api.values.quantity import Format

MEMORY, EPHEMERAL_STORAGE, INODES, PIDS = "memory", "ephemeral-storage", "inodes", "pids"


class Signal(StrEnum):
    """The eviction signals of the kubelet, by their names."""

    MEMORY_AVAILABLE = "memory.available"
    ALLOCATABLE_MEMORY_AVAILABLE = "allocatableMemory.available"
    NODEFS_AVAILABLE = "nodefs.available"
    NODEFS_INODES_FREE = "nodefs.inodesFree"
    IMAGEFS_AVAILABLE = "imagefs.available"
    IMAGEFS_INODES_FREE = "imagefs.inodesFree"
    CONTAINERFS_AVAILABLE = "containerfs.available"
    CONTAINERFS_INODES_FREE = "containerfs.inodesFree"
    PID_AVAILABLE = "pid.available"

    @property
    def resource(self) -> str:
        """What pods are evicted to reclaim, as messages name it."""
        return _RESOURCES.get(self, INODES if self.endswith("inodesFree") else EPHEMERAL_STORAGE)

    @property
    def condition(self) -> str:
        """The type of the node condition that tells of it."""
        return _CONDITIONS[self.resource]

    @property
    def quantity_format(self) -> Format:
        """How amounts observed of it are printed."""
        return Format.DECIMAL_SI if self.resource in (INODES, PIDS) else Format.BINARY_SI

    @property
    def rank(self) -> int:
        """Its place in the order of looking after signals."""
        return _RANKS[self]


_RESOURCES: Mapping[Signal, str] = {
    Signal.MEMORY_AVAILABLE: MEMORY,
    Signal.ALLOCATABLE_MEMORY_AVAILABLE: MEMORY,
    Signal.PID_AVAILABLE: PIDS,
}
_CONDITIONS = {
    MEMORY: MEMORY_PRESSURE,
    EPHEMERAL_STORAGE: DISK_PRESSURE,
    INODES: DISK_PRESSURE,
    PIDS: PID_PRESSURE,
}
_RANKS = {signal: rank for rank, signal in enumerate(Signal)}
