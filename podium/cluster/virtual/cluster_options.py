"""The options of a virtual cluster."""

from collections.abc import Iterable

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.api.state_times import latest_time
from podium.apiserver.admission.plugin import AdmissionOptions
from podium.cluster.drivers.faults import INSTANT, NO_FAULTS, Faults, Latency
from podium.controllers.volumes.volume_provisioner import PROVISIONING_S
from podium.kubelet.simulated.behaviour import NodeSettings
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.framework.pod_groups import served_kinds
from podium.scheduler.machine.context import DEFAULT_FEATURES, Features
from podium.scheduler.metrics import Stopwatch

START_S = 1_767_225_600.0
"""Default start of a simulation: 2026-01-01T00:00:00Z."""


class SchedulerSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The setup of one scheduler of a cluster."""

    configuration: KubeSchedulerConfiguration | None = None
    options: SchedulerOptions | None = None
    features: Features = DEFAULT_FEATURES
    stopwatch: Stopwatch | None = None


class ClusterOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a virtual cluster: its parts and their behaviour."""

    seed: int = 0
    start_s: float = START_S
    """Time of the start, in seconds since the epoch."""
    schedulers: tuple[SchedulerSetup, ...] = (SchedulerSetup(),)
    controllers: frozenset[str] | None = None
    nodes: NodeSettings | None = msgspec.field(default_factory=NodeSettings)
    """Settings of simulated nodes; None for nodes without kubelets."""
    latency: Latency = INSTANT
    provisioning_s: float = PROVISIONING_S
    faults: Faults = NO_FAULTS
    admission: AdmissionOptions = msgspec.field(default_factory=AdmissionOptions)
    settled: bool = False
    """Whether controllers ignore a loaded object until something happens to it, even if objects
    that they would make for it are missing."""
    heals: bool = False
    """Whether loaded pods and nodes that are unhealthy become healthy after the start."""
    kinds: tuple[Kind, ...] = ()
    """Optional kinds to serve, besides those that the schedulers watch."""
    event_reasons: frozenset[str] | None = None
    """Reasons of the Events to write, such as `FailedCreate`; None for all."""

    @property
    def optional_kinds(self) -> tuple[Kind, ...]:
        gangs = (setup.options.gangs for setup in self.schedulers if setup.options is not None)
        followed = (kind for gang in gangs if gang is not None for kind in served_kinds(gang))
        return tuple(dict.fromkeys((*self.kinds, *followed)))


def start_s(objects: Iterable[Object]) -> float:
    """Return the start time for a cluster that continues a state: the latest time in the objects.

    Ages, tolerations, deadlines and back-offs count from stored times, none of which may be in the
    future. Without stored times, the start is `START_S`.
    """
    latest = latest_time(objects)
    return START_S if latest is None else latest.at_s
