"""PostFilter: who is asked, and what comes of the answers, with plugins of third parties."""

from typing import Any, ClassVar

import pytest

from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.document import KIND, KubeSchedulerConfiguration
from podium.scheduler.config.load import load_configuration
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import NodeToStatusReader, PostFilterResult
from podium.scheduler.framework.status import Code, Status, unresolvable, unschedulable
from podium.scheduler.plugin_registry import plugin_factories
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.objects import node, pod

NAMES = ["First", "Second"]
NO_ROOM = "0/2 nodes are available: 2 Insufficient cpu."


class Answering:
    """Answers what a test wants, and remembers what it was told."""

    answer: ClassVar[PostFilterResult]
    told: ClassVar[list[NodeToStatusReader]]

    def __init__(self, handle: Handle) -> None:
        pass

    def post_filter(self, pod: PodInfo, filtered: NodeToStatusReader) -> PostFilterResult:
        self.told.append(filtered)
        return self.answer


def answering(name: str, answer: PostFilterResult) -> type[Answering]:
    return type(name, (Answering,), {"name": name, "answer": answer, "told": []})


def replacing_default_preemption(*names: str) -> KubeSchedulerConfiguration:
    """A profile in which these plugins, and no others, run PostFilter."""
    plugins = {
        "multiPoint": {"disabled": [{"name": "DefaultPreemption"}]},
        "postFilter": {"disabled": [{"name": "*"}], "enabled": [{"name": name} for name in names]},
    }
    document = {"apiVersion": API_VERSION, "kind": KIND, "profiles": [{"plugins": plugins}]}
    return load_configuration([document], plugin_factories().keys()).configuration


@pytest.fixture
def scheduler_with(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a scheduler of two full nodes, whose PostFilter plugins answer this."""

    def make(*answers: PostFilterResult) -> tuple[Scheduler, list[type[Answering]]]:
        plugins = [answering(name, answer) for name, answer in zip(NAMES, answers, strict=False)]
        known = {**plugin_factories(), **{plugin.name: plugin for plugin in plugins}}
        for module in ("podium.scheduler.scheduler", __name__):
            monkeypatch.setattr(f"{module}.plugin_factories", lambda: known)
        scheduler = Scheduler(replacing_default_preemption(*(plugin.name for plugin in plugins)))
        here = [pod("a", "4", on="n1"), pod("b", "4", on="n2", priority=9)]
        scheduler.load([node("n1"), node("n2")], here)
        return scheduler, plugins

    return make


def test_another_plugin_nominates_a_node_and_names_the_victims(scheduler_with: Any) -> None:
    scheduler, _ = scheduler_with(PostFilterResult(nominated_node_name="n1"))
    (low,) = scheduler.snapshot.pods_on[scheduler.snapshot.row_of["n1"]]
    plugin = scheduler.pipelines["default-scheduler"].post_filter[0]
    plugin.answer = PostFilterResult(nominated_node_name="n1", victims=(low,))
    high = scheduler.pending(pod("high", priority=5))
    scheduler.preempt(scheduler.decide(high))
    assert high.nominated_node_name == "n1"
    assert scheduler.decide(high).node_name == "n1"


def test_a_nomination_without_victims_removes_nobody(scheduler_with: Any) -> None:
    scheduler, _ = scheduler_with(PostFilterResult(nominated_node_name="n1"))
    high = scheduler.pending(pod("high", priority=5))
    decision = scheduler.decide(high)
    assert decision.preemption is None
    scheduler.preempt(decision)
    assert high.nominated_node_name == "n1"
    assert scheduler.decide(high).node_name == ""


def test_plugins_are_told_why_the_pod_fits_on_no_node(scheduler_with: Any) -> None:
    scheduler, (plugin,) = scheduler_with(PostFilterResult())
    scheduler.snapshot.set_node(node("n3", pods="0"))
    scheduler.decide(scheduler.pending(pod("p", nodeSelector={"zone": "x"})))
    scheduler.decide(scheduler.pending(pod("p", priority=5)))
    nowhere, full = plugin.told
    wrong = unresolvable("node(s) didn't match Pod's node affinity/selector", plugin="NodeAffinity")
    assert nowhere.get("n1") == wrong
    assert nowhere.nodes_for(Code.UNSCHEDULABLE) == []
    assert sorted(nowhere.nodes_for(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)) == ["n1", "n2", "n3"]
    assert full.get("n1") == unschedulable("Insufficient cpu", plugin="NodeResourcesFit")
    assert full.get("n3").reasons == ("Too many pods",)
    assert full.get("n4").code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert {"n1", "n2"} <= set(full.nodes_for(Code.UNSCHEDULABLE))


NOBODY = PostFilterResult(unschedulable("nobody helps"))
CLEARING = PostFilterResult(unschedulable("no candidate"), nominated_node_name="")
HOPELESS = PostFilterResult(unresolvable("hopeless"))
BROKEN = PostFilterResult(Status(Code.ERROR, ("no connection",)))
HELPING = PostFilterResult(nominated_node_name="n2")


@pytest.mark.parametrize(
    ("answers", "asked", "nominated", "message"),
    [
        ((NOBODY, CLEARING), 2, "", f"{NO_ROOM} nobody helps, no candidate"),
        ((CLEARING, NOBODY), 2, "", f"{NO_ROOM} no candidate, nobody helps"),
        ((NOBODY, NOBODY), 2, None, f"{NO_ROOM} nobody helps, nobody helps"),
        ((NOBODY, HELPING), 2, "n2", NO_ROOM),
        ((HELPING, NOBODY), 1, "n2", NO_ROOM),
        ((NOBODY, HOPELESS), 2, None, f"{NO_ROOM} hopeless"),
        ((HOPELESS, HELPING), 1, None, f"{NO_ROOM} hopeless"),
        ((CLEARING, BROKEN), 2, None, f"{NO_ROOM} no connection"),
    ],
)
def test_plugins_are_asked_in_turn(
    scheduler_with: Any,
    answers: tuple[PostFilterResult, ...],
    asked: int,
    nominated: str | None,
    message: str,
) -> None:
    """As RunPostFilterPlugins does: until one helps, fails, or says that nobody can help."""
    scheduler, plugins = scheduler_with(*answers)
    decision = scheduler.decide(scheduler.pending(pod("p", priority=5)))
    assert sum(len(plugin.told) for plugin in plugins) == asked
    assert decision.post_filter is not None
    assert decision.post_filter.nominated_node_name == nominated
    assert failure_message(decision, scheduler.snapshot) == message
