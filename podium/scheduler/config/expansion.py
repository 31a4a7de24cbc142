"""The plugins of each extension point, from a profile's `multiPoint` and the point's own set.

As `expandMultiPointPlugins`, `updatePluginList`, `getScoreWeights` and `NewFramework` of
`pkg/scheduler/framework/runtime/framework.go` and `NewMap` of `pkg/scheduler/profile/profile.go`,
all in v1.36.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from podium.api.documents.document import InvalidDocumentError
from podium.api.errors import ErrorKind, FieldError
from podium.scheduler.config.document import ExtensionPoint, Plugins, Profile

Expanded = Mapping[ExtensionPoint, Mapping[str, int]]
"""The plugins of each extension point, in the order in which they run, with their weights."""


WEIGHTED_POINTS = frozenset({ExtensionPoint.SCORE, ExtensionPoint.PLACEMENT_SCORE})


def expand(sets: Plugins, implements: Callable[[str, ExtensionPoint], bool]) -> Expanded:
    """Return the plugins of every extension point, in the order in which they run.

    First come the plugins that a point's own set shares with MultiPoint, then the rest of
    MultiPoint, then the rest of the point's own set. At `score` and `placementScore` each has a
    weight, the own set's rather than MultiPoint's; at other points weights are 0. Raises
    InvalidDocumentError, with fields relative to the profile, if a plugin is enabled twice, or at a
    point that it doesn't implement.
    """
    expanded, faults = {}, list[FieldError]()
    for point in ExtensionPoint:
        field, own_set = f"plugins.{point}.enabled", sets.at(point)
        own = [plugin.name for plugin in own_set.enabled]
        spread = [
            plugin.name
            for plugin in sets.multi_point.enabled
            if not own_set.disables(plugin.name) and implements(plugin.name, point)
        ]
        only_spread = [name for name in spread if name not in own]
        faults += (
            FieldError(field, name, f"this plugin isn't a {point} plugin")
            for name in own
            if not implements(name, point)
        )
        faults += _repetitions(field, own)
        faults += _repetitions("plugins.multiPoint.enabled", only_spread)
        names = [
            *(name for name in own if name in spread),
            *only_spread,
            *(name for name in own if name not in spread),
        ]
        weights: dict[str, int] = {}
        if point in WEIGHTED_POINTS:
            for plugin in (*own_set.enabled, *sets.multi_point.enabled):
                # A score plugin without weight, or with weight 0, has weight 1.
                weights.setdefault(plugin.name, plugin.weight or 1)
        expanded[point] = {name: weights.get(name, 0) for name in names}
    if faults:
        raise InvalidDocumentError(list(dict.fromkeys(faults)))
    return expanded


def _repetitions(field: str, names: list[str]) -> Iterator[FieldError]:
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield FieldError(field, name, "", ErrorKind.DUPLICATE)


def check_expanded(profiles: Sequence[tuple[Profile, Expanded]]) -> None:
    """Check that profiles have the required plugins and sort alike; raises InvalidDocumentError."""
    faults, first = [], []
    if profiles:
        profile, expanded = profiles[0]
        first = [(name, profile.args.get(name)) for name in expanded[ExtensionPoint.QUEUE_SORT]]
    for index, (profile, expanded) in enumerate(profiles):
        path = f"profiles[{index}].plugins"
        sorters = [*expanded[ExtensionPoint.QUEUE_SORT]]
        if len(sorters) != 1:
            message = f"{profile.name} needs exactly one queueSort plugin"
            faults.append(FieldError(f"{path}.queueSort", sorters, message))
        elif [(name, profile.args.get(name)) for name in sorters] != first:
            message = "queueSort plugin and arguments must be the same in all profiles"
            faults.append(FieldError(f"{path}.queueSort", sorters[0], message))
        if not expanded[ExtensionPoint.BIND]:
            message = f"{profile.name} needs at least one bind plugin"
            faults.append(FieldError(f"{path}.bind", [], message))
    if faults:
        raise InvalidDocumentError(faults)
