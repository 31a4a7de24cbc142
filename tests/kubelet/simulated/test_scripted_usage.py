"""Curves of usage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.kubelet.simulated.behaviour import BehaviourError
from podium.kubelet.simulated.scripted_usage import (
    STRIDE_S,
    CurveError,
    first_reaching,
    parse_curve,
    usage_of,
)

MI = 2**20


@pytest.mark.parametrize(
    ("text", "at_s", "amount"),
    [
        ("1Gi", 5.0, 1024 * MI),
        ("10s=1Mi,20s=3Mi", 0.0, MI),
        ("10s=1Mi,20s=3Mi", 15.0, 2 * MI),
        ("10s=1Mi,20s=3Mi", 20.0, 3 * MI),
        ("10s=1Mi, 20s=3Mi", 99.0, 3 * MI),
        ("5Mi..5Mi", 17.0, 5 * MI),
    ],
)
def test_amounts(text: str, at_s: float, amount: int) -> None:
    assert parse_curve(text).at(at_s, "seed") == amount


@pytest.mark.parametrize(
    "text",
    ["", "lots", "-1", "1..", "3Mi..1Mi", "0s=", "1=1Mi", "10s=1,5s=2", "5s=1,5s=2", "-1s=5"],
)
def test_other_texts(text: str) -> None:
    with pytest.raises(CurveError, match="must be an amount"):
        parse_curve(text)


def test_all_faults_of_annotations_are_reported() -> None:
    written = {"podium.dev/usage-memory": "a lot", "podium.dev/usage-cpu": "1"}
    with pytest.raises(BehaviourError) as caught:
        usage_of({"metadata": {"annotations": written}})
    assert 'metadata.annotations[podium.dev/usage-memory]: Invalid value: "a lot": must be an' in (
        str(caught.value)
    )
    assert "there is no such usage; there are memory, disk, logs" in str(caught.value)


@given(st.floats(0, 10_000), st.text(max_size=3))
def test_a_walk_stays_within_its_bounds_and_is_the_same_for_a_seed(at_s: float, seed: str) -> None:
    walk = parse_curve("100..200")
    amount = walk.at(at_s, seed)
    assert 100 <= amount <= 200
    assert walk.at(at_s, seed) == amount


def test_walks_of_other_seeds_go_other_ways() -> None:
    walk = parse_curve("0..1000000")
    assert walk.at(50.0, "a") != walk.at(50.0, "b")


def test_corners() -> None:
    assert list(parse_curve("10s=1,20s=3,30s=5").corners_s(10.0, 30.0)) == [20.0]
    assert list(parse_curve("1..2").corners_s(0.0, 95.0)) == [STRIDE_S, 2 * STRIDE_S, 3 * STRIDE_S]
    assert list(parse_curve("7").corners_s(0.0, 100.0)) == []


def test_when_nothing_changes_any_more() -> None:
    line = parse_curve("10s=1,20s=3")
    assert [line.is_level_from(at_s) for at_s in (0.0, 19.9, 20.0)] == [False, False, True]
    assert parse_curve("5").is_level_from(0.0)
    assert not parse_curve("1..2").is_level_from(1e9)


@pytest.mark.parametrize(("limit", "at_s"), [(100, 0.0), (150, 5.0), (200, 10.0), (201, None)])
def test_when_a_limit_is_reached(limit: int, at_s: float | None) -> None:
    line = parse_curve("0s=100,10s=200,20s=0")
    assert first_reaching(lambda time_s: line.at(time_s, ""), [0.0, 10.0, 20.0], limit) == at_s
