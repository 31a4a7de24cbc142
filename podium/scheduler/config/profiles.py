"""Profiles as values: merged with the default plugins, and judged against each other.

The rules are those of `validateCommonQueueSort` in
`pkg/scheduler/apis/config/validation/validation.go`; for plugins that are spread over the extension
points, those of `NewFramework` in `pkg/scheduler/framework/runtime/framework.go` and of `NewMap` in
`pkg/scheduler/profile/profile.go`; all of v1.36.
"""

from collections.abc import Iterator, Sequence
from types import MappingProxyType

from podium.api.documents.document import InvalidDocumentError
from podium.api.errors import FieldError
from podium.api.pods import DEFAULT_SCHEDULER_NAME
from podium.scheduler.config import document
from podium.scheduler.config.args import DEFAULT_ARGS, CustomArgs
from podium.scheduler.config.defaults import DEFAULT_PLUGINS
from podium.scheduler.config.merge import Expanded, merge_plugins
from podium.scheduler.config.types import (
    ExtensionPoint,
    PluginRef,
    PluginSet,
    PluginSets,
    ProfileConfig,
)

_MULTI_POINT = "multiPoint"


def profiles_of(configuration: document.KubeSchedulerConfiguration) -> tuple[ProfileConfig, ...]:
    """All profiles; a default one if there are none."""
    percentage = configuration.percentage_of_nodes_to_score
    found = []
    for profile in configuration.profiles or (document.Profile(),):
        own = profile.percentage_of_nodes_to_score
        args = {
            entry.name: entry.args or DEFAULT_ARGS.get(entry.name, CustomArgs({}))
            for entry in profile.plugin_config
        }
        found.append(
            ProfileConfig(
                scheduler_name=profile.scheduler_name or DEFAULT_SCHEDULER_NAME,
                percentage_of_nodes_to_score=percentage if own is None else own,
                plugins=merge_plugins(DEFAULT_PLUGINS, _plugin_sets(profile.plugins)),
                plugin_config=MappingProxyType({**DEFAULT_ARGS, **args}),
            )
        )
    return tuple(found)


def _plugin_sets(plugins: document.Plugins) -> PluginSets:
    given = {
        point: PluginSet(
            enabled=tuple(PluginRef(plugin.name, plugin.weight) for plugin in written.enabled),
            disabled=tuple(plugin.name for plugin in written.disabled),
        )
        for point, written in plugins.given()
    }
    multi_point = given.pop(_MULTI_POINT, PluginSet())
    points = {ExtensionPoint(point): plugin_set for point, plugin_set in given.items()}
    return PluginSets(multi_point, MappingProxyType(points))


class JudgedConfiguration(document.KubeSchedulerConfiguration):
    """A configuration whose profiles have been judged against each other, too."""

    def contradictions(self) -> Iterator[FieldError]:
        yield from super().contradictions()
        # All profiles share one queue, so they must sort it alike.
        profiles, point = profiles_of(self), ExtensionPoint.QUEUE_SORT
        first = profiles[0]
        for index, profile in enumerate(profiles):
            own, at = profile.plugins.at(point), f"profiles[{index}]"
            path, names = f"{at}.plugins.{point}", [plugin.name for plugin in own.enabled]
            if len(names) > 1:
                message = "only one queueSort plugin can be enabled"
                yield FieldError(f"{path}.enabled", names, message)
            if own != first.plugins.at(point):
                yield FieldError(path, names, "must be the same in all profiles")
            for name in names[:1]:
                if profile.plugin_config.get(name) != first.plugin_config.get(name):
                    message = f"the arguments of {name} must be the same in all profiles"
                    yield FieldError(f"{at}.pluginConfig", name, message)


def check_expanded(profiles: Sequence[tuple[ProfileConfig, Expanded]]) -> None:
    """Check profiles, in the order of the configuration, together with their expansions.

    Raises:
        InvalidDocumentError: a profile hasn't exactly one queueSort plugin or has no bind
            plugin, or the profiles sort the queue in different ways.
    """
    faults = []
    for index, (profile, expanded) in enumerate(profiles):
        path = f"profiles[{index}].plugins"
        sorters = [plugin.name for plugin in expanded[ExtensionPoint.QUEUE_SORT]]
        if len(sorters) != 1:
            message = f"{profile.scheduler_name} needs exactly one queueSort plugin"
            faults.append(FieldError(f"{path}.queueSort", sorters, message))
        elif _sorting(profile, expanded) != _sorting(*profiles[0]):
            message = "queueSort plugin and arguments must be the same in all profiles"
            faults.append(FieldError(f"{path}.queueSort", sorters[0], message))
        if not expanded[ExtensionPoint.BIND]:
            message = f"{profile.scheduler_name} needs at least one bind plugin"
            faults.append(FieldError(f"{path}.bind", [], message))
    if faults:
        raise InvalidDocumentError(faults)


def _sorting(profile: ProfileConfig, expanded: Expanded) -> list[tuple[str, object]]:
    sorters = expanded[ExtensionPoint.QUEUE_SORT]
    return [(plugin.name, profile.plugin_config.get(plugin.name)) for plugin in sorters]
