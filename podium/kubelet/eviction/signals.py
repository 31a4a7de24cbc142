"""The eviction signals, and the one record per resource for which a kubelet evicts pods.

Conditions, events, units, the order of pods and the annotations that script usage follow from the
record: a new signal is a member of `Signal` here, and a reading in each place that measures.
"""

from enum import StrEnum
from typing import NamedTuple, Self

from podium.api.nodes import DISK_PRESSURE, MEMORY_PRESSURE, PID_PRESSURE
from podium.api.values.quantity import Format

MEMORY, EPHEMERAL_STORAGE, INODES, PIDS = "memory", "ephemeral-storage", "inodes", "pids"


class PressureCondition(NamedTuple):
    """A node condition of pressure, with the ends of reason and message while present or absent."""

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
    """A resource for which a kubelet evicts pods.

    Attributes:
        unit: the format of amounts.
        annotation: the end of the annotation `podium.dev/usage-…` that scripts a pod's usage.
        usage: the field of `PodUsage` that holds a pod's usage; of `DiskUsage` for disk.
        is_disk: whether it is a resource of filesystems.
        compared_with: the request with which usage is compared; empty if pods are ordered by
            priority and usage alone.
    """

    name: str
    condition: str
    unit: Format
    annotation: str
    usage: str
    is_disk: bool
    compared_with: str

    @property
    def is_requestable(self) -> bool:
        """Whether pods can request it, and nodes state their capacity of it."""
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
    """The eviction signals of the kubelet, by their names."""

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
"""The signals of resources in a node's capacity, whose hard thresholds pods can't use."""
