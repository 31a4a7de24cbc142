"""What a real node's kubelet knows of its machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineInfo:
    """The machine on which a kubelet runs, as far as pods and the cluster are told of it.

    Attributes:
        hostname: what it calls itself.
        address: its own, as others reach it.
        cpus: how many it has.
        memory_bytes: all that processes can have.
        disk_bytes: the size of the filesystem on which pods are.
        uid: the user whose processes containers are.
        log_directory: where logs are kept.
        info: the fields of `nodeInfo` that it tells.
    """

    hostname: str
    address: str
    cpus: int
    memory_bytes: int
    disk_bytes: int
    uid: int
    log_directory: str
    info: Mapping[str, str] = field(default_factory=dict)
