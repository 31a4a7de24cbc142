"""Zones: who is well, how fast others are tainted, and when nobody is."""

import pytest

from podium.controllers.node_lifecycle.zones import EXCLUDED_LABEL, EvictionRateLimiter, Zones
from tests import objects


def node(name: str, status: str = "True", zone: str = "a", **labels: str) -> objects.Obj:
    conditions = [{"type": "Ready", "status": status}] if status else []
    return objects.node(name, zone=zone, labels=labels, status={"conditions": conditions})


def zones_with(**sizes: tuple[int, int]) -> Zones:
    """Zones by name, each with so many ready and unready nodes."""
    zones = Zones()
    for zone, (ready, unready) in sizes.items():
        for number in range(ready + unready):
            status = "True" if number < ready else "Unknown"
            zones.count(f"{zone}{number}", node(f"{zone}{number}", status, zone))
    return zones


def rate(zones: Zones, zone: str = "a") -> float:
    return zones.state(("", zone)).limiter.rate


@pytest.mark.parametrize(
    ("ready", "unready", "expected"),
    [
        (10, 0, 0.1),
        (1, 2, 0.1),
        (10, 12, 0.1),
        (9, 11, 0.0),
        (1, 3, 0.0),
        (20, 30, 0.0),
        (20, 31, 0.01),
        (0, 5, 0.1),
    ],
)
def test_the_rate_depends_on_the_share_of_failed_nodes(
    ready: int, unready: int, expected: float
) -> None:
    zones = zones_with(a=(ready, unready), b=(1, 0))
    zones.look(0.0)
    assert not zones.has_stopped
    assert rate(zones) == expected


def test_when_all_zones_have_failed_nothing_is_evicted() -> None:
    zones = zones_with(a=(1, 2), b=(0, 1))
    zones.look(0.0)
    assert not zones.has_stopped
    assert zones.count("a0", node("a0", "False"))
    zones.look(5.0)
    assert zones.has_stopped
    assert (rate(zones, "a"), rate(zones, "b")) == (0.0, 0.0)
    zones.look(10.0)
    assert zones.has_stopped
    zones.count("a0", node("a0"))
    zones.look(15.0)
    assert not zones.has_stopped
    assert rate(zones, "b") == 0.1


def test_a_zone_that_appears_meanwhile_is_not_emptied_either() -> None:
    zones = zones_with(a=(0, 1))
    zones.look(0.0)
    zones.count("b0", node("b0", "False", "b"))
    assert rate(zones, "b") == 0.0


def test_nodes_that_tell_nothing_or_are_excluded_do_not_count() -> None:
    zones = zones_with(a=(1, 0))
    assert not zones.count("new", node("new", ""))
    assert not zones.count("odd", node("odd", "False", **{EXCLUDED_LABEL: ""}))
    zones.look(0.0)
    assert not zones.has_stopped


def test_a_node_that_moves_or_goes_is_counted_where_it_is() -> None:
    zones = zones_with(a=(1, 1))
    assert zones.count("a1", node("a1", "Unknown", "b"))
    assert (zones.state(("", "a")).unready, zones.state(("", "b")).unready) == (0, 1)
    assert zones.count("a1", None)
    assert not zones.count("a1", None)
    assert zones.state(("", "b")).unready == 0


def test_one_passes_at_a_time() -> None:
    limiter = EvictionRateLimiter(0.1)
    taken_s = [at_s for at_s in (0.0, 1.0, 9.9, 10.0, 10.1) if limiter.take(at_s)]
    assert taken_s == [0.0, 10.0]


def test_another_rate_makes_nobody_wait_who_did_not_have_to() -> None:
    limiter = EvictionRateLimiter(0.1)
    limiter.set_rate(0.01, 0.0)
    assert limiter.take(0.0)
    limiter.set_rate(0.1, 50.0)
    assert not limiter.take(59.0)
    assert limiter.take(60.0)
    limiter.set_rate(0.0, 200.0)
    assert not limiter.take(1_000.0)
