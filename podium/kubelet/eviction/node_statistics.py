"""The statistics of a node and its pods on which evictions depend."""

from collections.abc import Iterable, Mapping
from enum import Enum

import msgspec

from podium.api.objects import Object, spec_of
from podium.api.pods import volumes_of
from podium.kubelet.eviction.signals import Signal


class DiskPart(Enum):
    """The parts of a pod's disk usage."""

    ROOTFS = "rootfs"
    LOGS = "logs"
    VOLUMES = "volumes"


class Observation(msgspec.Struct, frozen=True):
    """An eviction signal's observation, in bytes, inodes or process ids, and its time if known."""

    available: int
    capacity: int
    observed_s: float | None = None


Observations = Mapping[Signal, Observation]


class DiskUsage(msgspec.Struct, frozen=True):
    """The usage of a filesystem, in bytes and inodes; None for unknown amounts."""

    used_bytes: int | None = None
    inodes: int | None = None


NO_DISK = DiskUsage()


class ContainerUsage(msgspec.Struct, frozen=True):
    """The memory (working set) and disk usage of a container; None for unknown memory."""

    name: str
    memory_bytes: int | None = None
    rootfs: DiskUsage = NO_DISK
    logs: DiskUsage = NO_DISK


class PodUsage(msgspec.Struct, frozen=True):
    """The usage of a pod."""

    memory_bytes: int | None = None
    """Working set; None if unknown."""
    containers: tuple[ContainerUsage, ...] = ()
    volumes: Mapping[str, DiskUsage] = msgspec.field(default_factory=dict)
    ephemeral_storage_bytes: int = 0
    """Usage that counts against the limit of ephemeral storage."""
    processes: int = 0

    def disk(self, pod: Object, parts: Iterable[DiskPart]) -> DiskUsage:
        """Return the sum of parts of the pod's disk usage; of volumes, only local ones count."""
        counted: list[DiskUsage] = []
        for part in parts:
            match part:
                case DiskPart.ROOTFS:
                    counted += (container.rootfs for container in self.containers)
                case DiskPart.LOGS:
                    counted += (container.logs for container in self.containers)
                case DiskPart.VOLUMES:
                    counted += (
                        self.volumes.get(volume["name"], NO_DISK)
                        for volume in volumes_of(spec_of(pod))
                        if volume.get("hostPath") is not None or _is_ephemeral(volume)
                    )
        return DiskUsage(
            sum(disk.used_bytes or 0 for disk in counted), sum(disk.inodes or 0 for disk in counted)
        )


class Statistics(msgspec.Struct, frozen=True):
    """The observations of a node's eviction signals, and the known usage of its pods by uid."""

    observations: Observations
    usage: Mapping[str, PodUsage]


def ephemeral_volumes(pod: Object) -> list[str]:
    """Return the names of a pod's local volumes that are deleted with the pod."""
    return [volume["name"] for volume in volumes_of(spec_of(pod)) if _is_ephemeral(volume)]


def _is_ephemeral(volume: Object) -> bool:
    empty_dir = volume.get("emptyDir")
    if empty_dir is not None and not empty_dir.get("medium"):
        return True
    return any(volume.get(kind) is not None for kind in ("gitRepo", "configMap"))
