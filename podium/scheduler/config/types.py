"""The configuration of the scheduler as values: profiles, and plugins per extension point.

The names are those of `KubeSchedulerConfiguration` in `kubescheduler.config.k8s.io/v1`, in
Python's spelling. Values here are defaulted: a profile's plugin sets are already merged with the
default plugins, and its `plugin_config` has arguments for every in-tree plugin that takes any.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from podium.api.documents.document import Choice, Document, Duration, Range
from podium.api.errors import FieldError
from podium.scheduler.config.args import Args

KIND = "KubeSchedulerConfiguration"
ALL_PLUGINS = "*"

_LEASES = "leases"
# By how much client-go lengthens the wait between two tries, at most.
_JITTER = 1.2


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


def _or(default: Any) -> AfterValidator:
    return AfterValidator(lambda value: value or default)


class LeaderElection(Document):
    """How schedulers agree on the one that schedules; `podium scheduler` heeds it.

    The rules are those of `ValidateLeaderElectionConfiguration` and of client-go's elector. What is
    zero or empty is as if it weren't there.
    """

    leader_elect: bool = True
    lease_duration_s: Annotated[Duration, _or(15.0), Field(alias="leaseDuration")] = 15.0
    renew_deadline_s: Annotated[Duration, _or(10.0), Field(alias="renewDeadline")] = 10.0
    retry_period_s: Annotated[Duration, _or(2.0), Field(alias="retryPeriod")] = 2.0
    resource_lock: Annotated[str, Choice((_LEASES,), may_be_empty=True)] = _LEASES
    resource_name: Annotated[str, _or("kube-scheduler")] = "kube-scheduler"
    resource_namespace: Annotated[str, _or("kube-system")] = "kube-system"

    def contradictions(self) -> Iterator[FieldError]:
        """What is wrong with the times together."""
        if not self.leader_elect:
            return
        lease, renewal = f"{self.lease_duration_s:g}s", f"{self.renew_deadline_s:g}s"
        if self.lease_duration_s < 1.0:
            message = "must be at least 1s: leases count whole seconds"
            yield FieldError("leaseDuration", lease, message)
        if self.lease_duration_s <= self.renew_deadline_s:
            message = f"must be longer than renewDeadline, {renewal}"
            yield FieldError("leaseDuration", lease, message)
        if self.renew_deadline_s <= _JITTER * self.retry_period_s:
            message = f"must be longer than {_JITTER} times retryPeriod, {self.retry_period_s:g}s"
            yield FieldError("renewDeadline", renewal, message)


class ClientConnection(Document):
    """How the API server is talked to; `podium scheduler` heeds it, and speaks JSON."""

    kubeconfig: str = ""
    accept_content_types: str = ""
    content_type: str = ""
    # 0, also where nothing is written, stands for the default; below 0, qps has no limit.
    qps: Annotated[float, Field(strict=False, validate_default=True), _or(50.0)] = 0.0
    burst: Annotated[int, Range(0), Field(validate_default=True), _or(100)] = 0


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
    leader_election: LeaderElection = field(default_factory=LeaderElection)
    client_connection: ClientConnection = field(default_factory=ClientConnection)
