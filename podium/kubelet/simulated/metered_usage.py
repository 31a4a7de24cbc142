"""What containers on simulated nodes use, for those who ask for metrics.

Memory is what the node's own meters say: what annotations script, and otherwise nothing. Nothing
scripts the CPU: a container uses what it requests.
"""

from collections.abc import Mapping

from podium.api.pod_specs import requests_of
from podium.api.usage import Usage
from podium.api.values.quantity import parse_quantity
from podium.kubelet.containers.container import Container, State
from podium.kubelet.containers.pod_worker import PodWorker
from podium.kubelet.simulated.stats_provider import memory_bytes_of


def container_usages(worker: PodWorker, at_s: float) -> Mapping[str, Usage]:
    """What the containers of a pod that run use, by name; the main ones share the memory."""
    share, rest = divmod(memory_bytes_of(worker, at_s), len(worker.main))
    memory = {one.name: share for one in worker.main}
    memory[worker.main[0].name] += rest
    running = (one for one in worker.containers if one.state is State.RUNNING)
    return {one.name: Usage(_requested_nanos(one), memory.get(one.name, 0)) for one in running}


def _requested_nanos(container: Container) -> int:
    return parse_quantity(requests_of(container.spec).get("cpu", 0)).nanos
