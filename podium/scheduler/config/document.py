"""KubeSchedulerConfiguration and Podium's own options, as they are written.

The rules are those of `ValidateKubeSchedulerConfiguration`, `validateKubeSchedulerProfile` and
`SetDefaults_KubeSchedulerConfiguration`, v1.36. What can only be said of several profiles is in
`profiles.py`.
"""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationInfo, field_validator

from podium.api.documents.document import (
    Bits,
    Choice,
    Document,
    Range,
    Required,
    Tuple,
    decode,
    fault,
    refuse,
    unsupported,
)
from podium.api.errors import ErrorKind, FieldError
from podium.api.values.quantity import INT64_MAX
from podium.scheduler.config.args import (
    API_VERSION,
    DEFAULT_ARGS,
    Args,
    CustomArgs,
    Percentage,
    PluginArgs,
)
from podium.scheduler.config.defaults import DEFAULT_PLUGIN_NAMES, REMOVED_PLUGINS
from podium.scheduler.config.types import KIND, ClientConnection, LeaderElection

KNOWN_PLUGINS = "known_plugins"
"""The context of decoding holds under this name all plugins that can be enabled."""

_NO_EXTENDERS = (
    "Podium calls no extenders; write a plugin (see docs/plugins.md) and enable it in a profile "
    "instead"
)


def _known_plugin(name: str, info: ValidationInfo) -> str:
    known = (info.context or {})[KNOWN_PLUGINS]
    if name in REMOVED_PLUGINS:
        raise fault("removed from Kubernetes; NodeVolumeLimits does its work")
    if name not in known:
        raise unsupported(sorted(known))
    return name


PluginName = Annotated[str, Required("the name of a plugin"), AfterValidator(_known_plugin)]
Weight = Annotated[int, Bits(32), Range(0)]


class EnabledPlugin(Document):
    """A plugin that a plugin set enables; without a weight, or with weight 0, it counts once."""

    name: PluginName
    weight: Weight = 0


class DisabledPlugin(Document):
    """A plugin that a plugin set disables; `*` stands for all.

    kube-scheduler lets any name pass: configurations often name plugins of other versions.
    """

    name: Annotated[str, Required("the name of a plugin, or * for all")]
    weight: Weight = 0


class PluginSet(Document):
    """What is enabled and disabled at one extension point."""

    enabled: Tuple[EnabledPlugin] = ()
    disabled: Tuple[DisabledPlugin] = ()


class Plugins(Document):
    """The plugin sets of a profile: one for all extension points, and one for each."""

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

    def given(self) -> Iterator[tuple[str, PluginSet]]:
        """The sets that the document has, by the names of their fields."""
        for name, field in type(self).model_fields.items():
            if name in self.model_fields_set:
                yield field.alias or name, getattr(self, name)


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
        found = decode(type(default), value)
        refuse(found.faults)
        return found.document


class Profile(Document):
    """A scheduling profile, as a KubeSchedulerConfiguration has it."""

    scheduler_name: str | None = None
    percentage_of_nodes_to_score: Percentage | None = None
    plugins: Plugins = Plugins()
    plugin_config: Tuple[PluginConfig] = ()

    def contradictions(self) -> Iterator[FieldError]:
        names = [entry.name for entry in self.plugin_config]
        for at, name in enumerate(names):
            if name in names[:at]:
                yield FieldError(f"pluginConfig[{at}].name", name, "", ErrorKind.DUPLICATE)


UNHEEDED = "is ignored: it doesn't change decisions"
"""What notes say of fields that are about the process that schedules."""


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

    def contradictions(self) -> Iterator[FieldError]:
        initial, longest = self.pod_initial_backoff_seconds, self.pod_max_backoff_seconds
        if longest < initial:
            message = f"must be at least podInitialBackoffSeconds, {initial}"
            yield FieldError("podMaxBackoffSeconds", longest, message)
        # Profiles without a name, or with that of another one.
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

    def notes(self, known: frozenset[str]) -> Iterator[str]:
        """What is accepted but has no effect, in reading order."""
        for name, field in type(self).model_fields.items():
            if name in _IGNORED and name in self.model_fields_set:
                yield f"{field.alias} {UNHEEDED}"
        for at, profile in enumerate(self.profiles):
            for text in _notes_of(profile, known):
                yield f"profiles[{at}].{text}"


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


def _notes_of(profile: Profile, known: frozenset[str]) -> Iterator[str]:
    for point, plugin_set in profile.plugins.given():
        for at, plugin in enumerate(plugin_set.disabled):
            if plugin.name not in (*known, "*"):
                why = f"has no effect: no plugin is named {plugin.name}"
                yield f"plugins.{point}.disabled[{at}].name {why}"
    for at, entry in enumerate(profile.plugin_config):
        path = f"pluginConfig[{at}].args"
        if isinstance(entry.args, PluginArgs):
            yield from (f"{path}{text}" for text in entry.args.notes())
        elif entry.args and entry.args.values and entry.name in DEFAULT_PLUGIN_NAMES:
            yield f"{path} has no effect: {entry.name} takes none"
