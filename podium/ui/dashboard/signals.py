"""The eviction signals of simulated nodes."""

from podium.api.values.quantity import NANOS_PER_UNIT, Quantity
from podium.cluster.virtual import Cluster
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.ui.dashboard.pages import SignalRow


def signals_of(cluster: Cluster, node: str) -> list[SignalRow]:
    """What a node measures now; nothing if it isn't simulated."""
    machine = None if cluster.kubelets is None else cluster.kubelets.machine
    if not isinstance(machine, SimulatedKubelets):
        return []
    rows = []
    for threshold, observed in machine.readings(node, cluster.driver.now_s):
        signal, available, value = threshold.signal, "", str(threshold.value)
        if observed is not None:
            left = Quantity(observed.available * NANOS_PER_UNIT, signal.starved.unit)
            available = str(left)
            if threshold.value.quantity is None:
                value = f"{value} ({threshold.value.of(observed.capacity)})"
        kind = "hard" if threshold.is_hard else f"soft, for {threshold.grace_period_s:g} s"
        rows.append(SignalRow(signal=signal, available=available, threshold=value, kind=kind))
    return rows
