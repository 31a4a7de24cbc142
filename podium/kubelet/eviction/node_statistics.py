"""What a node and its pods use, as the kubelet's statistics tell it."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

import msgspec

from podium.api.objects import Object, spec_of
from podium.api.pod_specs import volumes_of
from podium.kubelet.eviction.signals import Signal


class DiskPart(Enum):
    """The parts of what a pod uses of disks: layers of containers, logs, volumes."""

    ROOTFS = "rootfs"
    LOGS = "logs"
    VOLUMES = "volumes"


class Observation(msgspec.Struct, frozen=True):
    """One eviction signal's reading, in bytes, inodes or process ids; its time may be unknown."""

    available: int
    capacity: int
    observed_s: float | None = None


Observations = Mapping[Signal, Observation]


class DiskUsage(msgspec.Struct, frozen=True):
    """The space that a directory or layer takes of a filesystem; None where it isn't known."""

    used_bytes: int | None = None
    inodes: int | None = None


NO_DISK = DiskUsage()


class ContainerUsage(msgspec.Struct, frozen=True):
    """The memory (working set; None if unknown) and disk that one container uses."""

    name: str
    memory_bytes: int | None = None
    rootfs: DiskUsage = NO_DISK
    logs: DiskUsage = NO_DISK


class PodUsage(msgspec.Struct, frozen=True):
    """The memory, disk and process ids that one pod uses.

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
        """What these parts and volumes on the node take of its disks; unknown counts as nothing."""
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
        one["name"]
        for one in _volumes(pod)
        if one.get("hostPath") is not None or _is_ephemeral(one)
    ]


def ephemeral_volumes(pod: Object) -> list[str]:
    """Those of them that go with the pod."""
    return [one["name"] for one in _volumes(pod) if _is_ephemeral(one)]


def _volumes(pod: Object) -> Sequence[Object]:
    return volumes_of(spec_of(pod))


def _is_ephemeral(volume: Object) -> bool:
    empty_dir = volume.get("emptyDir")
    if empty_dir is not None and not empty_dir.get("medium"):
        return True
    return any(volume.get(kind) is not None for kind in ("gitRepo", "configMap"))
