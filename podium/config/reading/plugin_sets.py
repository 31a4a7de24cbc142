"""`plugins` of a profile: the plugin sets of MultiPoint and of each extension point."""

from collections.abc import Collection
from types import MappingProxyType

from podium.api.errors import ErrorKind, unsupported
from podium.config.defaults import REMOVED_PLUGINS
from podium.config.reading.fields import Fields
from podium.config.types import ALL_PLUGINS, ExtensionPoint, PluginRef, PluginSet, PluginSets

_MULTI_POINT = "multiPoint"
_PLUGIN_FIELDS = ("name", "weight")


def read_plugin_sets(profile: Fields, known_plugins: Collection[str]) -> PluginSets:
    """A profile's own plugin sets, not yet merged with the default ones.

    Args:
        profile: the profile.
        known_plugins: all that can be enabled.
    """
    plugins = profile.nested("plugins", (_MULTI_POINT, *ExtensionPoint))
    return PluginSets(
        multi_point=_plugin_set(plugins, _MULTI_POINT, known_plugins),
        points=MappingProxyType(
            {
                point: _plugin_set(plugins, point, known_plugins)
                for point in ExtensionPoint
                if plugins.has(point)
            }
        ),
    )


def check_known(fields: Fields, known_plugins: Collection[str]) -> str:
    """The plugin that `name` names; a fault unless it is a known one."""
    name = fields.text("name")
    if not name:
        fields.fault("name", "the name of a plugin", ErrorKind.REQUIRED)
    elif name in REMOVED_PLUGINS:
        fields.fault("name", "removed from Kubernetes; NodeVolumeLimits does its work")
    elif name not in known_plugins:
        fault = unsupported(fields.at("name"), name, sorted(known_plugins))
        fields.findings.faults.append(fault)
    return name


def _plugin_set(plugins: Fields, field: str, known_plugins: Collection[str]) -> PluginSet:
    plugin_set = plugins.nested(field, ("enabled", "disabled"))
    return PluginSet(
        enabled=tuple(
            PluginRef(check_known(plugin, known_plugins), plugin.integer("weight"))
            for plugin in plugin_set.each("enabled", _PLUGIN_FIELDS)
        ),
        disabled=tuple(
            _disabled(plugin, known_plugins)
            for plugin in plugin_set.each("disabled", _PLUGIN_FIELDS)
        ),
    )


def _disabled(plugin: Fields, known_plugins: Collection[str]) -> str:
    # kube-scheduler lets any name pass here: configurations often name plugins of other versions.
    name = plugin.text("name")
    if not name:
        plugin.fault("name", "the name of a plugin, or * for all", ErrorKind.REQUIRED)
    elif name != ALL_PLUGINS and name not in known_plugins:
        plugin.findings.notes.append(
            f"{plugin.at('name')} has no effect: no plugin is named {name}"
        )
    return name
