"""What a kubelet asks of a container runtime, in the terms of the Container Runtime Interface.

A kubelet decides which containers run when; a runtime starts and ends them. There are two: scripts
in virtual time (`podium.kubelet.simulated`), which know at once when a container will exit, and the
processes of a machine (`podium.kubelet.real`), which are commanded by effects and answer later.
Images aren't modelled.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from podium.api.objects import Object
from podium.kubelet.containers.container import PodSandbox
from podium.kubelet.containers.pod_worker import PodWorker
from podium.kubelet.pod_admission import PodRejection
from podium.machines.effects import Effect


class ContainerRuntime(Protocol):
    """The container runtime of one node.

    Attributes:
        is_down: whether the node is silent and can't be reached.
        conditions: statuses by type of the node's conditions that aren't as on a healthy node.
    """

    host_ip: str
    is_down: bool
    conditions: Mapping[str, str]

    def see(self, node: Object) -> None:
        """Take in how the node is now."""

    def sandbox(self, pod: Object, *, resumes: bool) -> PodSandbox | PodRejection:
        """Where a pod would run, or why it can't; `resumes` if it ran before the kubelet did."""

    def resume(self, worker: PodWorker, now_s: float) -> None:
        """Bring a pod that was taken before to where its status, and the runtime, have it."""

    def renew(self, worker: PodWorker, now_s: float) -> Iterable[Effect]:
        """Take in how a pod has changed; events to record, if any."""
