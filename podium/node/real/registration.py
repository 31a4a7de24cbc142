"""What a real node tells of itself: its Node, and the status of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium import __version__
from podium.api.meta import annotations, labels
from podium.node.pressure.config import allocatable
from podium.node.real.kubelet_config import KubeletConfig

Object = Mapping[str, Any]

VERSION = "v1.36.2"
LOGS = "podium.dev/log-directory"
"""Annotation: where on its machine a node keeps the logs of its pods."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a machine is.

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


def node_object(
    name: str, facts: Facts, config: KubeletConfig, extra: Mapping[str, str]
) -> dict[str, Any]:
    """The Node, as it is registered.

    Args:
        name: the node's.
        facts: about its machine.
        config: how it is configured.
        extra: labels that it is to have besides.
    """
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {**own_labels(name, facts), **extra},
            "annotations": {LOGS: facts.log_directory},
        },
        "spec": {},
        "status": node_status(name, facts, config),
    }


def own_labels(name: str, facts: Facts) -> dict[str, str]:
    """The labels that each node has."""
    system = {"os": facts.info["operatingSystem"], "arch": facts.info["architecture"]}
    found = {f"kubernetes.io/{key}": value for key, value in system.items()}
    return {**found, "kubernetes.io/hostname": name}


def node_status(name: str, facts: Facts, config: KubeletConfig) -> dict[str, Any]:
    """Of the Node's status all but its conditions."""
    capacity = {
        "cpu": str(facts.cpus),
        "memory": f"{facts.memory_bytes // 1024}Ki",
        "ephemeral-storage": f"{facts.disk_bytes // 1024}Ki",
        "pods": str(config.pods_max),
    }
    return {
        "capacity": capacity,
        "allocatable": allocatable(capacity, config.raw),
        "addresses": [
            {"type": "InternalIP", "address": facts.address},
            {"type": "Hostname", "address": name},
        ],
        "nodeInfo": {
            "kubeletVersion": VERSION,
            "containerRuntimeVersion": f"podium://{__version__}",
            "kubeProxyVersion": "",
            "machineID": "",
            "systemUUID": "",
            "bootID": "",
            **facts.info,
        },
    }


def missing_metadata(node: Object, wanted: Object) -> dict[str, Any]:
    """What of labels and annotations a registered Node lacks; empty if nothing."""
    lacking = {}
    for field_name, found, needed in (
        ("labels", labels(node), labels(wanted)),
        ("annotations", annotations(node), annotations(wanted)),
    ):
        other = {key: value for key, value in needed.items() if found.get(key) != value}
        if other:
            lacking[field_name] = other
    return lacking
