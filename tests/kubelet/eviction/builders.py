"""Pods and eviction settings of nodes under pressure."""

from collections.abc import Mapping
from typing import Any

from podium.api.documents.document import read
from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.eviction.filesystems import Filesystems
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
