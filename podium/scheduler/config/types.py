"""The configuration of the scheduler as values: profiles, and plugins per extension point.

The names are those of `KubeSchedulerConfiguration` in `kubescheduler.config.k8s.io/v1`, in
Python's spelling. Values here are defaulted: a profile's plugin sets are already merged with the
default plugins, and its `plugin_config` has arguments for every in-tree plugin that takes any.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from podium.scheduler.config.args import Args

KIND = "KubeSchedulerConfiguration"
ALL_PLUGINS = "*"


class ExtensionPoint(StrEnum):
    """The extension points that plugins can be configured at, spelt as their fields are.

    In v1.36 `placementGenerate` and `placementScore` belong to workload scheduling, which is
    behind a gate that is off by default.
    """

    PRE_ENQUEUE = "preEnqueue"
    QUEUE_SORT = "queueSort"
    PRE_FILTER = "preFilter"
    FILTER = "filter"
    POST_FILTER = "postFilter"
    PRE_SCORE = "preScore"
    SCORE = "score"
    RESERVE = "reserve"
    PERMIT = "permit"
    PRE_BIND = "preBind"
    BIND = "bind"
    POST_BIND = "postBind"
    PLACEMENT_GENERATE = "placementGenerate"
    PLACEMENT_SCORE = "placementScore"


@dataclass(frozen=True, slots=True)
class PluginRef:
    """A plugin named in a plugin set.

    Attributes:
        weight: what its score is multiplied by; 0 where none was given (it then counts as 1).
    """

    name: str
    weight: int = 0


@dataclass(frozen=True, slots=True)
class PluginSet:
    """What is enabled and disabled at one extension point, in the order written.

    Attributes:
        disabled: names of default plugins not to run here; `*` stands for all of them.
    """

    enabled: tuple[PluginRef, ...] = ()
    disabled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PluginSets:
    """The plugin sets of a profile.

    Attributes:
        points: the sets of single extension points; absent points have an empty set.
    """

    multi_point: PluginSet = PluginSet()
    points: Mapping[ExtensionPoint, PluginSet] = field(default_factory=lambda: MappingProxyType({}))

    def at(self, point: ExtensionPoint) -> PluginSet:
        """The set configured at `point` itself."""
        return self.points.get(point, PluginSet())


@dataclass(frozen=True, slots=True)
class ProfileConfig:
    """A scheduling profile, with all defaults filled in.

    Attributes:
        percentage_of_nodes_to_score: the profile's own, else the configuration's; None where
            neither was given. Its meaning is that of `SchedulerConfiguration`'s.
    """

    scheduler_name: str
    percentage_of_nodes_to_score: int | None
    plugins: PluginSets
    plugin_config: Mapping[str, Args]


@dataclass(frozen=True, slots=True)
class LeaderElectionConfiguration:
    """How schedulers of one cluster agree on the one that schedules.

    Attributes:
        leader_elect: whether they do; without it, a scheduler schedules at once.
        lease_duration_s: how long others leave a lease alone that isn't renewed.
        renew_deadline_s: how long the leader tries to renew it before it gives up.
        retry_period_s: how long to wait between two tries.
    """

    leader_elect: bool = True
    lease_duration_s: float = 15.0
    renew_deadline_s: float = 10.0
    retry_period_s: float = 2.0
    resource_name: str = "kube-scheduler"
    resource_namespace: str = "kube-system"


@dataclass(frozen=True, slots=True)
class ClientConnectionConfiguration:
    """How the API server is talked to.

    Attributes:
        kubeconfig: where it is; empty for kubectl's own, or the service account of a pod.
        qps: how many requests a second, in the long run; not above 0 for no limit.
        burst: how many at once.
    """

    kubeconfig: str = ""
    qps: float = 50.0
    burst: int = 100


@dataclass(frozen=True, slots=True)
class SchedulerConfiguration:
    """A `KubeSchedulerConfiguration`: what changes decisions, and how a process goes about them.

    Attributes:
        profiles: at least one.
        percentage_of_nodes_to_score: the search for feasible nodes stops once this percentage
            of all nodes was found feasible; 0 asks for kube-scheduler's adaptive percentage (5
            to 50, by the number of nodes); None was not given: every node is looked at.
        parallelism: kept for those who print the configuration; decides nothing here.
    """

    profiles: tuple[ProfileConfig, ...]
    percentage_of_nodes_to_score: int | None = None
    pod_initial_backoff_seconds: int = 1
    pod_max_backoff_seconds: int = 10
    parallelism: int = 16
    leader_election: LeaderElectionConfiguration = LeaderElectionConfiguration()
    client_connection: ClientConnectionConfiguration = ClientConnectionConfiguration()
