"""KubeSchedulerConfiguration as a document: its fields, defaults and validation.

The rules are those of `ValidateKubeSchedulerConfiguration`, `validateKubeSchedulerProfile`,
`validateCommonQueueSort` and `SetDefaults_KubeSchedulerConfiguration` in v1.36. Plugin sets are
merged as by `mergePlugins` in `pkg/scheduler/apis/config/v1/default_plugins.go`.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from podium.api.documents.document import (
    Bits,
    Choice,
    Document,
    Duration,
    Range,
    Required,
    Tuple,
    decode,
    fault,
    refuse,
    unsupported,
)
from podium.api.errors import ErrorKind, FieldError
from podium.api.pods import DEFAULT_SCHEDULER_NAME
from podium.api.values.quantity import INT64_MAX
from podium.scheduler.config.args import (
    API_VERSION,
    DEFAULT_ARGS,
    Args,
    CustomArgs,
    Percentage,
    PluginArgs,
)
from podium.scheduler.config.defaults import DEFAULT_WEIGHTS, REMOVED_PLUGINS

KIND = "KubeSchedulerConfiguration"
ALL_PLUGINS = "*"
KNOWN_PLUGINS = "known_plugins"
"""Key of the decoding context whose value is the names of all plugins that can be enabled."""

_LEASES = "leases"
# The largest factor by which client-go lengthens the wait between two tries.
_JITTER = 1.2

_NO_EXTENDERS = (
    "Podium calls no extenders; write a plugin (see docs/plugins.md) and enable it in a profile "
    "instead"
)


def _known_plugin(name: str, info: ValidationInfo) -> str:
    if info.context is None:
        # Made by the program, not read.
        return name
    known = info.context[KNOWN_PLUGINS]
    if name in REMOVED_PLUGINS:
        raise fault("removed from Kubernetes; NodeVolumeLimits does its work")
    if name not in known:
        raise unsupported(sorted(known))
    return name


PluginName = Annotated[str, Required("the name of a plugin"), AfterValidator(_known_plugin)]
Weight = Annotated[int, Bits(32), Range(0)]


class ExtensionPoint(StrEnum):
    """An extension point at which plugins can be configured, spelt like its field.

    In v1.36 `placementGenerate` and `placementScore` belong to workload scheduling, which is behind
    a gate that is off by default.
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


class EnabledPlugin(Document):
    """A plugin that a plugin set enables; a weight of 0 counts as 1."""

    name: PluginName
    weight: Weight = 0


class DisabledPlugin(Document):
    """A plugin that a plugin set disables; `*` disables all.

    Unknown names are accepted, as by kube-scheduler: they may belong to plugins of other versions.
    """

    name: Annotated[str, Required("the name of a plugin, or * for all")]
    weight: Weight = 0


class PluginSet(Document):
    """The plugins that are enabled and disabled at one extension point."""

    enabled: Tuple[EnabledPlugin] = ()
    disabled: Tuple[DisabledPlugin] = ()

    def disables(self, name: str) -> bool:
        return any(plugin.name in (name, ALL_PLUGINS) for plugin in self.disabled)

    def over(self, default: "PluginSet") -> "PluginSet":
        """Merge this plugin set with a default one.

        Default plugins that either set disables are left out. A default plugin that this set
        enables again keeps its position, but has the weight written here, even if none is written.
        Other plugins of this set follow in the order written; `expand` refuses repeated ones.
        """
        disabled = {plugin.name: plugin for plugin in (*self.disabled, *default.disabled)}
        last_written = {plugin.name: index for index, plugin in enumerate(self.enabled)}
        enabled, replacing = [], set()
        for plugin in default.enabled:
            if disabled.keys().isdisjoint((plugin.name, ALL_PLUGINS)):
                index = last_written.get(plugin.name)
                enabled.append(plugin if index is None else self.enabled[index])
                replacing.add(index)
        enabled += [plugin for i, plugin in enumerate(self.enabled) if i not in replacing]
        return PluginSet(enabled=tuple(enabled), disabled=tuple(disabled.values()))


