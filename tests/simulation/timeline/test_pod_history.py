"""Which pods repeat what has become of others."""

from typing import Any

from podium.simulation.timeline.facts import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistories

OWNER = {"kind": "ReplicaSet", "name": "r"}


def entry(at_s: float, kind: str, uid: str, **details: Any) -> TimelineEntry:
    return TimelineEntry(at_s, kind, "Pod", "default", uid, "", details, uid)


def life(
    uid: str,
    at_s: float,
    *,
    owner: Any = OWNER,
    for_s: float = 0.0,
    end: str = "PodFailed",
    **how: Any,
) -> list[TimelineEntry]:
    return [
        entry(at_s, "PodCreated", uid, owner=owner),
        entry(at_s, "PodBound", uid, node=how.pop("node", "n")),
        entry(at_s + for_s, end, uid, **(how or {"reason": "OutOfcpu"})),
    ]


def test_pods_that_end_alike_repeat_the_first() -> None:
    found = PodHistories([*life("a", 0.0), *life("b", 0.25), *life("c", 0.5)]).repetitions
    assert found.first == {"b": "a", "c": "a"}
    assert found.times == {"a": 2}
    assert found.until_s == {"a": 0.5}


def test_pods_that_were_there_when_the_first_ended_repeat_nothing() -> None:
    created, bound, failed = life("b", 0.0)
    found = PodHistories([created, *life("a", 0.0), bound, failed, *life("c", 0.25)]).repetitions
    assert found.first == {"c": "a"}


def test_pods_that_end_otherwise_repeat_nothing() -> None:
    others = (
        life("another reason", 0.25, reason="NodePorts"),
        life("another node", 0.5, node="m"),
        life("another owner", 0.75, owner={"kind": "ReplicaSet", "name": "s"}),
        life("without an owner", 1.0, owner=None),
        life("after a while", 1.25, for_s=1.0),
        life("without a reason", 1.5, end="PodGone", phase="Running"),
    )
    found = PodHistories([*life("a", 0.0), *(one for other in others for one in other)]).repetitions
    assert found.first == {}


def test_evictions_by_a_taint_repeat_each_other_and_preemptions_do_not() -> None:
    def repeated(reason: str) -> dict[str, str]:
        lives = (life(uid, 0.25, end="PodTerminating", disruption=reason) for uid in "ab")
        return PodHistories(one for each in lives for one in each).repetitions.first

    assert repeated("DeletionByTaintManager") == {"b": "a"}
    assert repeated("PreemptionByScheduler") == {}
