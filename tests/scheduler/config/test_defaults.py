"""The defaults of v1.36, each spelt out."""

from podium.scheduler.config.args import (
    CustomArgs,
    DefaultingType,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    ScoringStrategy,
    ScoringStrategyType,
    VolumeBindingArgs,
)
from podium.scheduler.config.defaults import DEFAULT_WEIGHTS, SYSTEM_DEFAULT_CONSTRAINTS
from podium.scheduler.config.document import (
    DEFAULT_PLUGINS,
    ClientConnection,
    EnabledPlugin,
    KubeSchedulerConfiguration,
    LeaderElection,
    Plugins,
    PluginSet,
)
from podium.scheduler.config.load import default_configuration, load_configuration
from podium.scheduler.config.scheduler_options import SchedulerOptions, VictimOrder

CPU_AND_MEMORY = (ResourceSpec(name="cpu"), ResourceSpec(name="memory"))


def test_default_plugins() -> None:
    assert [*DEFAULT_WEIGHTS.items()] == [
        ("SchedulingGates", 0),
        ("PrioritySort", 0),
        ("NodeUnschedulable", 0),
        ("NodeName", 0),
        ("TaintToleration", 3),
        ("NodeAffinity", 2),
        ("NodePorts", 0),
        ("NodeResourcesFit", 1),
        ("VolumeRestrictions", 0),
        ("NodeVolumeLimits", 0),
        ("VolumeBinding", 0),
        ("VolumeZone", 0),
        ("PodTopologySpread", 2),
        ("InterPodAffinity", 2),
        ("DynamicResources", 2),
        ("DefaultPreemption", 0),
        ("NodeResourcesBalancedAllocation", 1),
        ("ImageLocality", 1),
        ("DefaultBinder", 0),
        ("NodeDeclaredFeatures", 0),
    ]
    enabled = tuple(EnabledPlugin(name=name, weight=w) for name, w in DEFAULT_WEIGHTS.items())
    assert Plugins(multi_point=PluginSet(enabled=enabled)) == DEFAULT_PLUGINS


def test_default_configuration() -> None:
    configuration = default_configuration()
    assert configuration == KubeSchedulerConfiguration(
        profiles=configuration.profiles,
        percentage_of_nodes_to_score=None,
        pod_initial_backoff_seconds=1,
        pod_max_backoff_seconds=10,
        parallelism=16,
    )
    (profile,) = configuration.profiles
    assert profile.scheduler_name == "default-scheduler"
    assert profile.percentage_of_nodes_to_score is None
    assert profile.plugins == DEFAULT_PLUGINS
    assert (configuration.election, configuration.connection) == (
        LeaderElection(),
        ClientConnection(),
    )


def test_default_arguments() -> None:
    (profile,) = default_configuration().profiles
    assert profile.args == {
        "DefaultPreemption": DefaultPreemptionArgs(),
        "DynamicResources": DynamicResourcesArgs(filter_timeout="10s", binding_timeout="10m"),
        "InterPodAffinity": InterPodAffinityArgs(hard_pod_affinity_weight=1),
        "NodeAffinity": NodeAffinityArgs(),
        "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs(
            resources=CPU_AND_MEMORY
        ),
        "NodeResourcesFit": NodeResourcesFitArgs(
            scoring_strategy=ScoringStrategy(
                type=ScoringStrategyType.LEAST_ALLOCATED, resources=CPU_AND_MEMORY
            ),
        ),
        "PodTopologySpread": PodTopologySpreadArgs(defaulting_type=DefaultingType.SYSTEM),
        "VolumeBinding": VolumeBindingArgs(bind_timeout_seconds=600),
    }


def test_system_default_constraints() -> None:
    shown = [(c.max_skew, c.topology_key, c.when_unsatisfiable) for c in SYSTEM_DEFAULT_CONSTRAINTS]
    assert shown == [
        (3, "kubernetes.io/hostname", "ScheduleAnyway"),
        (5, "topology.kubernetes.io/zone", "ScheduleAnyway"),
    ]


def test_empty_configuration_is_the_default_one(load) -> None:
    assert load().configuration == default_configuration()
    assert load(profiles=[]).configuration == default_configuration()
    assert load(profiles=[{}]).configuration == default_configuration()


def test_absent_args_are_the_default_ones(args) -> None:
    (profile,) = default_configuration().profiles
    for plugin, default in profile.args.items():
        assert args(plugin, None) == default
        assert args(plugin, {}) == default


def test_custom_args_stay_as_written(args) -> None:
    assert args("Custom", {"anything": [1, {"goes": None}]}) == CustomArgs(
        {"anything": [1, {"goes": None}]}
    )
    assert args("Custom", None) == CustomArgs({})


def test_default_options() -> None:
    assert load_configuration([], ()).options == SchedulerOptions(victim_order=VictimOrder.DEFAULT)