class Plugins(Document):
    """Plugin sets of a profile: `multiPoint` for all extension points, and one for each."""

    multi_point: PluginSet = PluginSet()
    pre_enqueue: PluginSet = PluginSet()
    queue_sort: PluginSet = PluginSet()
    pre_filter: PluginSet = PluginSet()
    filter: PluginSet = PluginSet()
    post_filter: PluginSet = PluginSet()
    pre_score: PluginSet = PluginSet()
    score: PluginSet = PluginSet()
    reserve: PluginSet = PluginSet()
    permit: PluginSet = PluginSet()
    pre_bind: PluginSet = PluginSet()
    bind: PluginSet = PluginSet()
    post_bind: PluginSet = PluginSet()
    placement_generate: PluginSet = PluginSet()
    placement_score: PluginSet = PluginSet()

    def at(self, point: ExtensionPoint) -> PluginSet:
        plugin_set: PluginSet = getattr(self, point.name.lower())
        return plugin_set

    def over(self, defaults: "Plugins") -> "Plugins":
        fields = type(self).model_fields
        return Plugins(
            **{name: getattr(self, name).over(getattr(defaults, name)) for name in fields}
        )

    def given(self) -> Iterator[tuple[str, PluginSet]]:
        """Return the plugin sets that the document contains, each with the name of its field."""
        for name, field in type(self).model_fields.items():
            if name in self.model_fields_set:
                yield field.alias or name, getattr(self, name)


DEFAULT_PLUGINS = Plugins(
    multi_point=PluginSet(
        enabled=tuple(
            EnabledPlugin(name=name, weight=weight) for name, weight in DEFAULT_WEIGHTS.items()
        )
    )
)


class PluginConfig(Document):
    """The arguments of one plugin."""

    name: PluginName
    args: Any = None

    @field_validator("args", mode="after")
    @classmethod
    def _of_the_plugin(cls, value: Any, info: ValidationInfo) -> Args | None:
        if not isinstance(value, dict):
            raise fault("must be an object")
        default = DEFAULT_ARGS.get(info.data.get("name", ""))
        if default is None:
            return CustomArgs(value)
        args = decode(type(default), value)
        refuse(args.faults)
        return args.document


class Profile(Document):
    """A scheduling profile of a KubeSchedulerConfiguration."""

    scheduler_name: str | None = None
    percentage_of_nodes_to_score: Percentage | None = None
    plugins: Plugins = Plugins()
    plugin_config: Tuple[PluginConfig] = ()

    @property
    def name(self) -> str:
        return self.scheduler_name or DEFAULT_SCHEDULER_NAME

    @cached_property
    def args(self) -> Mapping[str, Args]:
        """Arguments by plugin: of in-tree plugins that take any, and of all in `plugin_config`."""
        given = {
            entry.name: entry.args or DEFAULT_ARGS.get(entry.name, CustomArgs({}))
            for entry in self.plugin_config
        }
        return {**DEFAULT_ARGS, **given}

    def contradictions(self) -> Iterator[FieldError]:
        names = [entry.name for entry in self.plugin_config]
        for at, name in enumerate(names):
            if name in names[:at]:
                yield FieldError(f"pluginConfig[{at}].name", name, "", ErrorKind.DUPLICATE)

    def notes(self, known: frozenset[str]) -> Iterator[str]:
        """Describe the fields that have no effect, each by its path below the profile."""
        for point, plugin_set in self.plugins.given():
            for at, plugin in enumerate(plugin_set.disabled):
                if plugin.name not in (*known, "*"):
                    why = f"has no effect: no plugin is named {plugin.name}"
                    yield f"plugins.{point}.disabled[{at}].name {why}"
        for at, entry in enumerate(self.plugin_config):
            path = f"pluginConfig[{at}].args"
            if isinstance(entry.args, PluginArgs):
                yield from (f"{path}{text}" for text in entry.args.notes())
            elif entry.args and entry.args.values and entry.name in DEFAULT_WEIGHTS:
                yield f"{path} has no effect: {entry.name} takes none"


UNHEEDED = "is ignored: it doesn't change decisions"
"""Note about fields that only concern the scheduler's process."""


def _or(default: Any) -> AfterValidator:
    return AfterValidator(lambda value: value or default)


class LeaderElection(Document):
    """How replicas of `podium scheduler` elect the one that schedules.

    The rules are those of `ValidateLeaderElectionConfiguration` and of client-go's elector. Zero
    and empty values count as absent.
    """

    leader_elect: bool = True
    lease_duration_s: Annotated[Duration, _or(15.0), Field(alias="leaseDuration")] = 15.0
    renew_deadline_s: Annotated[Duration, _or(10.0), Field(alias="renewDeadline")] = 10.0
    retry_period_s: Annotated[Duration, _or(2.0), Field(alias="retryPeriod")] = 2.0
    resource_lock: Annotated[str, Choice((_LEASES,), may_be_empty=True)] = _LEASES
    resource_name: Annotated[str, _or("kube-scheduler")] = "kube-scheduler"
    resource_namespace: Annotated[str, _or("kube-system")] = "kube-system"

    def contradictions(self) -> Iterator[FieldError]:
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
    """How `podium scheduler` connects to the API server; it always sends JSON."""

    kubeconfig: str = ""
    accept_content_types: str = ""
    content_type: str = ""
    # 0, also if nothing is written, means the default. A negative qps means no limit.
    qps: Annotated[float, Field(strict=False, validate_default=True), _or(50.0)] = 0.0
    burst: Annotated[int, Range(0), Field(validate_default=True), _or(100)] = 0


