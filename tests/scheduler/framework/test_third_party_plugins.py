"""Third parties' plugins, enabled by a configuration, in the decisions of a scheduler."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.document import KIND
from podium.scheduler.config.load import load_configuration
from podium.scheduler.explain.explanation import explain
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.status import Code, Status, unresolvable, unschedulable
from podium.scheduler.framework.third_party_plugins import (
    ArrayPlugin,
    NodeInfo,
    NodePlugin,
    Nodes,
    adapted,
)
from podium.scheduler.plugin_registry import plugin_factories
from podium.scheduler.plugins.node_name import NodeName
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.objects import Obj, node, pod

Make = Callable[..., Scheduler]

NODES = [node("n1", labels={"disk": "hdd"}), node("n2", labels={"disk": "ssd"}), node("n3")]


@pytest.fixture
def scheduler_with(monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a scheduler that has three nodes and enables a plugin, with arguments if it needs."""

    def make(plugin: type, args: Obj | None = None, weight: int = 1) -> Scheduler:
        factories = {**plugin_factories(), "Own": adapted(plugin)}
        monkeypatch.setattr("podium.scheduler.scheduler.plugin_factories", lambda: factories)
        profile: dict[str, Any] = {
            "plugins": {"multiPoint": {"enabled": [{"name": "Own", "weight": weight}]}},
            "pluginConfig": [{"name": "Own", "args": args}] if args else [],
        }
        document = {"apiVersion": API_VERSION, "kind": KIND, "profiles": [profile]}
        scheduler = Scheduler(load_configuration([document], factories.keys()).configuration)
        scheduler.load(NODES, [])
        return scheduler

    return make


def decided(scheduler: Scheduler, obj: Obj) -> Decision:
    return scheduler.decide(scheduler.pending(obj))


class Own:
    """The name by which configurations know a test's plugin."""

    name = "Own"


class OnSsd(Own, ArrayPlugin):
    reason = "node(s) were slow"

    def filter_nodes(self, pod: PodInfo, nodes: Nodes) -> Any:
        return nodes.label("disk") == self.args.get("disk", "ssd")


class TestArrayFilter:
    def test_rules_nodes_out(self, scheduler_with: Make) -> None:
        scheduler = scheduler_with(OnSsd)
        decision = decided(scheduler, pod("p"))
        assert decision.node_name == "n2"
        refusal = unresolvable("node(s) were slow", plugin="Own")
        assert explain(decision, scheduler.snapshot).filter == {"n1": refusal, "n3": refusal}

    def test_preemption_is_no_help(self, scheduler_with: Make) -> None:
        scheduler = scheduler_with(OnSsd, {"disk": "tape"})
        scheduler.load([], [pod("low", on="n1")])
        preemption = decided(scheduler, pod("p", priority=5)).preemption
        assert preemption is not None
        assert preemption.message.endswith("3 Preemption is not helpful for scheduling.")

    def test_sees_the_nodes_that_there_are(self, scheduler_with: Make) -> None:
        seen: list[Obj] = []

        class Looking(Own, ArrayPlugin):
            def filter_nodes(self, pod: PodInfo, nodes: Nodes) -> Any:
                seen.append(
                    {
                        "names": [*nodes.names],
                        "objects": [*nodes.objects],
                        "disk": nodes.label("disk").tolist(),
                        "allocatable": nodes.allocatable("cpu").tolist(),
                        "requested": nodes.requested("cpu").tolist(),
                        "pods": nodes.pod_counts().tolist(),
                    }
                )
                return np.ones(len(nodes), bool)

        scheduler = scheduler_with(Looking)
        scheduler.load([], [pod("here", "250m", on="n3")])
        scheduler.snapshot.remove_node("n1")
        decided(scheduler, pod("p"))
        assert seen[-1] == {
            "names": ["n3", "n2"],
            "objects": NODES[:0:-1],
            "disk": [None, "ssd"],
            "allocatable": [4000, 4000],
            "requested": [250, 0],
            "pods": [1, 0],
        }

    def test_is_asked_about_every_pod(self, scheduler_with: Make) -> None:
        """Pods of one class, which in-tree plugins can't tell apart, may differ to others."""

        class ByName(Own, ArrayPlugin):
            def filter_nodes(self, pod: PodInfo, nodes: Nodes) -> Any:
                return [name == pod.name.partition("-")[2] for name in nodes.names]

        scheduler = scheduler_with(ByName)
        names = ["n3", "n1", "n2", "n3"]
        found = [decided(scheduler, pod(f"p-{name}")).node_name for name in names]
        assert found == names


class TestArrayScore:
    def test_is_normalized_and_weighted(self, scheduler_with: Make) -> None:
        class Liked(Own, ArrayPlugin):
            def score_nodes(self, pod: PodInfo, nodes: Nodes) -> Any:
                return [{"n1": 3, "n2": 9, "n3": 0}[name] for name in nodes.names]

        scheduler = scheduler_with(Liked, weight=7)
        decision = decided(scheduler, pod("p"))
        assert decision.node_name == "n2"
        scores = explain(decision, scheduler.snapshot).scores
        assert {name: by_plugin["Own"] for name, by_plugin in scores.items()} == {
            "n1": 7 * 33,
            "n2": 7 * 100,
            "n3": 0,
        }

    def test_normalizes_as_it_likes(self, scheduler_with: Make) -> None:
        class Least(Own, ArrayPlugin):
            def score_nodes(self, pod: PodInfo, nodes: Nodes) -> Any:
                return [5, 1, 5]

            def normalize(self, scores: Any) -> Any:
                return 100 - 10 * scores

        scheduler = scheduler_with(Least)
        decision = decided(scheduler, pod("p"))
        assert decision.node_name == "n2"
        assert explain(decision, scheduler.snapshot).scores["n2"]["Own"] == 90


