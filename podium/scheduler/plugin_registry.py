"""The registry of plugins, and the pipeline of plugins for a profile.

Third-party plugins are entry points of the group `podium.plugins`. Each is named like its plugin
and loads a class, which is called with a `Handle` and, if any are configured, its arguments.
"""

from collections.abc import Callable, Mapping, Set
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from podium.api.errors import PodiumError
from podium.scheduler.config.args import CustomArgs
from podium.scheduler.config.document import ExtensionPoint, KubeSchedulerConfiguration, Profile
from podium.scheduler.config.expansion import Expanded, check_expanded, expand
from podium.scheduler.config.load import default_configuration
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import DependentPlugin, PreBindCallsPlugin
from podium.scheduler.framework.pipeline import ByShape, Pipeline
from podium.scheduler.framework.sampling import NodeSampling
from podium.scheduler.framework.third_party_plugins import adapted
from podium.scheduler.plugins.default_binder import DefaultBinder
from podium.scheduler.plugins.default_preemption import DefaultPreemption
from podium.scheduler.plugins.dynamic_resources import DynamicResources
from podium.scheduler.plugins.image_locality import ImageLocality
from podium.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from podium.scheduler.plugins.node_affinity import NodeAffinity
from podium.scheduler.plugins.node_declared_features import NodeDeclaredFeatures
from podium.scheduler.plugins.node_name import NodeName
from podium.scheduler.plugins.node_ports import NodePorts
from podium.scheduler.plugins.node_resources_balanced_allocation import (
    NodeResourcesBalancedAllocation,
)
from podium.scheduler.plugins.node_resources_fit import NodeResourcesFit
from podium.scheduler.plugins.node_unschedulable import NodeUnschedulable
from podium.scheduler.plugins.node_volume_limits import NodeVolumeLimits
from podium.scheduler.plugins.pod_topology_spread import PodTopologySpread
from podium.scheduler.plugins.priority_sort import PrioritySort
from podium.scheduler.plugins.scheduling_gates import SchedulingGates
from podium.scheduler.plugins.taint_toleration import TaintToleration
from podium.scheduler.plugins.volume_binding import VolumeBinding
from podium.scheduler.plugins.volume_restrictions import VolumeRestrictions
from podium.scheduler.plugins.volume_zone import VolumeZone

Factory = Callable[..., Any]
Profiles = tuple[tuple[Profile, Expanded], ...]

_FILTERING = {ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER}
_SCORING = {ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE}
_BINDING = {ExtensionPoint.RESERVE, ExtensionPoint.PRE_BIND}

# The plugins of v1.36 with their extension points, as configurations may name them. Some points are
# served here by a neighbouring step: what PreFilter and PreScore prepare upstream, `filter` and
# `score` do.
_IN_TREE: Mapping[Factory, Set[ExtensionPoint]] = {
    SchedulingGates: {ExtensionPoint.PRE_ENQUEUE},
    PrioritySort: {ExtensionPoint.QUEUE_SORT},
    NodeUnschedulable: {ExtensionPoint.FILTER},
    NodeName: {ExtensionPoint.FILTER},
    TaintToleration: {ExtensionPoint.FILTER} | _SCORING,
    NodeAffinity: _FILTERING | _SCORING,
    NodePorts: _FILTERING,
    NodeResourcesFit: _FILTERING | _SCORING,
    VolumeRestrictions: _FILTERING,
    NodeVolumeLimits: _FILTERING,
    VolumeBinding: _FILTERING | _SCORING | _BINDING,
    VolumeZone: _FILTERING,
    PodTopologySpread: _FILTERING | _SCORING,
    InterPodAffinity: _FILTERING | _SCORING,
    DynamicResources: _FILTERING
    | _BINDING
    | {ExtensionPoint.PRE_ENQUEUE, ExtensionPoint.POST_FILTER, ExtensionPoint.SCORE},
    DefaultPreemption: {ExtensionPoint.PRE_ENQUEUE, ExtensionPoint.POST_FILTER},
    NodeResourcesBalancedAllocation: _SCORING,
    ImageLocality: {ExtensionPoint.SCORE},
    DefaultBinder: {ExtensionPoint.BIND},
    NodeDeclaredFeatures: _FILTERING,
}
_POINTS = {plugin.name: points for plugin, points in _IN_TREE.items()}  # type: ignore[attr-defined]
_SERVED = tuple(ExtensionPoint)[:-2]


