"""What is used in an embedded cluster, as its simulated nodes tell."""

from collections.abc import Mapping

from podium.api.objects import Object, name
from podium.api.usage import Usage
from podium.cluster.virtual import Cluster
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets


class MeteredUsage:
    """Asks the simulated kubelets; follows `podium.api.usage.UsageReader`.

    Of what a real machine runs nothing is known.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def node(self, node: Object, now_s: float) -> Usage | None:
        kubelets = self._kubelets()
        return None if kubelets is None else kubelets.node_usage(name(node), now_s)

    def pod(self, pod: Object, now_s: float) -> Mapping[str, Usage] | None:
        kubelets = self._kubelets()
        return None if kubelets is None else kubelets.pod_usage(pod, now_s)

    def _kubelets(self) -> SimulatedKubelets | None:
        handle = self._cluster.kubelets
        machine = None if handle is None else handle.machine
        return machine if isinstance(machine, SimulatedKubelets) else None
