"""Profiles: names, percentages, plugin sets and plugin configuration as they are written."""

import pytest

from podium.scheduler.config.args import InterPodAffinityArgs, NodeAffinityArgs
from podium.scheduler.config.document import DisabledPlugin, EnabledPlugin, ExtensionPoint


def test_names_and_percentages(load) -> None:
    configuration = load(
        percentageOfNodesToScore=40,
        profiles=[
            {"schedulerName": "a"},
            {"schedulerName": "b", "percentageOfNodesToScore": 0},
            {"schedulerName": "c", "percentageOfNodesToScore": 100},
        ],
    ).configuration
    assert configuration.percentage_of_nodes_to_score == 40
    assert [(p.scheduler_name, p.percentage_of_nodes_to_score) for p in configuration.profiles] == [
        ("a", 40),
        ("b", 0),
        ("c", 100),
    ]


def test_a_percentage_of_0_differs_from_none(load) -> None:
    (profile,) = load(percentageOfNodesToScore=0).configuration.profiles
    assert profile.percentage_of_nodes_to_score == 0


def test_plugin_sets_are_merged_with_the_defaults(load) -> None:
    plugins = {
        "multiPoint": {"enabled": [{"name": "Custom"}, {"name": "NodeAffinity", "weight": 7}]},
        "score": {"disabled": [{"name": "*"}], "enabled": [{"name": "ImageLocality"}]},
    }
    (profile,) = load(profiles=[{"plugins": plugins}]).configuration.profiles
    enabled = profile.plugins.multi_point.enabled
    assert enabled[5] == EnabledPlugin(name="NodeAffinity", weight=7)
    assert enabled[-1] == EnabledPlugin(name="Custom")
    assert len(enabled) == 21
    score = profile.plugins.at(ExtensionPoint.SCORE)
    assert score.enabled == (EnabledPlugin(name="ImageLocality"),)
    assert score.disabled == (DisabledPlugin(name="*"),)
    assert profile.plugins.at(ExtensionPoint.FILTER).enabled == ()


@pytest.mark.parametrize("point", ["multiPoint", *ExtensionPoint])
def test_every_extension_point_can_be_configured(load, point: str) -> None:
    (profile,) = load(
        profiles=[{"plugins": {point: {"enabled": [{"name": "Custom", "weight": 2}]}}}]
    ).configuration.profiles
    sets = profile.plugins
    own = sets.multi_point if point == "multiPoint" else sets.at(ExtensionPoint(point))
    assert own.enabled[-1] == EnabledPlugin(name="Custom", weight=2)


def test_disabling_a_plugin_that_is_not_there_is_noted(load) -> None:
    disabled = [{"name": "EBSLimits"}, {"name": "*"}, {"name": "NodeName"}]
    loaded = load(profiles=[{"plugins": {"filter": {"disabled": disabled}}}])
    assert loaded.notes == (
        "profiles[0].plugins.filter.disabled[0].name has no effect: no plugin is named EBSLimits",
    )


def test_plugin_config_replaces_defaults_only_where_given(load) -> None:
    config = [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 7}}]
    (profile,) = load(profiles=[{"pluginConfig": config}]).configuration.profiles
    assert profile.args["InterPodAffinity"] == InterPodAffinityArgs(hard_pod_affinity_weight=7)
    assert profile.args["NodeAffinity"] == NodeAffinityArgs()


def test_arguments_of_a_plugin_without_any_are_noted(load) -> None:
    config = [{"name": "NodeName", "args": {"a": 1}}, {"name": "NodePorts", "args": {}}]
    assert load(profiles=[{"pluginConfig": config}]).notes == (
        "profiles[0].pluginConfig[0].args has no effect: NodeName takes none",
    )