class PluginError(PodiumError):
    """A third-party plugin can't be loaded or registered."""


_added: dict[str, Factory] = {}


def plugin_factories() -> Mapping[str, Factory]:
    """Return the factories of all plugins that can be enabled, by name; raises PluginError."""
    return {**_installed(), **_added}


@cache
def _installed() -> Mapping[str, Factory]:
    factories = dict(zip(_POINTS, _IN_TREE, strict=True))
    for point in entry_points(group="podium.plugins"):
        if point.name in factories:
            raise PluginError(f"plugin {point.name} ({point.value}): there is one of that name")
        try:
            factories[point.name] = adapted(point.load())
        except (ImportError, AttributeError, TypeError) as error:
            raise PluginError(f"plugin {point.name} ({point.value}): {error}") from error
    return factories


def add_plugin(plugin_class: Any) -> str:
    """Register a plugin class in this process; return its name; raises TypeError or PluginError."""
    factory = adapted(plugin_class)
    name, known = str(plugin_class.name), plugin_factories()
    if name in known and name not in _added:
        raise PluginError(f"plugin {name}: there is one of that name")
    _added[name] = factory
    return name


def implements(factories: Mapping[str, Factory]) -> Callable[[str, ExtensionPoint], bool]:
    """Return a function that returns whether a plugin, by name, implements an extension point."""

    def answer(name: str, point: ExtensionPoint) -> bool:
        upstream = _POINTS.get(name)
        if upstream is not None:
            return point in upstream
        return point in _SERVED and hasattr(factories[name], _method(point))

    return answer


def resolve(
    configuration: KubeSchedulerConfiguration, factories: Mapping[str, Factory]
) -> Profiles:
    """Return all profiles with their plugins by extension point; raises InvalidDocumentError."""
    answer = implements(factories)
    profiles = tuple((p, expand(p.plugins, answer)) for p in configuration.profiles)
    check_expanded(profiles)
    return profiles


@cache
def default_profiles() -> Profiles:
    """Return the default profile of v1.36."""
    return resolve(default_configuration(), plugin_factories())


def build_pipelines(
    profiles: Profiles,
    handle: Handle,
    factories: Mapping[str, Factory],
    *,
    every_node: bool = False,
) -> dict[str, Pipeline]:
    """Create a pipeline per profile, by scheduler name; `every_node` has them filter all nodes."""
    pipelines = {}
    for profile, expanded in profiles:
        plugins: dict[str, Any] = {}
        for name in dict.fromkeys(name for point in _SERVED for name in expanded[point]):
            args = profile.args.get(name)
            given = () if args is None else (args.values if isinstance(args, CustomArgs) else args,)
            plugins[name] = factories[name](handle, *given)
        serving = {
            point.name.lower(): tuple(
                plugins[name] for name in expanded[point] if hasattr(plugins[name], _method(point))
            )
            for point in _SERVED
            if point not in (ExtensionPoint.QUEUE_SORT, ExtensionPoint.SCORE)
        }
        weights = expanded[ExtensionPoint.SCORE]
        pre_binding = [plugins[name] for name in expanded[ExtensionPoint.PRE_BIND]]
        percentage = None if every_node else profile.percentage_of_nodes_to_score
        pipelines[profile.name] = Pipeline(
            scheduler_name=profile.name,
            queue_sort=plugins[next(iter(expanded[ExtensionPoint.QUEUE_SORT]))],
            by_shape=ByShape(handle.snapshot),
            score=tuple(
                (plugins[name], weight)
                for name, weight in weights.items()
                if hasattr(plugins[name], "score")
            ),
            pre_bind_calls=tuple(p for p in pre_binding if isinstance(p, PreBindCallsPlugin)),
            dependent=tuple(p for p in plugins.values() if isinstance(p, DependentPlugin)),
            sampling=None if percentage in (None, 100) else NodeSampling(percentage),
            **serving,
        )
    return pipelines


def _method(point: ExtensionPoint) -> str:
    return "sort_key" if point is ExtensionPoint.QUEUE_SORT else point.name.lower()
