"""Drains and failures: an impact is a plan's, and what is said of all of them is true of each."""

from random import Random
from typing import Any

import pytest

from podium.api.errors import PodiumError
from podium.ui.writers.markdown import to_markdown
from podium.whatif.plan.changes import parse_drain
from podium.whatif.plan.fail_on import parse_gates
from podium.whatif.plan.planner import Planner, plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from podium.whatif.resilience.impact import Disturbance, Impact, ImpactReader, drain_of, failure_of
from podium.whatif.resilience.resilience import (
    ResilienceRequest,
    disturbances_of,
    resilience,
    severity,
)
from podium.whatif.resilience.resilience_presentation import (
    impact_presentation,
    resilience_presentation,
)
from podium.whatif.resilience.resilience_report import Resilience
from tests.objects import Obj, budget, node, pod, priority_class, running
from tests.replacing import replace
from tests.whatif.plan.worlds import world


def tolerant(**settings: Any) -> Obj:
    unreachable = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
    return {"tolerations": [{**unreachable, "operator": "Exists", **settings}]}


SMALL, LOW = {"cpu": "100m"}, {"priorityClassName": "low"}
HIGH = {"priorityClassName": "high", **tolerant(tolerationSeconds=300)}
CLASSES = [priority_class("low", 1), priority_class("high", 1000)]
STATE = [
    *CLASSES,
    node("a", "2", zone="west"),
    node("b", "2", zone="west"),
    node("c", "2", zone="east"),
    *running("ReplicaSet", "web", "a", "c", **HIGH),
    *running("ReplicaSet", "batch", "b", "b", **LOW),
    *running("StatefulSet", "db", "a", **HIGH),
    budget("db", minAvailable=1),
]


def impact(disturbance: Disturbance, state: list[Obj] = STATE) -> Impact:
    request = PlanRequest(LoadedState(state))
    (played,) = Planner(request).outcomes([disturbance.changes], None)
    return ImpactReader(request).impact(disturbance, played)


def failing(state: list[Obj], *names: str) -> Impact:
    return impact(failure_of(state, names), state)


def tried(state: list[Obj], **settings: Any) -> Resilience:
    found, _ = resilience(ResilienceRequest(PlanRequest(LoadedState(state)), **settings))
    return found


def unplaced(found: Impact) -> dict[str, str]:
    return {one.pod: one.reason for one in found.unplaced}


@pytest.mark.seeds(2, 90)
def test_a_disturbance_played_among_others_is_the_plan_of_it_alone(seed: int) -> None:
    request = PlanRequest(LoadedState(world(Random(seed)).state), alternatives_max=0)
    reader, disturbances = ImpactReader(request), disturbances_of(ResilienceRequest(request))
    plans = Planner(request, 2).outcomes([one.changes for one in disturbances], None)
    for one, played in zip(disturbances, plans, strict=True):
        alone = replace(plan(replace(request, changes=one.changes)), warnings=(), notes=())
        assert reader.impact(one, played) == reader.impact(one, alone), one.name


def test_a_drain_is_what_plan_says() -> None:
    found = impact(drain_of(STATE, ["a"]))
    asked = plan(PlanRequest(LoadedState(STATE), [parse_drain("a", "default")]))
    assert (found.disruptions, found.drains) == (asked.disruptions, asked.drains)
    assert found.workloads == asked.workloads
    assert not found.is_harmless


FOUR = [node(name, zone="west") for name in "abcd"]
FEW = "nothing is evicted, as 3 of 4 nodes of zone west aren't ready"


@pytest.mark.parametrize(
    ("state", "failed", "lost", "why"),
    [
        (
            [*STATE, pod("patient", on="b", **tolerant())],
            "b",
            "patient",
            "stays on its silent node: it tolerates that without end",
        ),
        # One node of four: it is tainted after a minute.
        (
            [*FOUR, *running("ReplicaSet", "web", "a", **tolerant(tolerationSeconds=3600))],
            "a",
            "web-0",
            "stays on its silent node: it tolerates that until t+1h1m0.1s, and the plan ends at "
            "t+10m0s",
        ),
        # Three of four are more than 55 %, and few.
        (
            [*FOUR, *running("ReplicaSet", "web", "a")],
            "abc",
            "web-0",
            f"stays on its silent node: {FEW}",
        ),
        (
            [*FOUR, *running("ReplicaSet", "web", "a", **tolerant(tolerationSeconds=20))],
            "abc",
            "web-0",
            f"stays on its silent node: {FEW}",
        ),
    ],
)
def test_why_a_pod_has_no_place(state: list[Obj], failed: str, lost: str, why: str) -> None:
    assert unplaced(failing(state, *failed))[f"default/{lost}"] == why


def test_a_service_on_one_node_is_without_a_ready_pod_though_each_pod_gets_a_place() -> None:
    web = running("ReplicaSet", "web", "a", "a", **SMALL, **HIGH)
    spread = running("ReplicaSet", "spread", "a", "b", **SMALL, **HIGH)
    found = tried([*CLASSES, node("a"), node("b"), *web, *spread], drains=False)
    (outage,) = found.outages
    assert (outage.workload, outage.ready_before) == ("ReplicaSet default/web", 2)
    assert outage.over
    # From the failure on, not from when the control plane misses the node.
    assert outage.longest_seconds == pytest.approx(362, abs=6)
    assert outage.disturbances == ("failure of node a",)
    worst, harmless = found.ranking
    assert (worst.name, worst.unavailable, worst.unplaced) == ("failure of node a", 1, 0)
    assert worst.unavailable_seconds == outage.longest_seconds
    assert (harmless.unavailable, found.harmless) == (0, 1)
    shown = resilience_presentation(found)
    assert shown.headline.startswith("ReplicaSet default/web has no ready pod for 362")
    assert shown.sections[0].title == "Workloads without a ready pod for a while"
    (impact_of_a, *_) = found.worst
    assert impact_presentation(impact_of_a).headline.startswith(
        "Failure of node a: ReplicaSet default/web has no ready pod for 362"
    )


