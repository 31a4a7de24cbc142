"""Objects that come again and again in a scenario."""

import pytest

from podium.api.errors import PodiumError
from podium.simulation.runner.scenario_runner import Simulation, simulate
from podium.simulation.scenario.scenario_document import read_scenario

SPEC = """apiVersion: podium.dev/v1alpha1
kind: Scenario
spec:
  until: 10m
  nodes: [{name: node-1, capacity: {cpu: "64", memory: 8Gi}}]
  arrivals:
    - every: %s
      objects:
        apiVersion: v1
        kind: Pod
        metadata: {name: p, annotations: {podium.dev/run-duration: ~2m, other: ~2m}}
        spec: {restartPolicy: Never, containers: [{name: c, image: i}]}
"""


def played(every: str, seed: int = 0) -> Simulation:
    return simulate(read_scenario("s.yaml", SPEC % every, seed))


def arrivals(simulation: Simulation) -> list[tuple[float, str]]:
    return [(one.at_s, one.name) for one in simulation.entries if one.type == "PodCreated"]


def test_they_come_at_even_distances_within_their_time() -> None:
    found = arrivals(played("1m\n      from: 1m\n      until: 4m"))
    assert found == [(120.0, "p-1"), (180.0, "p-2"), (240.0, "p-3")]


def test_there_are_no_more_than_asked_for() -> None:
    assert len(arrivals(played("1s\n      count: 7"))) == 7


def test_chance_follows_from_the_seed() -> None:
    first = arrivals(played("~20s", 1))
    assert first == arrivals(played("~20s", 1))
    assert first != arrivals(played("~20s", 2))
    assert 15 < len(first) < 50


def test_what_is_left_to_chance_is_drawn_when_they_come() -> None:
    pods = played("1m").cluster.store.list("Pod").items
    written = [pod["metadata"]["annotations"] for pod in pods]
    durations = {one["podium.dev/run-duration"] for one in written}
    assert len(durations) == len(pods)
    assert not any(text.startswith("~") for text in durations)
    assert {one["other"] for one in written} == {"~2m"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SPEC % "0s", "spec.arrivals[0].every"),
        (SPEC.replace("  until: 10m\n", "") % "5s", "spec.until"),
    ],
)
def test_what_never_ends_is_refused(text: str, told: str) -> None:
    with pytest.raises(PodiumError) as caught:
        read_scenario("s.yaml", text)
    assert told in str(caught.value)
