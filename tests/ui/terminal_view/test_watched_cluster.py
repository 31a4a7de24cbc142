"""What the view knows of a cluster, from what a watch tells."""

from typing import Any

from podium.api.values.quantity import nanos
from podium.machines.events import Change, Synced
from podium.ui.terminal_view.rows import node_cells, node_state, queue_of, waiting_cells
from podium.ui.terminal_view.watched_cluster import WatchedCluster
from tests.objects import Obj, node
from tests.objects import pod as unborn


def pod(*about: str, **fields: Any) -> Obj:
    return unborn(*about, **{"status": {"phase": "Pending"}, **fields})


def told(*changes: tuple[str, Obj | None, Obj | None]) -> WatchedCluster:
    cluster = WatchedCluster()
    cluster.step(Synced(), 0.0)
    for kind, old, new in changes:
        cluster.step(Change(kind, old, new), 60.0)
    return cluster


def refused(**status: Any) -> Obj:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    return {"phase": "Pending", "conditions": [{**condition, "message": "no room"}], **status}


def test_nodes_are_as_full_as_their_pods_ask() -> None:
    waits, bound = pod("a", "1", uid="a"), pod("a", "1", on="n", uid="a")
    other = pod("b", "500m", on="n", uid="b")
    cluster = told(
        ("Pod", None, other),
        ("Node", None, node("n", "2")),
        ("Pod", None, waits),
        ("Pod", waits, bound),
    )
    found = cluster.nodes["n"]
    assert found.requested["cpu"] == nanos("1500m")
    assert [text for text, _ in node_cells("n", found)][1:4] == [
        "████▌   75%",
        "         0%",
        "2/110",
    ]
    done = {**bound, "status": {"phase": "Succeeded"}}
    cluster.step(Change("Pod", bound, done), 61.0)
    cluster.step(Change("Pod", other, None), 61.0)
    assert (found.requested["cpu"], found.pods) == (0, set())
    cluster.step(Change("Node", node("n", "2"), None), 62.0)
    assert cluster.nodes == {}


def test_pods_wait_until_they_have_a_node_or_go() -> None:
    waits = pod("a", uid="a")
    cluster = told(("Pod", None, waits), ("Pod", None, pod("b", uid="b")))
    assert cluster.waiting == {"default/a", "default/b"}
    cluster.step(Change("Pod", waits, pod("a", on="n", uid="a")), 61.0)
    leaves = pod("b", uid="b", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    cluster.step(Change("Pod", pod("b", uid="b"), leaves), 61.0)
    assert cluster.waiting == set()
    assert cluster.counts == {"bound": 1}


def test_the_queue_is_told_by_the_status() -> None:
    gated = {"conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}]}
    statuses = ({}, refused(), refused(nominatedNodeName="n"), gated)
    queues = [queue_of(pod("a", status=one)) for one in statuses]
    assert queues == ["active", "unschedulable", "backoff", "gated"]
    assert waiting_cells(pod("a", status=refused()), 0.0)[-1] == ("no room", "")


def test_preemptions_are_told_of_both_schedulers() -> None:
    victim = pod("low", on="n", uid="v")
    event = {
        "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "low"},
        "reason": "Preempted",
        "message": "Preempted by pod p on node n",
    }
    target = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    disrupted = {**victim, "status": {"phase": "Pending", "conditions": [target]}}
    cluster = told(
        ("Pod", None, victim),
        ("Pod", None, pod("high", uid="p")),
        ("Event", None, event),
        ("Pod", victim, disrupted),
        ("Pod", disrupted, None),
    )
    told_of = {one.text: one.pod for one in cluster.news}
    assert told_of["pod low is preempted by pod high on node n"] == "default/low"
    assert cluster.news[-1].text == "pod low is gone from n (preempted, at once)"
    assert cluster.counts == {"preempted": 1}


def test_what_is_wrong_with_a_node() -> None:
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    conditions = [{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "True"}]
    sick = node("n", unschedulable=True, taints=[taint], status={"conditions": conditions})
    assert node_state(sick) == ("DiskPressure, cordoned, gpu=yes:NoSchedule", "red")
    lost = node("n", status={"conditions": [{"type": "Ready", "status": "Unknown"}]})
    assert node_state(lost) == ("unknown", "red")
    ready = node("n", status={"conditions": conditions[:1]})
    assert node_state(ready) == ("ready", "green")


def test_annotations_that_anybody_may_write_are_no_records() -> None:
    for text in ("{", "[]", '{"preemptor": 1}'):
        metadata = {"name": "e", "namespace": "d", "annotations": {"podium.dev/preemption": text}}
        assert not told(("Event", None, {"metadata": metadata, "reason": "Preempted"})).news
