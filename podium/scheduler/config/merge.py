"""Which plugins run at which extension point: defaults, a profile's own sets, and MultiPoint.

`merge_plugins` follows `mergePlugins` of `pkg/scheduler/apis/config/v1/default_plugins.go`,
`expand` follows `expandMultiPointPlugins`, `updatePluginList` and `getScoreWeights` of
`pkg/scheduler/framework/runtime/framework.go`, all in v1.36.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from podium.api.documents.document import InvalidDocumentError
from podium.api.errors import ErrorKind, FieldError
from podium.api.values.quantity import INT64_MAX
from podium.scheduler.config.types import (
    ALL_PLUGINS,
    ExtensionPoint,
    PluginRef,
    PluginSet,
    PluginSets,
)

Expanded = Mapping[ExtensionPoint, tuple[PluginRef, ...]]
Implements = Callable[[str, ExtensionPoint], bool]

WEIGHTED_POINTS = frozenset({ExtensionPoint.SCORE, ExtensionPoint.PLACEMENT_SCORE})

_NODE_SCORE_MAX = 100


def merge_plugins(defaults: PluginSets, custom: PluginSets) -> PluginSets:
    """A profile's plugin sets on top of the default ones, set by set."""
    points = {
        point: merged
        for point in ExtensionPoint
        if (merged := merge_plugin_set(defaults.at(point), custom.at(point))) != PluginSet()
    }
    return PluginSets(
        multi_point=merge_plugin_set(defaults.multi_point, custom.multi_point),
        points=MappingProxyType(points),
    )


def merge_plugin_set(default: PluginSet, custom: PluginSet) -> PluginSet:
    """One plugin set on top of a default one.

    Default plugins that either set disables go. A default plugin that is enabled again stays at
    its position, as it was written the last time (without a weight, the default one is lost).
    All else that is enabled follows in the order written, repetitions included: it is `expand`
    that refuses them.
    """
    disabled = tuple(dict.fromkeys((*custom.disabled, *default.disabled)))
    last_written = {plugin.name: index for index, plugin in enumerate(custom.enabled)}
    kept = (
        plugin
        for plugin in default.enabled
        if ALL_PLUGINS not in disabled and plugin.name not in disabled
    )
    enabled, replacing = [], set()
    for plugin in kept:
        index = last_written.get(plugin.name)
        enabled.append(plugin if index is None else custom.enabled[index])
        replacing.add(index)
    enabled += [plugin for i, plugin in enumerate(custom.enabled) if i not in replacing]
    return PluginSet(enabled=tuple(enabled), disabled=disabled)


def expand(sets: PluginSets, implements: Implements) -> Expanded:
    """The plugins of every extension point, in the order in which they run.

    First come the plugins that a point's own set shares with MultiPoint, then the rest of
    MultiPoint, then the rest of the point's own set.

    Args:
        sets: a profile's, merged with the defaults.

    Returns:
        All extension points. Weights are set at `score` and `placementScore`, the point's own
        before MultiPoint's; elsewhere they are 0.

    Raises:
        InvalidDocumentError: a plugin is enabled twice, or where it has no part, or the
            sum of weighted scores could exceed 64 bits. Fields are relative to the profile.
    """
    if faults := list(dict.fromkeys(_faults(sets, implements))):
        raise InvalidDocumentError(faults)
    return MappingProxyType(
        {
            point: tuple(
                PluginRef(name, _weights(sets, point)[name] if point in WEIGHTED_POINTS else 0)
                for name in _names_at(sets, point, implements)
            )
            for point in ExtensionPoint
        }
    )


def _names_at(sets: PluginSets, point: ExtensionPoint, implements: Implements) -> list[str]:
    own = [plugin.name for plugin in sets.at(point).enabled]
    spread = _spread_to(sets, point, implements)
    overriding = [name for name in own if name in spread]
    return [
        *overriding,
        *(name for name in spread if name not in own),
        *(name for name in own if name not in spread),
    ]


def _spread_to(sets: PluginSets, point: ExtensionPoint, implements: Implements) -> list[str]:
    """Names that MultiPoint brings to `point`, as written, those of its own set included."""
    disabled = sets.at(point).disabled
    if ALL_PLUGINS in disabled:
        return []
    return [
        plugin.name
        for plugin in sets.multi_point.enabled
        if plugin.name not in disabled and implements(plugin.name, point)
    ]


def _weights(sets: PluginSets, point: ExtensionPoint) -> dict[str, int]:
    """Weights by plugin, whether it is of that point or not; the point's own set goes first.

    A score plugin without weight, or with weight 0, counts 1.
    """
    weights: dict[str, int] = {}
    for plugin in (*sets.at(point).enabled, *sets.multi_point.enabled):
        weights.setdefault(plugin.name, plugin.weight or 1)
    return weights


def _faults(sets: PluginSets, implements: Implements) -> Iterator[FieldError]:
    for point in ExtensionPoint:
        field = f"plugins.{point}.enabled"
        own = [plugin.name for plugin in sets.at(point).enabled]
        yield from (
            FieldError(field, name, f"this plugin isn't a {point} plugin")
            for name in own
            if not implements(name, point)
        )
        yield from _repetitions(field, own)
        spread = [name for name in _spread_to(sets, point, implements) if name not in own]
        yield from _repetitions("plugins.multiPoint.enabled", spread)
        if point in WEIGHTED_POINTS:
            # Plugins that MultiPoint enables and the point disables count too, as upstream.
            weights = _weights(sets, point).items()
            total = sum(weight for name, weight in weights if implements(name, point))
            if total * _NODE_SCORE_MAX > INT64_MAX:
                yield FieldError(field, total, "the sum of weights lets scores exceed 64 bits")


def _repetitions(field: str, names: list[str]) -> Iterator[FieldError]:
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield FieldError(field, name, "", ErrorKind.DUPLICATE)
