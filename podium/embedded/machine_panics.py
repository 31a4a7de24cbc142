"""How often machines have panicked, as a metric."""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from podium.runtime.machine_health import MachineHealth


class MachinePanics(Collector):
    """Tells `podium_machine_panics_total`, a line for each machine.

    Args:
        health: knows of them.
    """

    def __init__(self, health: MachineHealth) -> None:
        self._health = health

    def collect(self) -> Iterator[CounterMetricFamily]:
        """The one family."""
        text = "Exceptions that machines, or the server at their calls, didn't expect: bugs."
        family = CounterMetricFamily("podium_machine_panics", text, labels=["machine"])
        for name in self._health.machines:
            family.add_metric([name], self._health.panics[name])
        yield family
