"""DaemonSets: what recorded scenes don't show of pods on nodes, revisions and back-off."""

from collections.abc import Iterable
from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.controllers.daemon_set.daemon_set_controller import DaemonSetController
from podium.controllers.daemon_set.daemon_set_state import (
    Eligibility,
    seniority,
    target_of,
    tolerant,
)
from podium.machines.effects import Create, Delete, Effect
from tests import objects
from tests.controllers import builders
from tests.controllers.builders import Hand, become_ready
from tests.controllers.worlds import World
from tests.objects import Obj

MAINTENANCE = {"key": "maintenance", "effect": "NoExecute"}
SURGING = {"rolling": {"maxUnavailable": 0, "maxSurge": 1}}


def node(name: str, *taints: Obj) -> Obj:
    return objects.node(name, uid=f"uid-{name}", taints=[*taints])


def daemon_set(image: str = "i:1", generation: int = 1, **spec: Any) -> Obj:
    rolling = {"maxUnavailable": 1, "maxSurge": 0, **spec.pop("rolling", {})}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    template = {"containers": [{"name": "c", "image": image}], **spec.pop("pod", {})}
    fields = {"updateStrategy": strategy, "revisionHistoryLimit": 10, **spec}
    made = objects.workload("DaemonSet", "d", uid="uid-d", template=template, **fields)
    annotations = {"deprecated.daemonset.template.generation": str(generation)}
    made["metadata"] |= {"generation": generation, "annotations": annotations}
    return made


def pods(hand: Hand) -> list[Obj]:
    return [obj for (kind, _), obj in hand.objects.items() if kind == "Pod"]


def settle(hand: Hand) -> None:
    """The kubelets run what there is."""
    for one in pods(hand):
        if "status" not in one:
            become_ready(hand, {**one, "spec": {**one["spec"], "nodeName": target_of(one)}}, 0)


def targets(effects: Iterable[Effect]) -> list[str]:
    return [target_of(one.obj) for one in effects if isinstance(one, Create) and one.kind == "Pod"]


def deleted(effects: Iterable[Effect]) -> list[str]:
    return [one.name for one in effects if isinstance(one, Delete)]


def image_of(pod: Obj) -> str:
    return str(pod["spec"]["containers"][0]["image"])


def started(*objects: Obj) -> Hand:
    hand = Hand(DaemonSetController())
    hand.start(*objects)
    hand.run()
    settle(hand)
    hand.run()
    return hand


def world_with_daemon(**options: Any) -> World:
    """A node that is ready, in a world without a controller that would remove its taint."""
    world = World(DaemonSetController, **options)
    world.patch("Node", "n1", {"spec": {"taints": None}})
    fresh = daemon_set()
    del fresh["metadata"]["uid"]
    world.create(fresh)
    return world


def status(hand: Hand) -> Obj:
    found: Obj = hand.objects["DaemonSet", "d"]["status"]
    return found


NO_SCHEDULE = {"key": "k", "effect": "NoSchedule"}
NO_EXECUTE = {"key": "k", "effect": "NoExecute"}


@pytest.mark.parametrize(
    ("spec", "taint", "may_start", "may_stay"),
    [
        ({}, None, True, True),
        ({"nodeName": "n"}, None, True, True),
        ({"nodeName": "other"}, None, False, False),
        ({"nodeSelector": {"disk": "ssd"}}, None, True, True),
        ({"nodeSelector": {"disk": "hdd"}}, None, False, False),
        ({"nodeName": "n", "nodeSelector": {"disk": "hdd"}}, None, False, False),
        ({}, NO_SCHEDULE, False, True),
        ({}, NO_EXECUTE, False, False),
        ({"tolerations": [{"key": "k", "operator": "Exists"}]}, NO_EXECUTE, True, True),
    ],
)
def test_names_labels_and_taints_decide(
    spec: Obj, taint: Obj | None, *, may_start: bool, may_stay: bool
) -> None:
    there = objects.node("n", labels={"disk": "ssd"}, taints=[taint] if taint else [])
    eligibility = Eligibility(tolerant(spec))
    assert (eligibility.may_start(there), eligibility.may_stay(there)) == (may_start, may_stay)


def test_pods_tolerate_what_daemons_see_through_and_ask_for_their_node() -> None:
    hand = Hand(DaemonSetController())
    hand.start(daemon_set(pod={"hostNetwork": True}), node("a"))
    (created,) = [one for one in hand.run() if isinstance(one, Create) and one.kind == "Pod"]
    keys = [toleration["key"] for toleration in created.obj["spec"]["tolerations"]]
    assert [key.rpartition("/")[2] for key in keys] == [
        *("not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure"),
        *("unschedulable", "network-unavailable"),
    ]
    (revision,) = [name for kind, name in hand.objects if kind == "ControllerRevision"]
    assert created.obj["metadata"]["labels"] == {
        "app": "d",
        "controller-revision-hash": revision.removeprefix("d-"),
        "pod-template-generation": "1",
    }
    assert hand.events[0].startswith("Created pod: d-")


