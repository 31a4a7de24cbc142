"""Drawn scenes of workloads: what becomes of them here, and on a real control plane.

Each was played three times by kube-controller-manager, kube-scheduler and kube-apiserver. Those
scenes count that came out alike each time: in the others chance decides, a race of milliseconds, or
the phase of a period. The nearest of the three plays is what is compared with.
"""

import gzip
import json
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from podium.cluster.drivers.faults import Latency
from tests.conformance.controller_scenes import play
from tests.conformance.scene_comparison import differences
from tests.conftest import ROOT

Json = dict[str, Any]

_DATA = ROOT / "tests/conformance/data/controllers"
# Where all takes no time, pods are ready at the very moment of a step that they aren't ready at on
# a real control plane.
LATENCY = Latency(apply_s=0.005, answer_s=0.005, news_s=0.005)

DIFFERENT: dict[str, str] = {
    **dict.fromkeys(
        ("quota-2-77", "quota-2-167"),
        "a refused ReplicaSet is named by a hash of the template that isn't computed as Kubernetes "
        "does",
    )
}
"""Scenes that come out otherwise here, each with the reason."""


def read(name: str) -> Any:
    with gzip.open(_DATA / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


SCENES: list[Json] = read("scenes")
NAMES = [scene["name"] for scene in SCENES]


@cache
def plays() -> list[dict[str, Json]]:
    return [read(f"real-{number}") for number in (1, 2, 3)]


def is_steady(name: str) -> bool:
    """Whether a scene came out alike in all real plays."""
    return not any(differences(one[name], two[name]) for one, two in combinations(plays(), 2))


def nearest_differences(name: str, played: Json) -> list[str]:
    """How a play differs from the nearest of the real ones."""
    return min((differences(real[name], played) for real in plays()), key=len)


@pytest.fixture(scope="module")
def played() -> dict[str, Json]:
    return play(SCENES, LATENCY)


@pytest.mark.parametrize("name", NAMES)
def test_scene(name: str, played: dict[str, Json]) -> None:
    if not is_steady(name):
        pytest.skip("the real plays differ from each other")
    told = nearest_differences(name, played[name])
    if name in DIFFERENT:
        assert told, f"{name} is alike: take it off the list"
    else:
        assert not told, "\n".join(told)


def test_only_steady_scenes_are_listed_as_different() -> None:
    assert all(map(is_steady, DIFFERENT))
