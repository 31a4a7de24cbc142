"""The usage of a node and its pods, as in the kubelet's statistics."""

from collections.abc import Iterable, Mapping
from enum import Enum

import msgspec

from podium.api.objects import Object, spec_of
from podium.api.pod_specs import volumes_of
from podium.kubelet.eviction.signals import Signal


class DiskPart(Enum):
    """The parts of a pod's disk usage: writable layers, logs, volumes."""

    ROOTFS = "rootfs"
    LOGS = "logs"
    VOLUMES = "volumes"


class Observation(msgspec.Struct, frozen=True):
    """The reading of a signal, in bytes, inodes or process ids; its time may be unknown."""

    available: int
    capacity: int
    observed_s: float | None = None


Observations = Mapping[Signal, Observation]


class DiskUsage(msgspec.Struct, frozen=True):
    """The usage of a filesystem; None where it isn't known."""

    used_bytes: int | None = None
    inodes: int | None = None


NO_DISK = DiskUsage()


class ContainerUsage(msgspec.Struct, frozen=True):
    """The memory (working set; None if unknown) and disk usage of a container."""

    name: str
    memory_bytes: int | None = None
    rootfs: DiskUsage = NO_DISK
    logs: DiskUsage = NO_DISK


class PodUsage(msgspec.Struct, frozen=True):
    """The memory, disk and process ids that a pod uses.

    Attributes:
        memory_bytes: its working set; None if it isn't known.
        ephemeral_storage_bytes: what counts against its limit of ephemeral storage.
    """

    memory_bytes: int | None = None
    containers: tuple[ContainerUsage, ...] = ()
    volumes: Mapping[str, DiskUsage] = msgspec.field(default_factory=dict)
    ephemeral_storage_bytes: int = 0
    processes: int = 0

    def disk(self, pod: Object, parts: Iterable[DiskPart]) -> DiskUsage:
        """The sum of parts of the disk usage; volumes count if they are on the node's disks."""
        counted: list[DiskUsage] = []
        for part in parts:
            match part:
                case DiskPart.ROOTFS:
                    counted += (one.rootfs for one in self.containers)
                case DiskPart.LOGS:
                    counted += (one.logs for one in self.containers)
                case DiskPart.VOLUMES:
                    counted += (self.volumes.get(one, NO_DISK) for one in local_volumes(pod))
        return DiskUsage(
            sum(one.used_bytes or 0 for one in counted), sum(one.inodes or 0 for one in counted)
        )


class Statistics(msgspec.Struct, frozen=True):
    """A node's eviction signals as read, and its pods' usage by uid; a pod may be missing."""

    observations: Observations
    usage: Mapping[str, PodUsage]


def local_volumes(pod: Object) -> list[str]:
    """The names of a pod's volumes that lie on the node's disks."""
    return [
        volume["name"]
        for volume in volumes_of(spec_of(pod))
        if volume.get("hostPath") is not None or _is_ephemeral(volume)
    ]


def ephemeral_volumes(pod: Object) -> list[str]:
    """The names of the local volumes that are deleted with the pod."""
    return [volume["name"] for volume in volumes_of(spec_of(pod)) if _is_ephemeral(volume)]


def _is_ephemeral(volume: Object) -> bool:
    empty_dir = volume.get("emptyDir")
    if empty_dir is not None and not empty_dir.get("medium"):
        return True
    return any(volume.get(kind) is not None for kind in ("gitRepo", "configMap"))