class KubeSchedulerConfiguration(Document):
    """The configuration of kube-scheduler."""

    api_version: Annotated[str, Choice((API_VERSION,))] = API_VERSION
    kind: Annotated[str, Choice((KIND,))] = KIND
    percentage_of_nodes_to_score: Percentage | None = None
    pod_initial_backoff_seconds: Annotated[int, Range(1, INT64_MAX)] = 1
    pod_max_backoff_seconds: Annotated[int, Range(1, INT64_MAX)] = 10
    profiles: Tuple[Profile] = ()
    extenders: Tuple[dict[str, Any]] = ()
    leader_election: LeaderElection | None = None
    client_connection: ClientConnection | None = None
    enable_profiling: bool = False
    enable_contention_profiling: bool = False
    delay_cache_until_active: bool = False
    parallelism: Annotated[int, Range(1)] = 16

    @field_validator("extenders")
    @classmethod
    def _no_extenders(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        if value:
            raise fault(_NO_EXTENDERS, ErrorKind.FORBIDDEN)
        return value

    @property
    def election(self) -> LeaderElection:
        return self.leader_election or LeaderElection()

    @property
    def connection(self) -> ClientConnection:
        return self.client_connection or ClientConnection()

    def with_defaults(self) -> Self:
        """Return the configuration with all defaults and at least one profile.

        Profiles without `percentageOfNodesToScore` have the configuration's, or filter all nodes.
        """
        profiles = []
        for profile in self.profiles or (Profile(),):
            percentage = profile.percentage_of_nodes_to_score
            if percentage is None:
                percentage = self.percentage_of_nodes_to_score
            filled = {
                "scheduler_name": profile.name,
                "percentage_of_nodes_to_score": percentage,
                "plugins": profile.plugins.over(DEFAULT_PLUGINS),
            }
            profiles.append(profile.model_copy(update=filled))
        return self.model_copy(update={"profiles": tuple(profiles)})

    def contradictions(self) -> Iterator[FieldError]:
        initial, longest = self.pod_initial_backoff_seconds, self.pod_max_backoff_seconds
        if longest < initial:
            message = f"must be at least podInitialBackoffSeconds, {initial}"
            yield FieldError("podMaxBackoffSeconds", longest, message)
        # Profiles without a name, or with the name of another profile.
        first: dict[str, int] = {}
        for at, profile in enumerate(self.profiles):
            field, name = f"profiles[{at}].schedulerName", profile.scheduler_name
            if name == "" or (name is None and len(self.profiles) > 1):
                message = "the name by which pods choose this profile"
                yield FieldError(field, name, message, ErrorKind.REQUIRED)
            elif name in first:
                message = f"also the name of profiles[{first[name]}]"
                yield FieldError(field, name, message, ErrorKind.DUPLICATE)
            elif name:
                first[name] = at
        # All profiles share one queue, so they must sort it in the same way.
        profiles, point = self.with_defaults().profiles, ExtensionPoint.QUEUE_SORT
        model = profiles[0]
        for index, profile in enumerate(profiles):
            own, field = profile.plugins.at(point), f"profiles[{index}]"
            path, names = f"{field}.plugins.{point}", [plugin.name for plugin in own.enabled]
            if len(names) > 1:
                message = "only one queueSort plugin can be enabled"
                yield FieldError(f"{path}.enabled", names, message)
            if own != model.plugins.at(point):
                yield FieldError(path, names, "must be the same in all profiles")
            for name in names[:1]:
                if profile.args.get(name) != model.args.get(name):
                    message = f"the arguments of {name} must be the same in all profiles"
                    yield FieldError(f"{field}.pluginConfig", name, message)

    def notes(self, known: frozenset[str]) -> Iterator[str]:
        """Describe the fields that have no effect, in the order of the document."""
        for name, field in type(self).model_fields.items():
            if name in _IGNORED and name in self.model_fields_set:
                yield f"{field.alias} {UNHEEDED}"
        for at, profile in enumerate(self.profiles):
            yield from (f"profiles[{at}].{text}" for text in profile.notes(known))


_IGNORED = frozenset(
    {
        "leader_election",
        "client_connection",
        "enable_profiling",
        "enable_contention_profiling",
        "delay_cache_until_active",
        "parallelism",
    }
)
