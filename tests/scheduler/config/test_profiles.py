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


@pytest.mark.parametrize(
    ("profiles", "faulty"),
    [
        ([{"schedulerName": ""}], ["profiles[0].schedulerName: Required value: "]),
        (
            [{}, {"schedulerName": "b"}, {}],
            [
                "profiles[0].schedulerName: Required value: ",
                "profiles[2].schedulerName: Required value: ",
            ],
        ),
        (
            [{"schedulerName": "a"}, {"schedulerName": "b"}, {"schedulerName": "a"}],
            ['profiles[2].schedulerName: Duplicate value: "a": also the name of profiles[0]'],
        ),
        (
            [{"percentageOfNodesToScore": 101}],
            ["profiles[0].percentageOfNodesToScore: Invalid value: 101: must be from 0 to 100"],
        ),
        (
            [{"schedulername": "a"}],
            ["profiles[0].schedulername: Forbidden: unknown field; known: "],
        ),
    ],
)
def test_faulty_profiles(faults, profiles: list[object], faulty: list[str]) -> None:
    found = faults(profiles=profiles)
    assert len(found) == len(faulty)
    assert all(text.startswith(start) for text, start in zip(found, faulty, strict=True))


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


@pytest.mark.parametrize(
    ("plugins", "faulty"),
    [
        ({"scores": {}}, "scores: Forbidden: unknown field; known: multiPoint, preEnqueue, "),
        ({"score": []}, "score: Invalid value: []: must be an object"),
        ({"score": {"on": []}}, "score.on: Forbidden: unknown field; known: enabled, disabled"),
        (
            {"score": {"enabled": [{"name": "Custom", "args": 1}]}},
            "score.enabled[0].args: Forbidden: unknown field; known: name, weight",
        ),
        (
            {"filter": {"enabled": [{"name": "Nodename"}]}},
            'filter.enabled[0].name: Unsupported value: "Nodename": supported values: "Custom", '
            '"DefaultBinder", ',
        ),
        (
            {"multiPoint": {"enabled": [{"name": "EBSLimits"}]}},
            'multiPoint.enabled[0].name: Invalid value: "EBSLimits": removed from Kubernetes; ',
        ),
        ({"filter": {"enabled": [{}]}}, "filter.enabled[0].name: Required value: "),
        ({"filter": {"disabled": [{}]}}, "filter.disabled[0].name: Required value: "),
        (
            {"multiPoint": {"enabled": [{"name": "Custom", "weight": -1}]}},
            "multiPoint.enabled[0].weight: Invalid value: -1: must be at least 0",
        ),
        (
            {"score": {"enabled": [{"name": "Custom", "weight": 1.5}]}},
            "score.enabled[0].weight: Invalid value: 1.5: must be an integer",
        ),
    ],
)
def test_faulty_plugin_sets(faults, plugins: dict[str, object], faulty: str) -> None:
    (found,) = faults(profiles=[{"plugins": plugins}])
    assert found.startswith(f"profiles[0].plugins.{faulty}")


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


@pytest.mark.parametrize(
    ("config", "faulty"),
    [
        (
            [{"name": "NodeAffinity"}, {"name": "NodeAffinity"}],
            '[1].name: Duplicate value: "NodeAffinity"',
        ),
        (
            [{"name": "NodeAfinity"}],
            '[0].name: Unsupported value: "NodeAfinity": supported values: ',
        ),
        ([{"args": {}}], "[0].name: Required value: "),
        ([{"name": "CinderLimits"}], '[0].name: Invalid value: "CinderLimits": removed from '),
        ([{"name": "Custom", "args": 3}], "[0].args: Invalid value: 3: must be an object"),
        ([{"name": "Custom", "arg": {}}], "[0].arg: Forbidden: unknown field; known: name, args"),
    ],
)
def test_faulty_plugin_config(faults, config: list[object], faulty: str) -> None:
    (found,) = faults(profiles=[{"pluginConfig": config}])
    assert found.startswith(f"profiles[0].pluginConfig{faulty}")


def test_arguments_of_a_plugin_without_any_are_noted(load) -> None:
    config = [{"name": "NodeName", "args": {"a": 1}}, {"name": "NodePorts", "args": {}}]
    assert load(profiles=[{"pluginConfig": config}]).notes == (
        "profiles[0].pluginConfig[0].args has no effect: NodeName takes none",
    )


def sorted_by(*names: str) -> dict[str, object]:
    return {"queueSort": {"enabled": [{"name": name} for name in names]}}


def test_the_same_queue_sort_in_all_profiles(load, faults) -> None:
    same = [
        {"schedulerName": "a", "plugins": sorted_by("OtherSort")},
        {"schedulerName": "b", "plugins": sorted_by("OtherSort")},
    ]
    assert len(load(profiles=same).configuration.profiles) == 2
    assert faults(profiles=[*same, {"schedulerName": "c"}]) == [
        "profiles[2].plugins.queueSort: Invalid value: []: must be the same in all profiles"
    ]


def test_the_same_queue_sort_arguments_in_all_profiles(faults) -> None:
    config = [{"name": "OtherSort", "args": {"by": "age"}}]
    profiles = [
        {"schedulerName": "a", "plugins": sorted_by("OtherSort"), "pluginConfig": config},
        {"schedulerName": "b", "plugins": sorted_by("OtherSort")},
    ]
    assert faults(profiles=profiles) == [
        'profiles[1].pluginConfig: Invalid value: "OtherSort": '
        "the arguments of OtherSort must be the same in all profiles"
    ]


def test_only_one_queue_sort(faults) -> None:
    assert faults(profiles=[{"plugins": sorted_by("OtherSort", "PrioritySort")}]) == [
        "profiles[0].plugins.queueSort.enabled: Invalid value: "
        '["OtherSort","PrioritySort"]: only one queueSort plugin can be enabled'
    ]
