"""Pods leave tainted nodes, each at its second."""

from typing import Any

import pytest

from podium.api.values.times import timestamp
from podium.controllers.taint_eviction import TaintEvictionController
from podium.machines.effects import Delete, Patch
from tests import objects
from tests.controllers.builders import NOW_S, Hand, Obj, pod

NO_EXECUTE = {"key": "broken", "effect": "NoExecute"}


def node(*taints: Obj) -> Obj:
    return objects.node("n1", taints=[*taints])


def tolerating(name: str, seconds: int | None, key: str = "broken") -> Obj:
    toleration: dict[str, Any] = {"key": key, "operator": "Exists", "effect": "NoExecute"}
    if seconds is not None:
        toleration["tolerationSeconds"] = seconds
    return pod(name, spec={"tolerations": [toleration]})


@pytest.fixture
def hand() -> Hand:
    return Hand(TaintEvictionController())


def test_a_pod_that_does_not_tolerate_is_marked_and_deleted_at_once(hand: Hand) -> None:
    hand.start(node(), pod("p"), tolerating("stays", None))
    hand.tell(node({**NO_EXECUTE, "effect": "NoSchedule"}))
    assert hand.machine.next_wakeup_s() is None
    hand.tell(node(NO_EXECUTE))
    mark, deletion = hand.run()
    assert isinstance(mark, Patch)
    (condition,) = mark.body["status"]["conditions"]
    assert condition["reason"] == "DeletionByTaintManager"
    assert condition["message"] == "Taint manager: deleting due to NoExecute taint"
    assert isinstance(deletion, Delete)
    assert hand.events == ["Marking for deletion Pod default/p"]


def test_it_stays_if_the_taint_goes_in_time(hand: Hand) -> None:
    hand.start(node(NO_EXECUTE), tolerating("p", 300))
    hand.run()
    hand.tell(node())
    assert hand.run(100) == []
    assert hand.events == ["Cancelling deletion of Pod default/p"]
    assert hand.run(1000) == []


def test_a_taint_that_comes_back_counts_anew(hand: Hand) -> None:
    hand.start(node(NO_EXECUTE), tolerating("p", 300))
    hand.run()
    hand.tell(node())
    hand.run(100)
    hand.tell(node(NO_EXECUTE))
    hand.run(200)
    assert hand.run(499) == []
    assert [type(e) for e in hand.run(500)] == [Patch, Delete]


def scheduled(obj: Obj, before_s: float) -> Obj:
    """A pod that came to its node so long ago."""
    since = {"lastTransitionTime": timestamp(NOW_S - before_s)}
    return {**obj, "status": {"conditions": [{"type": "PodScheduled", "status": "True", **since}]}}


@pytest.mark.parametrize(
    ("tainted_s", "came_s", "stays_s"),
    [(100, 500, 200), (500, 100, 200), (1, 500, 299), (400, 500, 0)],
)
def test_what_was_there_before_counts_from_the_times_that_are_stored(
    hand: Hand, tainted_s: float, came_s: float, stays_s: float
) -> None:
    added = {**NO_EXECUTE, "timeAdded": timestamp(NOW_S - tainted_s)}
    hand.start(node(added), scheduled(tolerating("p", 300), came_s))
    assert not stays_s or hand.run(stays_s - 0.1) == []
    assert [type(e) for e in hand.run(stays_s)] == [Patch, Delete]


def test_a_pod_that_comes_later_has_its_own_time(hand: Hand) -> None:
    hand.start(node({**NO_EXECUTE, "timeAdded": timestamp(NOW_S - 100)}))
    hand.tell(tolerating("p", 300))
    assert hand.run() == hand.run(299.9) == []
    assert [type(e) for e in hand.run(300)] == [Patch, Delete]


def test_the_first_limited_toleration_has_settled_the_moment(hand: Hand) -> None:
    both = tolerating("p", 300)
    short = {"key": "worse", "operator": "Exists", "tolerationSeconds": 60}
    both["spec"]["tolerations"].append(short)
    first = {**NO_EXECUTE, "timeAdded": timestamp(NOW_S - 100)}
    second = {"key": "worse", "effect": "NoExecute", "timeAdded": timestamp(NOW_S - 30)}
    hand.start(node(first, second), scheduled(both, 500))
    assert hand.run(199.9) == []
    assert [type(e) for e in hand.run(200)] == [Patch, Delete]


def test_the_shortest_of_several_tolerations_counts(hand: Hand) -> None:
    both = tolerating("p", 300)
    short = {"key": "worse", "operator": "Exists", "tolerationSeconds": 60}
    both["spec"]["tolerations"].append(short)
    hand.start(node(NO_EXECUTE, {"key": "worse", "effect": "NoExecute"}), both)
    hand.run()
    assert hand.run(59) == []
    assert [type(e) for e in hand.run(60)] == [Patch, Delete]


def test_a_pod_replaced_between_two_watches_has_a_time_of_its_own(hand: Hand) -> None:
    hand.start(node(NO_EXECUTE), tolerating("p", 300))
    hand.run()
    hand.now_s += 200
    again = tolerating("p", 300)
    again["metadata"]["uid"] = "another"
    hand.tell(again)
    assert hand.run() == hand.run(499.9) == []
    assert [type(e) for e in hand.run(500)] == [Patch, Delete]


def test_a_refused_deletion_is_tried_again(hand: Hand) -> None:
    hand.start(node(NO_EXECUTE), pod("p"))
    (mark,) = hand.wake()
    hand.refuse(mark, "InternalError", 500)
    assert hand.wake() == []
    assert [type(e) for e in hand.run(1)] == [Patch, Delete]
