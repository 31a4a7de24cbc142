"""The cheapest nodes, held against playing every choice."""

from decimal import Decimal
from itertools import product
from random import Random
from typing import Any

import pytest

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.api.pods import node_name_of
from podium.whatif.capacity.capacity_inputs import NodeShape, PodTemplate, read_node_shape
from podium.whatif.capacity.capacity_presentation import cheapest_nodes_presentation
from podium.whatif.capacity.capacity_report import CheapestNodes
from podium.whatif.capacity.cheapest_nodes import NodesRequest, cheapest_nodes
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.device_objects import DRIVER, device, device_class, resource_slice
from tests.objects import ZONE, Obj, container, node, pod, priority_class

BIG, SMALL = "big=cpu=8,memory=32Gi:0.4", "small=cpu=4,memory=16Gi:0.21"


def shaped(*texts: str) -> list[NodeShape]:
    return [read_node_shape(text, {}) for text in texts]


def found(state: Any, shapes: list[NodeShape], *new: tuple[Obj, int], **settings: Any) -> Any:
    templates = [PodTemplate("t", share, one) for one, share in new]
    limits = {"tries": 200, **settings}
    return cheapest_nodes(
        NodesRequest(PlanRequest(LoadedState(state)), templates, shapes, **limits)
    )


def choice(found: CheapestNodes) -> dict[str, int]:
    return {one.shape: one.nodes for one in found.shapes if one.nodes}


def test_new_pods_find_the_new_nodes_there_and_preempt_nobody_for_good() -> None:
    state = [node("n", "2"), pod("low", "2", on="n"), priority_class("high", 9)]
    answer = found(state, shaped(SMALL), (pod("web", "2", priorityClassName="high"), 2))
    assert (choice(answer), answer.lost) == ({"small": 1}, ())


def test_no_node_is_needed_where_everybody_finds_a_place() -> None:
    assert found([node("n"), pod("web")], shaped(SMALL)).tried == 0
    answer = found([node("n")], shaped(SMALL), (pod("web"), 2))
    assert (answer.cost, answer.proven, answer.tried) == (Decimal(0), True, 1)


def test_pods_that_no_shape_helps_are_told_with_why() -> None:
    state = [node("n", "1"), pod("w-0", "9"), pod("w-1", "3")]
    answer = found(state, shaped(BIG, SMALL))
    assert (answer.found, answer.proven, answer.shapes) == (False, False, ())
    (left,) = answer.left
    assert (left.pod, answer.tried_most) == ("default/w-0", 2)
    assert "Insufficient cpu" in left.message


def test_shapes_that_are_needed_together_are_found() -> None:
    def only(pool: str) -> Obj:
        return {"nodeSelector": {"pool": pool}}

    shapes = [
        NodeShape(name, Decimal(cost), node(name, "4", labels={"pool": name}))
        for name, cost in (("cheap", 1), ("dear", 3))
    ]
    pods = [pod("c-0", "3", **only("cheap")), pod("c-1", "3", **only("cheap"))]
    answer = found([node("n", "1"), *pods, pod("d", "1", **only("dear"))], shapes)
    assert (choice(answer), answer.proven) == ({"cheap": 2, "dear": 1}, True)


def test_nodes_bring_the_devices_that_extended_resources_stand_for() -> None:
    gpu, requests = "example.com/gpu", {"cpu": "1", "example.com/gpu": "1"}
    devices = [device("g0"), device("g1")]
    state = [
        node("n", "4"),
        resource_slice("n", devices),
        device_class("gpu", f'device.driver == "{DRIVER}"', extendedResourceName=gpu),
    ]
    web = pod(
        "web",
        containers=[{**container(), "resources": {"requests": requests, "limits": {gpu: "1"}}}],
    )
    like_n = read_node_shape("more=n:1", {"n": state[0]})
    answer = found(state, [like_n, *shaped(SMALL)], (web, 5))
    assert (choice(answer), answer.found) == ({"more": 2}, True)


