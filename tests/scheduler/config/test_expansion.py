"""Merging with the defaults, and spreading over the extension points."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.documents.document import InvalidDocumentError
from podium.scheduler.config.document import (
    DisabledPlugin,
    EnabledPlugin,
    ExtensionPoint,
    Plugins,
    PluginSet,
)
from podium.scheduler.config.expansion import expand

SCORE, FILTER = ExtensionPoint.SCORE, ExtensionPoint.FILTER
Points = Mapping[ExtensionPoint, PluginSet]
NAMES = ("A", "B", "C", "D", "E")

# A scores and filters, B scores, C filters; D and E do everything.
IMPLEMENTED = {"A": {SCORE, FILTER}, "B": {SCORE}, "C": {FILTER}}


def implements(plugin: str, point: ExtensionPoint) -> bool:
    return point in IMPLEMENTED.get(plugin, ExtensionPoint)


def plugin_set(enabled: str = "", disabled: str = "") -> PluginSet:
    """From `A B=5` and `* C`."""
    refs = (item.partition("=") for item in enabled.split())
    return PluginSet(
        enabled=tuple(
            EnabledPlugin(name=name, weight=int(weight or 0)) for name, _, weight in refs
        ),
        disabled=tuple(DisabledPlugin(name=name) for name in disabled.split()),
    )


def plugins(multi_point: str = "", points: Points = MappingProxyType({})) -> Plugins:
    own = {point.name.lower(): sets for point, sets in points.items()}
    return Plugins(multi_point=plugin_set(multi_point), **own)


def shown(found: Mapping[str, int]) -> str:
    return " ".join(f"{name}={weight}" if weight else name for name, weight in found.items())


@pytest.mark.parametrize(
    ("default", "custom", "expected"),
    [
        pytest.param(("A B=2",), (), ("A B=2",), id="nothing custom"),
        pytest.param(("A B",), ("C",), ("A B C",), id="custom ones follow"),
        pytest.param(("A B",), ("", "A"), ("B", "A"), id="disabled"),
        pytest.param(("A B",), ("", "*"), ("", "*"), id="all disabled"),
        pytest.param(("A B C",), ("C=4 A=1",), ("A=1 B C=4",), id="replaced in place"),
        pytest.param(("A=3 B",), ("A",), ("A B",), id="replaced without weight"),
        pytest.param(("A B",), ("C B", "B"), ("A C B", "B"), id="disabled and appended"),
        pytest.param(("A B",), ("B A", "*"), ("B A", "*"), id="reordered"),
        pytest.param(("A B", "C"), ("C",), ("A B C", "C"), id="disabled by default, enabled"),
        pytest.param(("A B", "A"), ("", "B"), ("", "B A"), id="disabled by both"),
        pytest.param(("A B", "A"), ("", "A"), ("B", "A"), id="disabled twice, kept once"),
        pytest.param(("A B",), ("A B=2 C B=4",), ("A B=4 B=2 C",), id="the last one replaces"),
    ],
)
def test_merging_a_set(
    default: tuple[str, ...], custom: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    merged = plugin_set(*custom).over(plugin_set(*default))
    assert merged == plugin_set(*expected)


def test_sets_are_merged_point_by_point() -> None:
    defaults = plugins("A B", {SCORE: plugin_set("", "B")})
    custom = Plugins(
        multi_point=plugin_set("C", "A"), filter=plugin_set("C"), score=plugin_set("A")
    )
    merged = custom.over(defaults)
    assert merged.multi_point == plugin_set("B C", "A")
    assert merged.at(SCORE) == plugin_set("A", "B")
    assert merged.at(FILTER) == plugin_set("C")
    assert merged.at(ExtensionPoint.BIND) == PluginSet()


@pytest.mark.parametrize(
    ("multi_point", "own", "expected"),
    [
        pytest.param("A=2 B", (), "A=2 B=1", id="all that implement it, in order"),
        pytest.param("C A B", (), "A=1 B=1", id="not those that don't"),
        pytest.param("A B", ("D",), "A=1 B=1 D=1", id="own ones last"),
        pytest.param("A B D", ("D=4",), "D=4 A=1 B=1", id="overriding ones first"),
        pytest.param("A B D", ("E D B",), "D=1 B=1 A=1 E=1", id="overriding in their own order"),
        pytest.param("A=5", ("A",), "A=1", id="an own weight of 0 overrides too"),
        pytest.param("A B D", ("", "B"), "A=1 D=1", id="disabled here"),
        pytest.param("A B", ("", "*"), "", id="all disabled here"),
        pytest.param("A B", ("B D=2", "*"), "B=1 D=2", id="own ones instead of all"),
        pytest.param("A B D", ("B", "B"), "A=1 D=1 B=1", id="disabled and enabled goes last"),
        pytest.param("", ("B A",), "B=1 A=1", id="without MultiPoint"),
    ],
)
def test_expanding_to_score(multi_point: str, own: tuple[str, ...], expected: str) -> None:
    sets = plugins(multi_point, {SCORE: plugin_set(*own)})
    assert shown(expand(sets, implements)[SCORE]) == expected


def test_expansion_has_every_point_and_weights_only_where_they_count() -> None:
    expanded = expand(plugins("A=7 E=3"), implements)
    assert list(expanded) == list(ExtensionPoint)
    assert shown(expanded[SCORE]) == "A=7 E=3"
    assert shown(expanded[ExtensionPoint.PLACEMENT_SCORE]) == "E=3"
    assert shown(expanded[FILTER]) == "A E"
    assert shown(expanded[ExtensionPoint.BIND]) == "E"


def faults_of(multi_point: str, points: dict[ExtensionPoint, PluginSet]) -> list[str]:
    with pytest.raises(InvalidDocumentError) as caught:
        expand(plugins(multi_point, points), implements)
    return [str(error) for error in caught.value.errors]


def test_faults_of_an_expansion_are_reported_at_once() -> None:
    points = {SCORE: plugin_set("C D D"), FILTER: plugin_set("B")}
    assert faults_of("A A", points) == [
        'plugins.filter.enabled: Invalid value: "B": this plugin isn\'t a filter plugin',
        'plugins.multiPoint.enabled: Duplicate value: "A"',
        'plugins.score.enabled: Invalid value: "C": this plugin isn\'t a score plugin',
        'plugins.score.enabled: Duplicate value: "D"',
    ]


def test_a_repetition_that_is_overridden_everywhere_is_none() -> None:
    points = {SCORE: plugin_set("B")}
    assert shown(expand(plugins("B B", points), implements)[SCORE]) == "B=1"


ENABLED = st.builds(EnabledPlugin, name=st.sampled_from(NAMES), weight=st.integers(0, 9))
DISABLED = st.builds(DisabledPlugin, name=st.sampled_from([*NAMES, "*"]))
PLUGIN_SETS = st.builds(
    PluginSet,
    enabled=st.lists(ENABLED, unique_by=lambda plugin: plugin.name, max_size=5).map(tuple),
    disabled=st.lists(DISABLED, unique=True, max_size=3).map(tuple),
)
ALL_SETS = st.dictionaries(st.sampled_from([*Plugins.model_fields]), PLUGIN_SETS)


@given(PLUGIN_SETS, PLUGIN_SETS)
def test_merging_keeps_what_was_asked_for(default: PluginSet, custom: PluginSet) -> None:
    merged = custom.over(default)
    names = [plugin.name for plugin in merged.enabled]
    assert len(names) == len(set(names))
    assert set(custom.enabled) <= set(merged.enabled)
    assert set(merged.disabled) == {*default.disabled, *custom.disabled}
    for plugin in set(merged.enabled) - set(custom.enabled):
        assert plugin in default.enabled
        assert not merged.disables(plugin.name)


@given(ALL_SETS.map(lambda sets: Plugins(**sets)))
def test_expansion_holds_what_is_enabled_in_three_parts(sets: Plugins) -> None:
    expanded = expand(sets, lambda plugin, point: True)
    brought = {plugin.name for plugin in sets.multi_point.enabled}
    for point in ExtensionPoint:
        own_set = sets.at(point)
        own = {plugin.name for plugin in own_set.enabled}
        spread = {name for name in brought if not own_set.disables(name)}
        names = [*expanded[point]]
        assert len(names) == len(set(names))
        assert set(names) == own | spread
        parts = [0 if n in own & spread else 1 if n in spread else 2 for n in names]
        assert parts == sorted(parts)
        order = [plugin.name for plugin in own_set.enabled]
        assert [n for n in names if n in own & spread] == [n for n in order if n in spread]
