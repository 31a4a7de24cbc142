"""Several seeds show what depends on chance, and only that."""

from tests.objects import node, pod, priority_class
from tests.whatif.plan.plans import planned


def test_equal_nodes_are_taken_by_chance() -> None:
    (chance,) = planned([node(name) for name in "abc"], pod("new"), seeds=12).chances
    assert chance.pod == "default/new"
    assert {outcome for outcome, _ in chance.outcomes} == {"a", "b", "c"}
    assert sum(times for _, times in chance.outcomes) == 12


def test_what_is_certain_isnt_told() -> None:
    outcome = planned([node("a"), node("b", "8"), pod("old", on="a")], pod("new", "5"), seeds=5)
    assert (outcome.seeds, outcome.chances) == (5, ())


def test_victims_by_chance_are_told() -> None:
    state = [priority_class("high", 1000), node("a", "1"), node("b", "1")]
    state += [pod("on-a", on="a"), pod("on-b", on="b")]
    chances = planned(state, pod("new", priorityClassName="high"), seeds=10).chances
    fates = {chance.pod: dict(chance.outcomes) for chance in chances}
    assert fates["default/on-a"]["loses its place"] == fates["default/new"]["a"]
    assert fates["default/on-b"]["loses its place"] == fates["default/new"]["b"]


def test_the_first_seed_goes_by_name() -> None:
    outcome = planned([node("b"), node("a")], pod("new"), seeds=3)
    assert outcome.placements[0].node == "a"
