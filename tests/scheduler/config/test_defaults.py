"""The defaults of v1.36, each spelt out."""

from podium.scheduler.config import args as plugin_args
from podium.scheduler.config.document import (
    DEFAULT_PLUGINS,
    ClientConnection,
    KubeSchedulerConfiguration,
    LeaderElection,
)
from podium.scheduler.config.load import default_configuration, load_configuration
from podium.scheduler.config.scheduler_options import SchedulerOptions, VictimOrder

CPU_AND_MEMORY = (plugin_args.ResourceSpec(name="cpu"), plugin_args.ResourceSpec(name="memory"))


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
        "DefaultPreemption": plugin_args.DefaultPreemptionArgs(),
        "DynamicResources": plugin_args.DynamicResourcesArgs(
            filter_timeout="10s", binding_timeout="10m"
        ),
        "InterPodAffinity": plugin_args.InterPodAffinityArgs(hard_pod_affinity_weight=1),
        "NodeAffinity": plugin_args.NodeAffinityArgs(),
        "NodeResourcesBalancedAllocation": plugin_args.NodeResourcesBalancedAllocationArgs(
            resources=CPU_AND_MEMORY
        ),
        "NodeResourcesFit": plugin_args.NodeResourcesFitArgs(
            scoring_strategy=plugin_args.ScoringStrategy(
                type=plugin_args.ScoringStrategyType.LEAST_ALLOCATED, resources=CPU_AND_MEMORY
            )
        ),
        "PodTopologySpread": plugin_args.PodTopologySpreadArgs(
            defaulting_type=plugin_args.DefaultingType.SYSTEM
        ),
        "VolumeBinding": plugin_args.VolumeBindingArgs(bind_timeout_seconds=600),
    }


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
    assert args("Custom", {"anything": [1, {"goes": None}]}) == plugin_args.CustomArgs(
        {"anything": [1, {"goes": None}]}
    )
    assert args("Custom", None) == plugin_args.CustomArgs({})


def test_default_options() -> None:
    assert load_configuration([], ()).options == SchedulerOptions(victim_order=VictimOrder.DEFAULT)
