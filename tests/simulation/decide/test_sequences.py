"""Sequences: what later pods see of what earlier ones have taken."""

from collections.abc import Sequence

import pytest

from podium.api.documents.document import read
from podium.simulation.decide.decisions import decide
from podium.simulation.decide.scenario import DecisionScenario
from tests.scheduler.plugins.volumes import (
    Object,
    claim,
    node,
    persistent_volume,
    pod,
    storage_class,
    uses,
)

LOCAL = storage_class("local", "kubernetes.io/no-provisioner")
MADE = storage_class("made")
ROOMY = {"status": {"allocatable": {"pods": "9"}}}
ONE_POD = ["ReadWriteOncePod"]


def decisions(
    pending: Sequence[Object],
    claims: Sequence[Object],
    volumes: list[Object] | None = None,
    **priorities: int,
) -> list[tuple[str, tuple[str, ...]]]:
    """The node of each pod, and all nodes that it could have had."""
    scenario = {
        "nodes": [{**node(name), **ROOMY} for name in ("n1", "n2")],
        "storageClasses": [LOCAL, MADE],
        "pvs": volumes or [],
        "pvcs": claims,
        "pending": [
            {**one, "spec": {**one["spec"], "priority": priorities.get(one["metadata"]["name"], 0)}}
            for one in pending
        ],
        "sequence": True,
    }
    return [
        (one.bound, one.explanation.feasible)
        for one in decide(read(DecisionScenario, scenario).filled())
    ]


def on_hosts(**hosts: str) -> list[Object]:
    return [
        persistent_volume(name, "local", hosts=[host], accessModes=["ReadWriteOnce", *ONE_POD])
        for name, host in hosts.items()
    ]


def test_a_volume_that_was_taken_isnt_offered_again() -> None:
    claims = [claim(name, "local") for name in ("a", "b", "c")]
    pods = [pod(f"p{name}", uses(name)) for name in ("a", "b", "c")]
    found = decisions(pods, claims, on_hosts(v1="n1", v2="n2"))
    assert found == [("n1", ("n1", "n2")), ("n2", ("n2",)), ("", ())]


def test_pods_of_one_claim_follow_the_volume_that_the_first_one_got() -> None:
    pods = [pod("one", uses("data")), pod("two", uses("data"))]
    found = decisions(pods, [claim("data", "local")], on_hosts(v1="n1", v2="n2"))
    assert found == [("n1", ("n1", "n2")), ("n1", ("n1",))]


def test_pods_of_one_claim_follow_the_node_that_it_is_made_for() -> None:
    pods = [pod("one", uses("data")), pod("two", uses("data"), uses("logs"))]
    claims = [claim("data", "made"), claim("logs", "made")]
    assert decisions(pods, claims) == [("n1", ("n1", "n2")), ("n1", ("n1",))]


def test_volumes_of_claims_for_one_pod_are_taken_like_others() -> None:
    claims = [claim(name, "local", modes=ONE_POD) for name in ("a", "b")]
    pods = [pod("one", uses("a")), pod("two", uses("b")), pod("three", uses("a"))]
    assert decisions(pods, claims, on_hosts(v1="n1")) == [("n1", ("n1",)), ("", ()), ("", ())]


def test_a_preemptor_gets_the_volume_that_its_victim_had_bound() -> None:
    """The victim goes; the claim that both use stays bound to what was chosen for it."""
    pods = [pod("one", uses("data")), pod("two", uses("data"))]
    claims = [claim("data", "local", modes=ONE_POD)]
    found = decisions(pods, claims, on_hosts(v1="n1", v2="n2"), two=1)
    assert found == [("n1", ("n1", "n2")), ("", ()), ("n1", ("n1",))]


@pytest.mark.parametrize("sequence", [True, False])
def test_only_a_sequence_changes_the_state(sequence: bool) -> None:
    raw = {
        "nodes": [{**node("n1"), **ROOMY}],
        "storageClasses": [LOCAL],
        "pvs": on_hosts(v1="n1"),
        "pvcs": [claim("a", "local"), claim("b", "local")],
        "pending": [pod("one", uses("a")), pod("two", uses("b"))],
        "sequence": sequence,
    }
    places = [one.decision.node_name for one in decide(read(DecisionScenario, raw).filled())]
    assert places == ["n1", "" if sequence else "n1"]


def with_port(name: str, priority: int, node_name: str = "") -> Object:
    container = {"name": "c", "ports": [{"hostPort": 80}]}
    spec = {"priority": priority, "nodeName": node_name, "containers": [container]}
    return {"metadata": {"name": name}, "spec": spec}


def test_of_two_pods_with_one_port_either_frees_it_by_leaving() -> None:
    """Upstream's HostPortInfo is a set; what comes takes the port for good again."""
    raw = {
        "nodes": [{**node("n1"), **ROOMY}],
        "pods": [with_port("stays", 9, "n1"), with_port("goes", 0, "n1")],
        "pending": [with_port("urgent", 5), with_port("late", 0)],
        "sequence": True,
    }
    found = [
        (one.decision.pod.name, one.bound) for one in decide(read(DecisionScenario, raw).filled())
    ]
    assert found == [("urgent", ""), ("urgent", "n1"), ("late", "")]