def test_a_pod_that_is_not_bound_yet_goes_from_no_tainted_node() -> None:
    """It isn't on the node, so nothing happens before another change."""
    hand = Hand(DaemonSetController())
    hand.start(daemon_set(), node("a"))
    hand.run()
    hand.tell(node("a", MAINTENANCE))
    assert deleted(hand.run()) == []


def test_a_condition_of_a_node_is_not_looked_at() -> None:
    hand = started(daemon_set(), node("a"))
    hand.tell({**node("a"), "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    assert hand.machine.next_wakeup_s() is None


@pytest.mark.parametrize("is_ready", [True, False])
def test_where_no_pod_may_come_a_surge_removes_an_old_one_that_is_not_needed(
    is_ready: bool,
) -> None:
    hand = started(daemon_set(**SURGING), node("a"), node("b"))
    (superfluous,) = [pod for pod in pods(hand) if target_of(pod) == "a"]
    if not is_ready:
        hand.tell({**superfluous, "status": {"phase": "Running"}})
    hand.tell(node("a", {**MAINTENANCE, "effect": "NoSchedule"}))
    hand.tell(daemon_set("i:2", 2, **SURGING))
    # Two are available where only one is desired, or else the other one doesn't serve.
    done = hand.run()
    assert (targets(done), deleted(done)) == (["b"], [superfluous["metadata"]["name"]])


def test_a_surge_keeps_an_old_pod_where_none_may_come_while_others_do_not_serve() -> None:
    hand = started(daemon_set(**SURGING), node("a"), node("b"))
    (broken,) = [pod for pod in pods(hand) if target_of(pod) == "b"]
    hand.tell({**broken, "status": {"phase": "Running"}})
    hand.tell(node("a", {**MAINTENANCE, "effect": "NoSchedule"}))
    hand.tell(daemon_set("i:2", 2, **SURGING))
    done = hand.run()
    assert (targets(done), deleted(done)) == (["b"], [broken["metadata"]["name"]])
    settle(hand)
    assert len(deleted(hand.run())) == 1
    assert [target_of(pod) for pod in pods(hand)] == ["b"]


def test_a_surge_waits_for_pods_of_nodes_that_are_gone() -> None:
    hand = started(daemon_set(**SURGING), node("a"), node("b"))
    hand.gone("Node", "a")
    hand.tell(daemon_set("i:2", 2, **SURGING))
    assert not [one for one in hand.run() if getattr(one, "kind", "") == "Pod"]
    (left,) = [pod for pod in pods(hand) if target_of(pod) == "a"]
    hand.gone("Pod", left["metadata"]["name"])
    assert targets(hand.run()) == ["b"]


def test_old_pods_of_nodes_that_are_gone_are_replaced_as_others() -> None:
    hand = started(daemon_set(), node("a"))
    hand.gone("Node", "a")
    hand.tell(daemon_set("i:2", 2))
    assert len(deleted(hand.run())) == 1


def test_the_oldest_pods_are_replaced_first() -> None:
    hand = started(daemon_set(), *map(node, "abc"))
    for pod, second in zip(pods(hand), (3, 1, 2), strict=True):
        created = {"creationTimestamp": f"2026-01-01T00:00:0{second}Z"}
        hand.tell({**pod, "metadata": {**pod["metadata"], **created}})
    hand.run()
    hand.tell(daemon_set("i:2", 2))
    order = []
    for _ in range(3):
        order += targets(hand.run())
        settle(hand)
    assert order == ["b", "c", "a"]


def test_a_pod_that_has_ended_and_is_on_its_way_out_has_a_successor_at_once() -> None:
    hand = started(daemon_set(), node("a"))
    (old,) = pods(hand)
    leaving = {**old["metadata"], "deletionTimestamp": "2026-01-01T00:00:30Z", "finalizers": ["f"]}
    hand.tell({**old, "metadata": leaving})
    assert targets(hand.run()) == []
    hand.tell({**old, "metadata": leaving, "status": {"phase": "Failed"}})
    assert targets(hand.run()) == ["a"]


@pytest.mark.parametrize("is_disturbed", [False, True])
def test_whether_pods_have_been_ready_for_long_enough_is_looked_at_a_second_late(
    is_disturbed: bool,
) -> None:
    spec: Obj = {**SURGING, "minReadySeconds": 5}
    hand = started(daemon_set(**spec), node("a"))
    hand.run(10.0)
    hand.tell(daemon_set("i:2", 2, **spec))
    assert targets(hand.run(10.2)) == ["a"]
    (new,) = [pod for pod in pods(hand) if image_of(pod) == "i:2"]
    hand.run(12.7)
    become_ready(hand, {**new, "spec": {**new["spec"], "nodeName": "a"}})
    hand.run(12.7)
    # Since 12 by what is stored, so that it is available from 17 on; seen at 12.7.
    assert not deleted(hand.run(16.9))
    if is_disturbed:
        hand.tell(node("b"))
        assert len(deleted(hand.run(17.0))) == 1
    else:
        assert not deleted(hand.run(18.6))
        assert len(deleted(hand.run(18.7))) == 1


def test_a_status_with_ready_pods_that_are_not_available_is_looked_at_after_their_time() -> None:
    hand = Hand(DaemonSetController())
    hand.start(daemon_set(minReadySeconds=5), node("a"))
    hand.run(0.0)
    (only,) = pods(hand)
    hand.run(2.7)
    become_ready(hand, {**only, "spec": {**only["spec"], "nodeName": "a"}})
    for at_s, ready, available in ((2.7, 1, None), (7.6, 1, None), (7.7, 1, 1)):
        hand.run(at_s)
        assert (status(hand)["numberReady"], status(hand).get("numberAvailable")) == (
            ready,
            available,
        )


def test_a_template_that_comes_back_takes_up_its_revision() -> None:
    world = world_with_daemon()
    for seconds, image in ((30, "i:2"), (60, "i:1")):
        world.run_until(seconds)
        template = {"spec": {"containers": [{"name": "c", "image": image}]}}
        world.patch("DaemonSet", "d", {"spec": {"template": template}})
    world.run_until(90)
    assert sorted(one["revision"] for one in world.all("ControllerRevision")) == [2, 3]
    assert [image_of(pod) for pod in world.all("Pod")] == ["i:1"]
    assert world.get("DaemonSet", "d")["status"]["observedGeneration"] == 3


@pytest.mark.parametrize("seed", range(4))
def test_faults_and_restarts_leave_one_pod(seed: int) -> None:
    trouble = Faults(refused=0.2, unanswered=0.1, slow=0.1, slow_watches=0.1, restarts=0.01)
    world = world_with_daemon(faults=trouble, seed=seed)
    world.run_until(120)
    world.driver.faults = NO_FAULTS
    world.run_until(400)
    assert len(world.all("Pod")) == 1
    assert world.get("DaemonSet", "d")["status"]["numberAvailable"] == 1


def fail(hand: Hand) -> str:
    """Have the only pod fail; its name."""
    (only,) = pods(hand)
    hand.tell({**only, "status": {"phase": "Failed"}})
    return str(only["metadata"]["name"])


def test_failed_pods_go_at_once_and_then_ever_later() -> None:
    hand = started(daemon_set(), node("a"))
    name = fail(hand)
    assert deleted(hand.run(0.0)) == [name]
    # Waits double, up to a quarter of an hour.
    waits_s = [min(2.0**number, 900.0) for number in range(12)]
    at_s = 0.0
    for failed_s, deleted_s in [(at_s, at_s := at_s + wait_s) for wait_s in waits_s]:
        name = fail(hand)
        assert not deleted(hand.run(failed_s))
        assert not deleted(hand.run(deleted_s - 0.1))
        assert deleted(hand.run(deleted_s)) == [name]
    assert "Found failed daemon pod default/" in " ".join(hand.events)


def test_failed_pods_of_another_template_go_at_once() -> None:
    hand = started(daemon_set(), node("a"))
    fail(hand)
    hand.run(0.0)
    hand.tell(daemon_set("i:2", 2, updateStrategy={"type": "OnDelete"}))
    hand.run(0.1)
    name = fail(hand)
    assert deleted(hand.run(0.2)) == [name]


def test_orphans_are_adopted_and_extra_pods_deleted() -> None:
    hand = started(daemon_set(), node("a"))
    (mine,) = pods(hand)
    extra = {**mine, "metadata": {**mine["metadata"], "name": "z", "uid": "uid-z"}}
    hand.tell(extra)
    assert deleted(hand.run()) == ["z"]
    orphan = {**extra, "metadata": {**extra["metadata"], "uid": "uid-y", "ownerReferences": []}}
    hand.tell({**orphan, "metadata": {**orphan["metadata"], "name": "y"}})
    assert [type(effect).__name__ for effect in hand.wake()] == ["Patch"]


def test_pods_on_their_node_stay_before_others_then_the_older_then_by_name() -> None:
    first, second = "2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"
    some = [
        builders.pod("young-c", creationTimestamp=second),
        builders.pod("unbound", node="", creationTimestamp=first),
        builders.pod("young-b", creationTimestamp=second),
        builders.pod("old", creationTimestamp=first),
    ]
    in_order = [pod["metadata"]["name"] for pod in sorted(some, key=seniority)]
    assert in_order == ["old", "young-b", "young-c", "unbound"]


def test_at_most_250_pods_are_asked_for_at_once_and_one_after_a_refusal() -> None:
    hand = Hand(DaemonSetController())
    hand.start(daemon_set(), *(node(f"n{number}") for number in range(260)))
    hand.carry_out(hand.wake()[0])
    effects = hand.wake()
    assert len([effect for effect in effects if isinstance(effect, Create)]) == 250
    for effect in effects:
        (hand.refuse if isinstance(effect, Create) else hand.carry_out)(effect)
    assert hand.events == ["Error creating: Forbidden happened"] * 250
    assert len([effect for effect in hand.wake(60) if isinstance(effect, Create)]) == 1