def test_a_gate_finds_the_worst_disturbance() -> None:
    state = [node("a"), node("b"), *running("StatefulSet", "db", "a", **SMALL)]
    gates = parse_gates(["unavailable"], None)
    asked = ResilienceRequest(PlanRequest(LoadedState(state)), gates=gates)
    found, (finding,) = resilience(asked)
    # The drain of the node takes it down for two seconds only.
    assert found.outages[0].disturbances == ("failure of node a", "drain of node a")
    assert finding.message == "has no ready pod for 600 s (failure of node a)"


def test_an_outage_to_the_end_is_worse_than_one_that_is_over() -> None:
    db = running("StatefulSet", "db", "a", **SMALL)
    web = running("ReplicaSet", "web", "b", **SMALL)
    found = tried([node("a"), node("b"), *db, *web], drains=False)
    assert [one.name for one in found.ranking] == ["failure of node a", "failure of node b"]
    assert [(one.workload, one.over) for one in found.outages] == [
        ("StatefulSet default/db", False),
        ("ReplicaSet default/web", True),
    ]
    assert "600 s, to the end in the failure of node a" in resilience_presentation(found).headline


def test_a_workload_whose_node_falls_silent_is_unavailable_though_nothing_is_evicted() -> None:
    found = failing([node("a"), node("b"), *running("ReplicaSet", "web", "a", **tolerant())], "a")
    (summary,) = found.unavailable
    assert (summary.workload, summary.ready_least_at) == ("ReplicaSet default/web", 0.0)
    assert not found.is_harmless
    headline = impact_presentation(found).headline
    assert headline.endswith("; no pod moves, but 1 pod is without a place.")


def test_without_nodes_nothing_is_said_to_be_ready() -> None:
    headline = resilience_presentation(tried([pod("waits")])).headline
    assert headline == "The state has no nodes that could be drained or fail."


def test_a_zone_fails_with_all_its_nodes() -> None:
    found = failure_of(STATE, ["west"])
    assert (found.name, found.nodes, found.zone) == ("failure of zone west", ("a", "b"), "west")
    assert failure_of(STATE, ["node/a", "zone/east"]).nodes == ("a", "c")
    assert drain_of(STATE, ["node/b", "a"]).nodes == ("b", "a")


@pytest.mark.parametrize("text", ["x", "zone/a", "node/west", "pod/a"])
def test_a_node_or_zone_that_isnt_in_the_state_is_an_error(text: str) -> None:
    with pytest.raises(PodiumError, match="the state has no"):
        failure_of(STATE, [text])


def test_the_number_of_processes_changes_nothing() -> None:
    request = PlanRequest(LoadedState(STATE))
    asked = ResilienceRequest(request, nodes=("a", "b"), pairs=True, spare_room=False)
    found, _ = resilience(asked, workers=1)
    assert resilience(asked, workers=2)[0] == found
    assert found.tried == {"Drain": 2, "NodeFailure": 3}
    assert [*map(severity, found.worst)] == sorted(map(severity, found.worst))
    assert sum(found.tried.values()) == len(found.ranking)


def test_pods_that_no_failure_spares() -> None:
    web = running("ReplicaSet", "web", "a", "b", cpu="2", **HIGH)
    batch = running("ReplicaSet", "batch", "c", cpu="2", **LOW)
    nodes = [node(name, "2") for name in "abc"]
    (exposed,) = tried([*CLASSES, *nodes, *web, *batch], drains=False).exposed
    assert (exposed.pod, exposed.hit, exposed.never_spared) == ("default/batch-0", 3, True)
    assert exposed.owner == "ReplicaSet default/batch"


WEB = running("ReplicaSet", "web", "a", "a", "b", "b")


def test_spare_room_cures_and_less_doesnt() -> None:
    found = tried([node("a", "2"), node("b", "2"), *WEB])
    (room,) = found.spare_rooms
    assert (room.like, room.count, room.cures, room.of) == (("a",), 1, 4, 4)
    assert room.shape == "2 cpu, 8Gi memory, 110 pods"
    assert all(one.unplaced for one in found.ranking)


def test_shapes_that_are_not_tried_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.whatif.resilience.resilience.SHAPES_MAX", 1)
    state = [node("a", "2"), node("b", "2"), node("c", "1"), *WEB]
    found = tried(state, nodes=("a",), drains=False)
    assert [room.like for room in found.spare_rooms] == [("a",)]
    assert found.untried_shapes == ("1 cpu, 8Gi memory, 110 pods",)
    assert "Not tried, as less common: nodes with 1 cpu" in to_markdown(
        resilience_presentation(found)
    )


def test_too_many_pairs_are_refused() -> None:
    state = [node(f"n{number}") for number in range(400)]
    with pytest.raises(PodiumError, match="79800 pairs"):
        disturbances_of(ResilienceRequest(PlanRequest(LoadedState(state)), pairs=True))
