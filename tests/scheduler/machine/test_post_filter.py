"""A third party's PostFilter plugin in place of DefaultPreemption, as the profile says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from podium.machines.effects import Bind, Delete, Patch, Record
from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.document import KIND, KubeSchedulerConfiguration
from podium.scheduler.config.load import load_configuration
from podium.scheduler.framework.cluster_events import EventHint, EventResource, after_removal
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import NodeToStatusReader, Permission, PostFilterResult
from podium.scheduler.framework.status import SUCCESS, Code, Status, unresolvable, unschedulable
from podium.scheduler.framework.third_party_plugins import adapted
from podium.scheduler.plugin_registry import plugin_factories
from podium.scheduler.queue.queued_pod import QueueName
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.scheduler.machine.builders import done, pod
from tests.scheduler.machine.test_scheduler_machine import Hand, node, of


@dataclass
class PreemptOldest:
    """Takes the first pod of lower priority of the node with the greatest name, whatever it is."""

    handle: Handle
    name = "PreemptOldest"

    def events_to_register(self) -> Sequence[EventHint]:
        return (after_removal(EventResource.ASSIGNED_POD),)

    def pre_enqueue(self, pod: PodInfo) -> Status:
        return unresolvable("not yet") if pod.uid in self.handle.preempting else SUCCESS

    def post_filter(self, pod: PodInfo, filtered: NodeToStatusReader) -> PostFilterResult:
        snapshot = self.handle.snapshot
        for name in sorted(snapshot.row_of, reverse=True):
            for victim in snapshot.pods_on[snapshot.row_of[name]]:
                if victim.priority < pod.priority:
                    return PostFilterResult(nominated_node_name=name, victims=(victim,))
        return PostFilterResult(unschedulable("nobody is less important"), nominated_node_name="")


@dataclass
class WaitForever:
    """Makes the pods of lowest priority wait on Permit, or refuses them there with another code."""

    handle: Handle
    name = "WaitForever"
    code = Code.WAIT

    def permit(self, pod: PodInfo, node_name: str) -> Permission:
        return Permission(Status(self.code), 600.0) if pod.priority == 0 else Permission()


@pytest.fixture
def profile(monkeypatch: pytest.MonkeyPatch) -> KubeSchedulerConfiguration:
    return with_plugin(monkeypatch, PreemptOldest, "DefaultPreemption")


def with_plugin(
    monkeypatch: pytest.MonkeyPatch, plugin: Any, *disabled: str
) -> KubeSchedulerConfiguration:
    """The default profile with a plugin more, and some less."""
    known: dict[str, Any] = {**plugin_factories(), plugin.name: adapted(plugin)}
    monkeypatch.setattr("podium.scheduler.scheduler.plugin_factories", lambda: known)
    plugins = {
        "multiPoint": {
            "enabled": [{"name": plugin.name}],
            "disabled": [{"name": name} for name in disabled],
        }
    }
    document = {"apiVersion": API_VERSION, "kind": KIND, "profiles": [{"plugins": plugins}]}
    return load_configuration([document], known.keys()).configuration


def test_its_victims_are_removed_and_its_node_is_nominated(
    profile: KubeSchedulerConfiguration,
) -> None:
    hand = Hand(configuration=profile)
    low = [pod(f"low-{n}", node=n, cpu="4") for n in ("n1", "n2")]
    hand.start(node("n1"), node("n2"), *low, pod("high", cpu="4", priority=10))
    condition, status = of(hand.wake(), Patch)
    assert condition.name == "low-n2"
    assert condition.body["status"]["conditions"][0]["reason"] == "PreemptionByScheduler"
    assert status.body["status"]["nominatedNodeName"] == "n2"
    (deletion,) = hand.answer(done(condition))
    (event,) = hand.answer(done(deletion))
    assert event.note == "Preempted by pod uid-high on node n2"
    hand.answer(done(status))
    hand.tell("Pod", pod("high", cpu="4", priority=10, status={"nominatedNodeName": "n2"}))
    hand.tell_gone("Pod", "low-n2")
    (binding,) = of(hand.wake(5), Bind)
    assert (binding.name, binding.node_name) == ("high", "n2")


def test_its_reasons_are_told(profile: KubeSchedulerConfiguration) -> None:
    hand = Hand(configuration=profile)
    hand.start(node(), pod("low", node="n1", cpu="4"), pod("p"))
    (patch,) = of(hand.wake(), Patch)
    (condition,) = patch.body["status"]["conditions"]
    assert condition["message"] == (
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate,"
        " nobody is less important"
    )


def test_a_victim_that_waits_on_permit_goes_back_to_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hand = Hand(configuration=with_plugin(monkeypatch, WaitForever))
    hand.start(node(), pod("low", cpu="4"))
    (nomination,) = of(hand.wake(), Patch)
    hand.answer(done(nomination))
    hand.tell("Pod", pod("high", cpu="4", priority=10))
    effects = hand.wake()
    assert of(effects, Delete) == []
    records = [(one.regarding["metadata"]["name"], one.note) for one in of(effects, Record)]
    assert records[:2] == [
        ("low", "waiting on permit for pod: preempted"),
        ("low", "Preempted by pod uid-high on node n1 (in kube-scheduler memory)."),
    ]
    assert hand.place("low") is QueueName.BACKOFF
    for patch in of(effects, Patch):
        effects += hand.answer(done(patch))
    (binding,) = of([*effects, *hand.wake(5)], Bind)
    assert binding.name == "high"


def test_an_event_ends_a_pending_pods_wait_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WaitForever, "code", Code.PENDING)
    hand = Hand(configuration=with_plugin(monkeypatch, WaitForever))
    hand.start(node(), pod("p"))
    hand.wake()
    assert hand.place("p") is QueueName.UNSCHEDULABLE
    hand.tell("Node", node("n2"))
    assert hand.place("p") is QueueName.ACTIVE


def test_a_wait_on_permit_ends_with_its_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = Hand(configuration=with_plugin(monkeypatch, WaitForever))
    hand.start(node(), pod("p"))
    hand.wake()
    assert of(hand.wake(599), Record) == []
    (event,) = of(hand.wake(600), Record)
    why = "rejected due to timeout after waiting 600s at plugin WaitForever"
    assert event.note == f"0/1 nodes are available: 1 {why}."
