"""The eviction signals, and the properties of each resource for which a kubelet evicts pods.

Conditions, Events, units, the ranking of pods and the annotations of scripted usage are derived
from `EvictionResource`. A new signal needs a member of `Signal`, and an observation wherever nodes
are measured.
"""

from enum import StrEnum
from typing import NamedTuple, Self

from podium.api.nodes import DISK_PRESSURE, MEMORY_PRESSURE, PID_PRESSURE
from podium.api.values.quantity import Format

MEMORY, EPHEMERAL_STORAGE, INODES, PIDS = "memory", "ephemeral-storage", "inodes", "pids"


class PressureCondition(NamedTuple):
    """A pressure condition, with the ends of its reason and message if it is present or absent."""

    present: tuple[str, str]
    absent: tuple[str, str]


PRESSURE_CONDITIONS = {
    MEMORY_PRESSURE: PressureCondition(
        ("InsufficientMemory", "insufficient memory available"),
        ("SufficientMemory", "sufficient memory available"),
    ),
    DISK_PRESSURE: PressureCondition(
        ("DiskPressure", "disk pressure"), ("NoDiskPressure", "no disk pressure")
    ),
    PID_PRESSURE: PressureCondition(
        ("InsufficientPID", "insufficient PID available"),
        ("SufficientPID", "sufficient PID available"),
    ),
}


class EvictionResource(NamedTuple):
    """A resource for which a kubelet evicts pods."""

    name: str
    condition: str
    unit: Format
    """Format of amounts."""
    annotation: str
    """End of the annotation `podium.dev/usage-…` that scripts a pod's usage."""
    usage: str
    """Field of the pod's usage in `PodUsage`, or in `DiskUsage` for disk resources."""
    is_disk: bool
    compared_with: str
    """Resource whose request is compared with the usage; empty for no comparison."""

    @property
    def is_requestable(self) -> bool:
        """Return whether pods can request the resource, and nodes have a capacity of it."""
        return self.compared_with == self.name


_MEMORY = EvictionResource(
    MEMORY, MEMORY_PRESSURE, Format.BINARY_SI, "memory", "memory_bytes", False, MEMORY
)
_EPHEMERAL_STORAGE = EvictionResource(
    EPHEMERAL_STORAGE,
    DISK_PRESSURE,
    Format.BINARY_SI,
    "disk",
    "used_bytes",
    True,
    EPHEMERAL_STORAGE,
)
# No pod can request inodes; the kubelet compares them with the request for ephemeral storage.
_INODES = EvictionResource(
    INODES, DISK_PRESSURE, Format.DECIMAL_SI, "inodes", "inodes", True, EPHEMERAL_STORAGE
)
_PIDS = EvictionResource(PIDS, PID_PRESSURE, Format.DECIMAL_SI, "processes", "processes", False, "")


class Signal(StrEnum):
    """The eviction signals of the kubelet by their names."""

    starved: EvictionResource
    rank: int

    def __new__(cls, value: str, *starved: EvictionResource) -> Self:
        signal = str.__new__(cls, value)
        signal._value_ = value
        (signal.starved,) = starved
        signal.rank = len(cls.__members__)
        return signal

    MEMORY_AVAILABLE = "memory.available", _MEMORY
    ALLOCATABLE_MEMORY_AVAILABLE = "allocatableMemory.available", _MEMORY
    NODEFS_AVAILABLE = "nodefs.available", _EPHEMERAL_STORAGE
    NODEFS_INODES_FREE = "nodefs.inodesFree", _INODES
    IMAGEFS_AVAILABLE = "imagefs.available", _EPHEMERAL_STORAGE
    IMAGEFS_INODES_FREE = "imagefs.inodesFree", _INODES
    CONTAINERFS_AVAILABLE = "containerfs.available", _EPHEMERAL_STORAGE
    CONTAINERFS_INODES_FREE = "containerfs.inodesFree", _INODES
    PID_AVAILABLE = "pid.available", _PIDS

    @property
    def resource(self) -> str:
        return self.starved.name


RESOURCES = tuple(dict.fromkeys(signal.starved for signal in Signal))
CAPACITY_SIGNALS = (Signal.MEMORY_AVAILABLE, Signal.NODEFS_AVAILABLE)
"""The signals whose hard thresholds are subtracted from a node's allocatable resources."""
