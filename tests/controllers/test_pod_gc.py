"""Pods that no kubelet will end any more are removed."""

from itertools import pairwise
from typing import Any

import pytest

from podium.controllers import pod_gc
from podium.controllers.pod_gc import PodGCController
from podium.machines.effects import Delete, Effect, Patch
from tests import objects
from tests.controllers.builders import Hand, Obj, pod
from tests.controllers.worlds import World

T0 = "2026-01-01T00:00:00Z"
OUT_OF_SERVICE = {"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}


def node(*taints: Obj, ready: str = "True", uid: str = "uid-n1") -> Obj:
    conditions = [{"type": "Ready", "status": ready}]
    return objects.node("n1", uid=uid, taints=[*taints], status={"conditions": conditions})


def finished(name: str, phase: str = "Succeeded", **status: Any) -> Obj:
    made = pod(name)
    made["status"] = {"phase": phase, **status}
    return made


def started(hand: Hand, *objects: Obj) -> Hand:
    """Looked around for the first time, with a node to look at."""
    hand.start(node(), *objects)
    hand.run()
    return hand


def deleted(effects: list[Effect]) -> list[str]:
    assert all(e.grace_period_s == 0 for e in effects if isinstance(e, Delete))
    return [effect.name for effect in effects if isinstance(effect, Delete)]


@pytest.fixture
def hand() -> Hand:
    return Hand(PodGCController())


def test_pods_of_a_lost_node_fail_and_go_after_a_quarantine(hand: Hand) -> None:
    started(hand, pod("p"))
    hand.now_s += 5
    hand.gone("Node", "n1")
    hand.run()
    # It is noticed at 20 s, and forty seconds pass from then on.
    assert hand.run(59) == []
    mark, deletion = hand.run(60)
    assert isinstance(mark, Patch)
    assert mark.body["status"]["phase"] == "Failed"
    (condition,) = mark.body["status"]["conditions"]
    assert (condition["type"], condition["reason"]) == ("DisruptionTarget", "DeletionByPodGC")
    assert condition["message"] == "PodGC: node no longer exists"
    assert isinstance(deletion, Delete)
    assert (deletion.grace_period_s, deletion.uid) == (0, "uid-p")


def test_a_node_that_comes_back_in_time_keeps_its_pods(hand: Hand) -> None:
    started(hand, pod("p"))
    hand.gone("Node", "n1")
    hand.run(10)
    hand.tell(node(uid="another"))
    assert hand.run(500) == []
    hand.gone("Node", "n1")
    hand.run()
    assert hand.run(530) == []
    assert deleted(hand.run(540)) == ["p"]


def test_pods_that_are_bound_to_a_node_that_is_not_there_go_too(hand: Hand) -> None:
    started(hand, pod("p", node="nowhere"), pod("q"))
    assert hand.run(39) == []
    assert deleted(hand.run(40)) == ["p"]


def test_a_pod_that_a_finalizer_keeps_is_deleted_again_whenever_it_looks_around() -> None:
    made = World(PodGCController, nodes=0)
    held = pod("p", node="")
    held["metadata"] = {"name": "p", "namespace": "default", "finalizers": ["example.com/hold"]}
    made.create(held)
    made.delete("Pod", "p")
    made.driver.advance(0)
    made.writes.clear()
    made.driver.advance(60)
    deletions = [one.at_s for one in made.writes if isinstance(one.effect, Delete)]
    assert [later - sooner for sooner, later in pairwise(deletions)] == [20.0, 20.0]


def test_a_node_out_of_service_gives_up_its_terminating_pods(hand: Hand) -> None:
    started(hand, pod("p", deletionTimestamp=T0), pod("q"))
    hand.now_s += 1
    hand.tell(node(OUT_OF_SERVICE))
    assert hand.run(40) == []
    hand.tell(node(OUT_OF_SERVICE, ready="Unknown"))
    mark, deletion = hand.run(41) + hand.run(60)
    assert isinstance(mark, Patch)
    assert "conditions" not in mark.body["status"]
    assert deleted([deletion]) == ["p"]
    hand.tell(pod("q", deletionTimestamp=T0))
    assert hand.run(61) == []
    assert deleted(hand.run(80)) == ["q"]


def test_of_too_many_finished_pods_evicted_and_old_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_gc, "FINISHED_MAX", 2)
    hand = Hand(PodGCController())
    old, older, evicted = finished("old"), finished("older"), finished("evicted", "Failed")
    old["metadata"]["creationTimestamp"] = "2025-12-31T00:00:00Z"
    older["metadata"]["creationTimestamp"] = "2025-12-30T00:00:00Z"
    evicted["metadata"]["creationTimestamp"] = T0
    evicted["status"]["reason"] = "Evicted"
    started(hand, old, older)
    assert hand.run(60) == []
    hand.tell(evicted)
    hand.tell(pod("runs", ready=True))
    hand.run(61)
    assert deleted(hand.run(80)) == ["evicted"]
    hand.tell(finished("new", creationTimestamp=T0))
    hand.objects["Pod", "new"]["metadata"]["creationTimestamp"] = T0
    hand.tell(hand.objects["Pod", "new"])
    hand.run(81)
    assert deleted(hand.run(100)) == ["older"]
