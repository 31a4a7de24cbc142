"""The options of a virtual cluster."""

from collections.abc import Iterable

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.api.state_times import latest_time
from podium.apiserver.admission import AdmissionOptions
from podium.cluster.drivers.faults import INSTANT, NO_FAULTS, Faults, Latency
from podium.controllers.volumes.volume_provisioner import PROVISIONING_S
from podium.kubelet.simulated.behaviour import NodeSettings
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.framework.pod_groups import served_kinds
from podium.scheduler.machine.context import DEFAULT_FEATURES, Features
from podium.scheduler.metrics import Stopwatch

START_S = 1_767_225_600.0
"""When a simulation begins unless somebody says so: 2026-01-01T00:00:00Z."""


class SchedulerSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The setup of one scheduler of a cluster.

    Attributes:
        configuration: its profiles; v1.36's default one if None.
        stopwatch: measures what its metrics say; nothing is counted unless given.
    """

    configuration: KubeSchedulerConfiguration | None = None
    options: SchedulerOptions | None = None
    features: Features = DEFAULT_FEATURES
    stopwatch: Stopwatch | None = None


class ClusterOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a cluster consists of, and how it behaves.

    Attributes:
        start_s: the time at which it starts, in seconds since the epoch.
        controllers: names of those that run, out of `CONTROLLERS`; None for all.
        nodes: how simulated nodes are set up; None if nodes do nothing.
        provisioning_s: how long it takes to make a volume, in seconds.
        settled: whether controllers leave what was loaded as it is until something happens to it,
            even if it lacks what they would have made.
        heals: whether pods and nodes that aren't healthy in what is loaded become so at the start.
        kinds: which of the optional kinds are served, besides those that its schedulers follow.
        event_reasons: of the events that are written, such as `FailedCreate`; all are if None.
    """

    seed: int = 0
    start_s: float = START_S
    schedulers: tuple[SchedulerSetup, ...] = (SchedulerSetup(),)
    controllers: frozenset[str] | None = None
    nodes: NodeSettings | None = msgspec.field(default_factory=NodeSettings)
    latency: Latency = INSTANT
    provisioning_s: float = PROVISIONING_S
    faults: Faults = NO_FAULTS
    admission: AdmissionOptions = msgspec.field(default_factory=AdmissionOptions)
    settled: bool = False
    heals: bool = False
    kinds: tuple[Kind, ...] = ()
    event_reasons: frozenset[str] | None = None

    @property
    def optional_kinds(self) -> tuple[Kind, ...]:
        gangs = (one.options.gangs for one in self.schedulers if one.options is not None)
        followed = (kind for one in gangs if one is not None for kind in served_kinds(one))
        return tuple(dict.fromkeys((*self.kinds, *followed)))


def start_s(objects: Iterable[Object]) -> float:
    """The start of a cluster that goes on from a state, in seconds since the epoch.

    No time of the state lies ahead of it, as ages, tolerations, deadlines and back-offs are counted
    from stored times. A state without times starts at a fixed one.
    """
    latest = latest_time(objects)
    return START_S if latest is None else latest.at_s
