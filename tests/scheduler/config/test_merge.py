"""Merging with the defaults, and spreading over the extension points."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.documents.document import InvalidDocumentError
from podium.scheduler.config.merge import expand, merge_plugin_set, merge_plugins
from podium.scheduler.config.types import ExtensionPoint, PluginRef, PluginSet, PluginSets

SCORE, FILTER = ExtensionPoint.SCORE, ExtensionPoint.FILTER
NAMES = ("A", "B", "C", "D", "E")

# A scores and filters, B scores, C filters; D and E do everything.
IMPLEMENTED = {"A": {SCORE, FILTER}, "B": {SCORE}, "C": {FILTER}}


def implements(plugin: str, point: ExtensionPoint) -> bool:
    return point in IMPLEMENTED.get(plugin, ExtensionPoint)


def plugin_set(enabled: str = "", disabled: str = "") -> PluginSet:
    """From `A B=5` and `* C`."""
    refs = (item.partition("=") for item in enabled.split())
    return PluginSet(
        tuple(PluginRef(name, int(weight or 0)) for name, _, weight in refs),
        tuple(disabled.split()),
    )


def shown(plugins: tuple[PluginRef, ...]) -> str:
    return " ".join(f"{p.name}={p.weight}" if p.weight else p.name for p in plugins)


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
    merged = merge_plugin_set(plugin_set(*default), plugin_set(*custom))
    assert merged == plugin_set(*expected)


def test_sets_are_merged_point_by_point() -> None:
    defaults = PluginSets(plugin_set("A B"), {SCORE: plugin_set("", "B")})
    custom = PluginSets(plugin_set("C", "A"), {FILTER: plugin_set("C"), SCORE: plugin_set("A")})
    merged = merge_plugins(defaults, custom)
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
        pytest.param("A=-2", (), "A=-2", id="a negative weight is a weight"),
    ],
)
def test_expanding_to_score(multi_point: str, own: tuple[str, ...], expected: str) -> None:
    sets = PluginSets(plugin_set(multi_point), {SCORE: plugin_set(*own)})
    assert shown(expand(sets, implements)[SCORE]) == expected


def test_expansion_has_every_point_and_weights_only_where_they_count() -> None:
    expanded = expand(PluginSets(plugin_set("A=7 E=3")), implements)
    assert list(expanded) == list(ExtensionPoint)
    assert shown(expanded[SCORE]) == "A=7 E=3"
    assert shown(expanded[ExtensionPoint.PLACEMENT_SCORE]) == "E=3"
    assert shown(expanded[FILTER]) == "A E"
    assert shown(expanded[ExtensionPoint.BIND]) == "E"


def test_a_plugin_without_weight_counts_one() -> None:
    expanded = expand(PluginSets(plugin_set("A B=2")), implements)
    assert shown(expanded[SCORE]) == "A=1 B=2"


def faults_of(multi_point: str, points: dict[ExtensionPoint, PluginSet]) -> list[str]:
    with pytest.raises(InvalidDocumentError) as caught:
        expand(PluginSets(plugin_set(multi_point), points), implements)
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
    assert shown(expand(PluginSets(plugin_set("B B"), points), implements)[SCORE]) == "B=1"


@pytest.mark.parametrize("own", ["", "B=1"])
def test_weights_must_not_overflow(own: str) -> None:
    most = (2**63 - 1) // 100
    points = {SCORE: plugin_set(own)}
    assert shown(expand(PluginSets(plugin_set(f"A={most}")), implements)[SCORE]) == f"A={most}"
    assert faults_of(f"A={most} B=2", points)[0].startswith("plugins.score.enabled: ")


def test_a_plugin_that_is_disabled_for_score_still_counts_in_the_sum() -> None:
    most = (2**63 - 1) // 100
    assert faults_of(f"A={most} B", {SCORE: plugin_set("", "B")}) == [
        f"plugins.score.enabled: Invalid value: {most + 1}: "
        "the sum of weights lets scores exceed 64 bits"
    ]


def sets_of(enabled: Sequence[str], disabled: Sequence[str]) -> st.SearchStrategy[PluginSets]:
    plugin_sets = st.builds(PluginSet, _enabled(enabled), _disabled(disabled))
    points = st.dictionaries(st.sampled_from(ExtensionPoint), plugin_sets)
    return st.builds(PluginSets, plugin_sets, points)


def _enabled(names: Sequence[str]) -> st.SearchStrategy[tuple[PluginRef, ...]]:
    refs = st.builds(PluginRef, st.sampled_from(names), st.integers(-3, 9))
    return st.lists(refs, unique_by=lambda ref: ref.name, max_size=5).map(tuple)


def _disabled(names: Sequence[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(names), unique=True, max_size=3).map(tuple)


plugin_sets = st.builds(PluginSet, _enabled(NAMES), _disabled([*NAMES, "*"]))
all_sets = sets_of(NAMES, [*NAMES, "*"])


@given(plugin_sets, plugin_sets)
def test_merging_twice_enables_nothing_new(default: PluginSet, custom: PluginSet) -> None:
    once = merge_plugin_set(default, custom)
    twice = merge_plugin_set(once, custom)
    assert set(twice.enabled) == set(once.enabled)
    assert twice.disabled == once.disabled


# What is both disabled and enabled moves to the end, each time anew.
@given(sets_of(NAMES, NAMES[3:]), sets_of(NAMES[:3], NAMES[3:]))
def test_merging_twice_is_merging_once(defaults: PluginSets, custom: PluginSets) -> None:
    once = merge_plugins(defaults, custom)
    assert merge_plugins(once, custom) == once


@given(plugin_sets, plugin_sets)
def test_merging_keeps_what_was_asked_for(default: PluginSet, custom: PluginSet) -> None:
    merged = merge_plugin_set(default, custom)
    names = [plugin.name for plugin in merged.enabled]
    assert len(names) == len(set(names))
    assert set(custom.enabled) <= set(merged.enabled)
    assert set(merged.disabled) == {*default.disabled, *custom.disabled}
    for plugin in set(merged.enabled) - set(custom.enabled):
        assert plugin in default.enabled
        assert plugin.name not in merged.disabled
        assert "*" not in merged.disabled


@given(all_sets)
def test_expansion_holds_what_is_enabled_in_three_parts(sets: PluginSets) -> None:
    expanded = expand(sets, lambda plugin, point: True)
    brought = {plugin.name for plugin in sets.multi_point.enabled}
    for point in ExtensionPoint:
        own_set = sets.at(point)
        own = {plugin.name for plugin in own_set.enabled}
        spread = set() if "*" in own_set.disabled else brought - set(own_set.disabled)
        names = [plugin.name for plugin in expanded[point]]
        assert len(names) == len(set(names))
        assert set(names) == own | spread
        parts = [0 if n in own & spread else 1 if n in spread else 2 for n in names]
        assert parts == sorted(parts)
        order = [plugin.name for plugin in own_set.enabled]
        assert [n for n in names if n in own & spread] == [n for n in order if n in spread]


@given(all_sets)
def test_expanding_an_expansion_changes_nothing(sets: PluginSets) -> None:
    expanded = expand(sets, lambda plugin, point: True)
    again = PluginSets(points={point: PluginSet(plugins) for point, plugins in expanded.items()})
    assert expand(again, lambda plugin, point: True) == expanded