def test_a_search_that_is_cut_short_tells_a_bound() -> None:
    state = [node("n", "1"), *(pod(f"w-{n}", "3") for n in range(6))]
    full = found(state, shaped(BIG, SMALL))
    short = found(state, shaped(BIG, SMALL), tries=2)
    assert (full.proven, short.proven, short.tried) == (True, False, 2)
    assert short.cost_at_least <= full.cost <= short.cost
    assert f"none below {short.cost_at_least} does" in cheapest_nodes_presentation(short).headline


def test_pods_that_may_not_be_created_are_an_error() -> None:
    with pytest.raises(PodiumError, match="no PriorityClass with name none was found"):
        found([node("n")], shaped(SMALL), (pod("web", priorityClassName="none"), 1))


def test_a_shape_is_resources_a_file_or_a_node_of_the_state(tmp_path: Any) -> None:
    (small,) = shaped(SMALL)
    assert (small.name, small.cost) == ("small", Decimal("0.21"))
    assert small.made(2)["metadata"]["name"] == "small-2"
    like = read_node_shape("more=web-1:2", {"web-1": node("web-1", zone="a")})
    assert like.made(1)["metadata"]["labels"][ZONE] == "a"
    file = tmp_path / "node.yaml"
    file.write_text("{kind: Node, apiVersion: v1, metadata: {name: x, labels: {a: b}}}")
    assert read_node_shape(f"x={file}:1", {}).node["metadata"]["labels"] == {"a": "b"}
    file.write_text("{kind: Namespace, apiVersion: v1, metadata: {name: x}}")
    for text, why in (
        ("m5", "must be NAME="),
        ("m5=cpu=8,memory=1Gi:free", "a number above 0"),
        ("m5=cpu=8:1", "says nothing of memory"),
        ("m5=cpu=x,memory=1Gi:1", "cpu=x isn't RESOURCE=AMOUNT"),
        (f"m5={file}:1", "must have one node, and has Namespace x"),
        ("web=cpu=8,memory=1Gi:1", "the state has nodes called web already"),
    ):
        with pytest.raises(PodiumError, match=why):
            read_node_shape(text, {"web-1": node("web-1")})


def is_enough(state: LoadedState, nodes: list[Object]) -> bool:
    """Whether no pod of a cluster waits any more after nodes were added."""
    play = Play(PlanRequest(state), changes_later=True)
    play.run()
    play.change([Apply(tuple(nodes))])
    play.run(None)
    return all(node_name_of(one) for one in play.cluster.store.list("Pod").items)


def check(seed: int) -> None:
    """Compare with playing each choice of few nodes in a random small cluster."""
    rng = Random(seed)
    apart = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {"app": "a"}},
    }
    rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    pods = [
        pod(
            f"{rng.choice('ab')}-{n}",
            rng.choice(("1", "2", "3")),
            **({"affinity": rule} if rng.random() < 0.2 else {}),
        )
        for n in range(rng.randint(2, 4))
    ]
    state = LoadedState([node("n", rng.choice("12")), *pods])
    shapes = shaped(
        f"x=cpu=3,memory=9Gi:{rng.choice('234')}", f"y=cpu=5,memory=9Gi:{rng.choice('456')}"
    )
    answer = found(state.objects, shapes)
    costs = []
    for counts in product(range(len(pods) + 1), repeat=2):
        nodes = [s.made(n) for s, count in zip(shapes, counts, strict=True) for n in range(count)]
        if is_enough(state, nodes):
            costs.append(sum(s.cost * n for s, n in zip(shapes, counts, strict=True)))
    assert answer.proven
    assert answer.cost == min(costs)


def test_the_least_cost_is_that_of_the_cheapest_of_all_choices() -> None:
    for seed in (1, 2):
        check(seed)


@pytest.mark.seeds(0, 300)
def test_many_clusters(seed: int) -> None:
    check(seed)
