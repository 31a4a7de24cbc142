"""The Node object of a real node."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.release import __version__
from podium.api.well_known import HOSTNAME_LABEL, LOG_DIRECTORY
from podium.kubelet.kubelet_config import KubeletConfiguration
from podium.kubelet.node_status import addresses


@dataclass(frozen=True, slots=True, kw_only=True)
class HostInfo:
    """The host on which a kubelet runs."""

    address: str
    cpus: int
    memory_bytes: int
    disk_bytes: int
    """Size of the filesystem that holds the pods' files."""
    uid: int
    """User id with which all containers run."""
    log_directory: str
    port: int = 0
    """Port of the kubelet's endpoint; 0 for none."""
    info: Mapping[str, str] = field(default_factory=dict)
    """Fields of `nodeInfo`."""


VERSION = "v1.36.2"


def node_object(
    name: str, host: HostInfo, config: KubeletConfiguration, extra: Mapping[str, str]
) -> dict[str, Any]:
    """Return the Node to register, without conditions."""
    capacity = {
        "cpu": str(host.cpus),
        "memory": f"{host.memory_bytes // 1024}Ki",
        "ephemeral-storage": f"{host.disk_bytes // 1024}Ki",
        "pods": str(config.max_pods),
    }
    unknown = dict.fromkeys(("kubeProxyVersion", "machineID", "systemUUID", "bootID"), "")
    runtime = f"podium://{__version__}"
    versions = {"kubeletVersion": VERSION, "containerRuntimeVersion": runtime}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/os": host.info["operatingSystem"],
                "kubernetes.io/arch": host.info["architecture"],
                HOSTNAME_LABEL: name,
                **extra,
            },
            "annotations": {LOG_DIRECTORY: host.log_directory},
        },
        "spec": {},
        "status": {
            "capacity": capacity,
            "allocatable": config.allocatable(capacity),
            "addresses": addresses(name, host.address),
            "nodeInfo": {**versions, **unknown, **host.info},
            "daemonEndpoints": {"kubeletEndpoint": {"Port": host.port}},
        },
    }
