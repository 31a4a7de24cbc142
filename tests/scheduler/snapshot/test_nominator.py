"""Nominations: who waits for which node, and against whom it counts."""

from podium.scheduler.snapshot.nominator import Nominator
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import node, pod

SNAPSHOT = Snapshot()
SNAPSHOT.set_nodes([node("n1"), node("n2")])


def waiting(name: str, priority: int = 0) -> PodInfo:
    return pending_pod(pod(name, priority=priority), SNAPSHOT.classes)


def test_withdrawing() -> None:
    nominator, one, two = Nominator(), waiting("one"), waiting("two")
    nominator.nominate(one, "n1")
    nominator.nominate(two, "n1")
    nominator.withdraw(one)
    nominator.withdraw(one)
    assert one.nominated_node_name == ""
    assert list(nominator.on("n1")) == [two]
    nominator.nominate(two, "")
    assert not nominator
    assert two.nominated_node_name == ""


def test_a_pod_that_only_says_so_loses_its_nomination_too() -> None:
    """One that was read with a nomination which nobody counted."""
    nominator, one = Nominator(), waiting("one")
    one.nominated_node_name = "n1"
    nominator.withdraw(one)
    assert one.nominated_node_name == ""
    assert nominator.log.end == 0


def test_the_log_names_nodes_whose_nominations_changed() -> None:
    nominator, one = Nominator(), waiting("one")
    changes = nominator.log.cursor()
    nominator.nominate(one, "n1")
    nominator.nominate(one, "n2")
    nominator.withdraw(one)
    nominator.withdraw(one)
    assert changes.new() == ["n1", "n1", "n2", "n2"]


def test_an_object_that_was_read_again_is_no_rival_of_itself() -> None:
    nominator = Nominator()
    nominator.nominate(waiting("me", 5), "n1")
    assert nominator.rivals(waiting("me", 5), SNAPSHOT) == []
    assert nominator.rivals_on(waiting("me", 5), "n1") == []


def test_nominations_to_nodes_that_are_not_there_do_not_count() -> None:
    nominator = Nominator()
    nominator.nominate(waiting("other", 9), "gone")
    assert nominator.rivals(waiting("me"), SNAPSHOT) == []
