"""Nodes under pressure, in few words."""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.documents.document import read
from podium.api.objects import Object
from podium.api.values.quantity import value
from podium.kubelet.eviction.eviction_manager import EvictionConfig, EvictionManager
from podium.kubelet.eviction.filesystems import Filesystems
from podium.kubelet.eviction.node_statistics import Observation, PodUsage, Statistics
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.kubelet_config import EvictionSettings
from tests import objects
from tests.replacing import replace

GI = 2**30
MI = 2**20


def pod(called: str, request: str = "", priority: int = 0, **spec: Any) -> dict[str, Any]:
    resources = {"requests": {"memory": request}} if request else {}
    containers = [objects.container(resources=resources)]
    usual = {"uid": called, "containers": containers, "priority": priority}
    return objects.pod(called, **{**usual, **spec})


def read_exactly(kubelet: Mapping[str, Any]) -> EvictionConfig:
    return read(EvictionSettings, kubelet).eviction_as_written()


def config(filesystems: Filesystems | None = None, **kubelet: Any) -> EvictionConfig:
    return replace(read_exactly(kubelet), filesystems=filesystems or Filesystems())


def memory(available: str | int, capacity: str = "8Gi") -> dict[Signal, Observation]:
    return {Signal.MEMORY_AVAILABLE: Observation(value(available), value(capacity))}


class Node:
    """A manager, the pods on its node, and what they use."""

    def __init__(self, configured: EvictionConfig, pods: Sequence[Object]) -> None:
        self.manager = EvictionManager(configured)
        self.pods = list(pods)
        self.usage: dict[str, PodUsage] = {}
        self.now_s = 0.0

    def evicted(self, observed: Mapping[Signal, Observation], after_s: float = 0) -> list[str]:
        """Play a round, and remove the pods that it evicts."""
        self.now_s += after_s
        found = self.manager.look(Statistics(observed, self.usage), self.pods, self.now_s).evictions
        self.pods = [pod for pod in self.pods if pod not in [eviction.pod for eviction in found]]
        return [eviction.pod["metadata"]["name"] for eviction in found]
