"""Whom a kubelet stops for a critical pod."""

from typing import Any

import pytest

from podium.kubelet.critical_pod_preemption import victims
from podium.kubelet.pod_admission import InsufficientResource
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.kubelet.builders import info, pod

CRITICAL = info(pod("critical", priority=2_000_000_000))


def best_effort(name: str) -> PodInfo:
    return info(pod(name, cpu=""))


def burstable(name: str, cpu: str, **fields: Any) -> PodInfo:
    return info(pod(name, cpu, **fields))


def guaranteed(name: str, cpu: str) -> PodInfo:
    amounts = {"cpu": cpu, "memory": "1Gi"}
    resources = {"requests": amounts, "limits": amounts}
    return info(pod(name, containers=[{"name": "c", "resources": resources}]))


def short(millis: int, resource: str = "cpu") -> list[InsufficientResource]:
    return [InsufficientResource(resource, millis, 0, 0)]


@pytest.mark.parametrize(
    ("others", "missing", "stopped"),
    [
        ([burstable("small", "100m"), burstable("fits", "500m")], 400, ["fits"]),
        ([burstable("fits", "500m"), burstable("large", "2")], 400, ["fits"]),
        ([burstable("a", "300m"), burstable("b", "200m")], 400, ["a", "b"]),
        ([burstable("old", "500m"), burstable("new", "500m")], 400, ["new"]),
        ([guaranteed("g", "500m"), burstable("b", "500m")], 400, ["b"]),
        ([guaranteed("g", "500m"), burstable("b", "100m")], 550, ["b", "g"]),
        ([guaranteed("g", "500m"), burstable("b", "100m")], 450, ["g"]),
        ([burstable("peer", "1", priority=2_000_000_000)], 100, None),
        ([burstable("b", "100m")], 400, None),
    ],
)
def test_as_few_as_possible_and_guaranteed_ones_last(
    others: list[PodInfo], missing: int, stopped: list[str] | None
) -> None:
    chosen = victims(CRITICAL, others, short(missing))
    assert (chosen if chosen is None else [one.name for one in chosen]) == stopped


def test_for_a_place_somebody_goes_who_has_nothing_else() -> None:
    others = [burstable("b", "100m"), best_effort("e")]
    chosen = victims(CRITICAL, others, short(1, "pods"))
    assert chosen is not None
    assert [one.name for one in chosen] == ["e"]