def faulty(base: type, method: str, answer: Any, **others: Any) -> type:
    """A plugin of which one method answers what it mustn't."""
    answers = {method: lambda self, pod, nodes: answer, **others}
    return type("Faulty", (Own, base), answers)


SEVENS = [7, 7, 7]
ROUND = "but scores are whole numbers; round them"


@pytest.mark.parametrize(
    ("plugin", "error"),
    [
        (
            faulty(ArrayPlugin, "filter_nodes", [True, True]),
            "Filter plugin Own: filter_nodes answered an array of 2 for 3 nodes",
        ),
        (
            faulty(ArrayPlugin, "score_nodes", np.zeros((3, 2), int)),
            "Score plugin Own: score_nodes answered an array of 3x2 for 3 nodes",
        ),
        (
            faulty(ArrayPlugin, "score_nodes", [0.5] * 3),
            f"Score plugin Own: score_nodes answered float64, {ROUND}",
        ),
        (
            faulty(ArrayPlugin, "score_nodes", SEVENS, normalize=lambda self, scores: scores / 2),
            f"Score plugin Own: normalize answered float64, {ROUND}",
        ),
        (
            faulty(NodePlugin, "score_node", 0.5),
            f"Score plugin Own: score_node answered float64, {ROUND}",
        ),
        (
            faulty(ArrayPlugin, "score_nodes", SEVENS, normalize=lambda self, scores: scores * 20),
            "Score plugin Own: normalized scores must be from 0 to 100, not 140",
        ),
        (
            faulty(NodePlugin, "filter_node", Status(Code.ERROR, ("no connection",))),
            "Filter plugin Own: no connection",
        ),
        (
            faulty(NodePlugin, "filter_node", True),
            "Filter plugin Own: filter_node must answer a Status, or None where the node fits, "
            "not True",
        ),
    ],
)
def test_a_faulty_plugin_ends_the_cycle_in_an_error(
    plugin: type, error: str, scheduler_with: Make
) -> None:
    decision = decided(scheduler_with(plugin), pod("p"))
    assert (decision.node_name, decision.preemption) == ("", None)
    assert decision.error == f"running {error}"


class OneApp(Own, NodePlugin):
    """Nodes are for pods of one app, and one of them is for none."""

    def filter_node(self, pod: PodInfo, node: NodeInfo) -> Status | None:
        if node.name == "n3":
            return unresolvable("node is reserved")
        if any(other.cls.labels != pod.cls.labels for other in node.pods):
            return unschedulable("node is taken")
        return None


class TestNodePlugin:
    def test_rules_nodes_out(self, scheduler_with: Make) -> None:
        scheduler = scheduler_with(OneApp)
        scheduler.load([], [pod("b-1", on="n1")])
        decision = decided(scheduler, pod("a-1"))
        assert decision.node_name == "n2"
        assert explain(decision, scheduler.snapshot).filter == {
            "n1": unschedulable("node is taken", plugin="Own"),
            "n3": unresolvable("node is reserved", plugin="Own"),
        }

    @pytest.mark.parametrize("further", [0, 6])
    def test_preemption_asks_it_about_nodes_without_pods(
        self, further: int, scheduler_with: Make
    ) -> None:
        """On few nodes and, at once, on many."""
        scheduler = scheduler_with(OneApp)
        more = [node(f"n{index}") for index in range(4, 4 + further)]
        scheduler.load(
            more, [pod(f"c-{n['metadata']['name']}", on=n["metadata"]["name"]) for n in more]
        )
        here = [pod("b-1", on="n1"), pod("a-0", on="n1"), pod("b-2", on="n2", priority=9)]
        scheduler.load([], here)
        decision = decided(scheduler, pod("a-1", priority=5))
        explained = explain(decision, scheduler.snapshot)
        assert [c.node_name for c in explained.candidates] == [
            "n1",
            *(n["metadata"]["name"] for n in more),
        ]
        assert [victim.name for victim in explained.candidates[0].victims] == ["b-1"]
        assert set(explained.rejected) == {"n2"}

    def test_counts_nominated_pods(self, scheduler_with: Make) -> None:
        scheduler = scheduler_with(OneApp)
        scheduler.nominator.nominate(scheduler.pending(pod("b-1")), "n1")
        assert decided(scheduler, pod("a-1")).node_name == "n2"

    def test_scores(self, scheduler_with: Make) -> None:
        class Likes(Own, NodePlugin):
            def score_node(self, pod: PodInfo, node: NodeInfo) -> int:
                return int(node.name == self.args["best"])

        scheduler = scheduler_with(Likes, {"best": "n3"}, weight=10)
        assert decided(scheduler, pod("p")).node_name == "n3"


class TestAdapted:
    def test_leaves_classes_of_the_framework_alone(self) -> None:
        assert adapted(NodeName) is NodeName

    def test_offers_what_a_plugin_overrides(self) -> None:
        assert hasattr(adapted(OnSsd), "filter")
        assert not hasattr(adapted(OnSsd), "score")
        scoring = adapted(faulty(ArrayPlugin, "score_nodes", SEVENS))
        assert hasattr(scoring, "score")
        assert not hasattr(scoring, "filter")

    @pytest.mark.parametrize("thing", [object(), "Own", type("Nameless", (NodePlugin,), {})])
    def test_refuses_what_is_no_plugin(self, thing: Any) -> None:
        with pytest.raises(TypeError, match="isn't a plugin class with a name"):
            adapted(thing)
