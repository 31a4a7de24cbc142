"""Plugins that look at nodes and the pods on them say the same as their scalar twins."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.objects import Object
from podium.scheduler.config.args import (
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    RequestedToCapacityRatio,
    ResourceSpec,
    ScoringStrategy,
    ScoringStrategyType,
    UtilizationShapePoint,
)
from podium.scheduler.framework.interface import FilterPlugin, LocalScore, RelativeScore
from podium.scheduler.plugins.image_locality import ImageLocality
from podium.scheduler.plugins.node_affinity import NodeAffinity
from podium.scheduler.plugins.node_declared_features import NodeDeclaredFeatures
from podium.scheduler.plugins.node_name import NodeName
from podium.scheduler.plugins.node_ports import NodePorts
from podium.scheduler.plugins.node_resources_balanced_allocation import (
    NodeResourcesBalancedAllocation,
)
from podium.scheduler.plugins.node_resources_fit import NodeResourcesFit
from podium.scheduler.plugins.node_unschedulable import NodeUnschedulable
from podium.scheduler.plugins.taint_toleration import TaintToleration
from tests.properties.mirrors import verdict_without, verdicts_at
from tests.properties.node_clusters import (
    ABLE_NODES,
    AMOUNTS,
    CHOOSY_PODS,
    DEMANDING_PODS,
    IMAGE_NODES,
    IMAGE_PODS,
    LABELLED_NODES,
    NODE_AFFINITY,
    PLAIN_NODES,
    PORT_PODS,
    RESOURCE_NODES,
    RESOURCE_PODS,
    TAINTED_NODES,
    TOLERANT_PODS,
    Scene,
    scenes,
)
from tests.reference import (
    image_locality,
    node_affinity,
    node_declared_features,
    node_name,
    node_ports,
    node_resources_balanced_allocation,
    node_resources_fit,
    node_unschedulable,
    taint_toleration,
)
from tests.reference.verdict import Verdict

WEIGHTS = st.integers(1, 5)
SPECS = st.builds(
    lambda cpu, memory, more: (
        ResourceSpec(name="cpu", weight=cpu),
        ResourceSpec(name="memory", weight=memory),
        *more,
    ),
    WEIGHTS,
    WEIGHTS,
    st.lists(
        st.builds(ResourceSpec, name=st.sampled_from([*AMOUNTS][2:]), weight=WEIGHTS),
        max_size=2,
        unique_by=lambda spec: spec.name,
    ),
)
SHAPES = st.lists(
    st.builds(
        UtilizationShapePoint, utilization=st.integers(0, 100), score=st.sampled_from([0, 2, 7, 10])
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda point: point.utilization,
).map(lambda points: tuple(sorted(points, key=lambda point: point.utilization)))
IGNORED = st.sampled_from([frozenset(), frozenset({"other.com/nic", "hugepages-2Mi"})])
IGNORED_GROUPS = st.sampled_from([frozenset(), frozenset({"example.com"})])
FILTER_ARGS = st.builds(
    NodeResourcesFitArgs, ignored_resources=IGNORED, ignored_resource_groups=IGNORED_GROUPS
)


def local_scores(scene: Scene, state: LocalScore) -> list[int]:
    """Each node's score; rows at once and one by one must agree."""
    scores = state.scores(scene.rows)
    assert scores.dtype == np.int64
    assert scores.tolist() == [state.score(row) for row in scene.rows.tolist()]
    assert all(0 <= score <= 100 for score in scores.tolist())
    return scores.tolist()


RESOURCE_SCENES = scenes(RESOURCE_NODES, RESOURCE_PODS, RESOURCE_PODS)
PORT_SCENES = scenes(PLAIN_NODES, PORT_PODS, PORT_PODS)
TAINT_SCENES = scenes(TAINTED_NODES, TOLERANT_PODS, None)
LABEL_SCENES = scenes(LABELLED_NODES, CHOOSY_PODS, None)


def assert_agrees(
    scene: Scene, plugin: FilterPlugin, filter_node: Callable[[Object, Object], Verdict]
) -> None:
    expected = [filter_node(scene.pod.obj, node) for node in scene.nodes.values()]
    assert verdicts_at(plugin.filter(scene.pod), scene.rows) == expected


@given(scenes(ABLE_NODES, DEMANDING_PODS, None))
def test_node_name_and_declared_features(scene: Scene) -> None:
    assert_agrees(scene, NodeName(scene.handle), node_name.filter_node)
    assert_agrees(scene, NodeDeclaredFeatures(scene.handle), node_declared_features.filter_node)


@given(TAINT_SCENES)
def test_node_unschedulable_and_taint_toleration(scene: Scene) -> None:
    assert_agrees(scene, NodeUnschedulable(scene.handle), node_unschedulable.filter_node)
    assert_agrees(scene, TaintToleration(scene.handle), taint_toleration.filter_node)


@given(LABEL_SCENES, NODE_AFFINITY)
def test_node_affinity(scene: Scene, added: Object) -> None:
    plugin = NodeAffinity(scene.handle, NodeAffinityArgs.model_construct(added_affinity=added))
    pod, nodes = scene.pod.obj, [*scene.nodes.values()]
    expected = [node_affinity.filter_node(pod, node, added) for node in nodes]
    assert verdicts_at(plugin.filter(scene.pod), scene.rows) == expected
    state = plugin.score(scene.pod)
    found = [0] * len(nodes) if state is None else state.scores(scene.rows).tolist()
    assert found == node_affinity.scores(pod, nodes, added)


@given(LABEL_SCENES)
def test_node_affinity_narrows(scene: Scene) -> None:
    result = NodeAffinity(scene.handle).pre_filter(scene.pod)
    expected = node_affinity.eligible_names(scene.pod.obj, [*scene.nodes.values()])
    assert result.status.is_success == (expected is None or bool(expected))
    assert result.node_names == (expected or None)


@given(TAINT_SCENES, st.data())
def test_taint_toleration_scores(scene: Scene, data: st.DataObject) -> None:
    state = TaintToleration(scene.handle).score(scene.pod)
    assert isinstance(state, LocalScore | RelativeScore)
    some = data.draw(st.lists(st.sampled_from([*scene.nodes]), min_size=1, unique=True))
    rows = np.array([scene.snapshot.row_of[name] for name in some], np.intp)
    expected = taint_toleration.scores(scene.pod.obj, [scene.nodes[name] for name in some])
    assert state.scores(rows).tolist() == expected


@given(scenes(IMAGE_NODES, IMAGE_PODS, None))
def test_image_locality(scene: Scene) -> None:
    nodes = [*scene.nodes.values()]
    expected = [image_locality.score_node(scene.pod.obj, node, nodes) for node in nodes]
    assert local_scores(scene, ImageLocality(scene.handle).score(scene.pod)) == expected


@given(RESOURCE_SCENES, FILTER_ARGS)
def test_node_resources_fit(scene: Scene, args: NodeResourcesFitArgs) -> None:
    state = NodeResourcesFit(scene.handle, args).filter(scene.pod)
    for _ in range(2):
        assert verdicts_at(state, scene.rows) == [
            node_resources_fit.filter_node(scene.pod.obj, node, scene.objects_on(name), args)
            for name, node in scene.nodes.items()
        ]
        scene.move_some()


@pytest.mark.parametrize("kind", ScoringStrategyType)
@given(scene=RESOURCE_SCENES, specs=SPECS, shape=SHAPES)
def test_node_resources_fit_scores(
    scene: Scene,
    kind: ScoringStrategyType,
    specs: tuple[ResourceSpec, ...],
    shape: tuple[UtilizationShapePoint, ...],
) -> None:
    needs_shape = kind is ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO
    ratio = RequestedToCapacityRatio(shape=shape) if needs_shape else None
    strategy = ScoringStrategy(type=kind, resources=specs, requested_to_capacity_ratio=ratio)
    args = NodeResourcesFitArgs(scoring_strategy=strategy)
    state = NodeResourcesFit(scene.handle, args).score(scene.pod)
    for _ in range(2):
        assert local_scores(scene, state) == [
            node_resources_fit.score_node(scene.pod.obj, node, scene.objects_on(name), args)
            for name, node in scene.nodes.items()
        ]
        scene.move_some()


@given(RESOURCE_SCENES, FILTER_ARGS, st.data())
def test_node_resources_fit_elsewhere(
    scene: Scene, args: NodeResourcesFitArgs, data: st.DataObject
) -> None:
    state = NodeResourcesFit(scene.handle, args).filter(scene.pod)
    for name, node in scene.nodes.items():
        gone = [pod for pod in scene.pods[name] if data.draw(st.booleans())]
        left = [pod.obj for pod in (*scene.pods[name], *scene.others) if pod not in gone]
        found = verdict_without(state, scene.snapshot.row_of[name], gone, scene.others)
        assert found == node_resources_fit.filter_node(scene.pod.obj, node, left, args)


@given(RESOURCE_SCENES, SPECS)
def test_node_resources_balanced_allocation(scene: Scene, specs: tuple[ResourceSpec, ...]) -> None:
    args = NodeResourcesBalancedAllocationArgs.model_construct(resources=specs)
    state = NodeResourcesBalancedAllocation(scene.handle, args).score(scene.pod)
    for _ in range(2):
        expected = [
            node_resources_balanced_allocation.score_node(
                scene.pod.obj, node, scene.objects_on(name), specs
            )
            for name, node in scene.nodes.items()
        ]
        found = [None] * len(expected) if state is None else local_scores(scene, state)
        assert found == expected
        scene.move_some()


@given(PORT_SCENES, st.data())
def test_node_ports(scene: Scene, data: st.DataObject) -> None:
    """Of pods with one port either frees it by leaving; an update of the other takes it again."""
    state = NodePorts(scene.handle).filter(scene.pod)
    used = used_ports(scene)
    for _ in range(4):
        expected = [node_ports.filter_node(scene.pod.obj, used[name]) for name in scene.nodes]
        assert verdicts_at(state, scene.rows) == expected
        change_ports(scene, used, data)


@given(PORT_SCENES, st.data())
def test_node_ports_in_a_dry_run(scene: Scene, data: st.DataObject) -> None:
    """All pods of lower priority go, some come back, and nominated ones come."""
    state = NodePorts(scene.handle).filter(scene.pod)
    if state is None:
        return
    used = used_ports(scene)
    change_ports(scene, used, data)
    nominated = [pod for pod in scene.others if pod.priority >= scene.pod.priority]
    for name in scene.nodes:
        lower = [pod for pod in scene.pods[name] if pod.priority < scene.pod.priority]
        back = [pod for pod in lower if data.draw(st.booleans())]
        gone = [pod for pod in lower if pod not in back]
        if gone:
            # Where all are back, another filter objects as before: it's the row as it was.
            used[name].remove(pod.obj for pod in lower)
            used[name].add(pod.obj for pod in back)
        used[name].add(pod.obj for pod in nominated)
        found = verdict_without(state, scene.snapshot.row_of[name], gone, nominated)
        assert found == node_ports.filter_node(scene.pod.obj, used[name])


def used_ports(scene: Scene) -> dict[str, node_ports.UsedPorts]:
    """As they are while all pods have only come."""
    used = {name: node_ports.UsedPorts() for name in scene.nodes}
    for name, of_node in used.items():
        of_node.add(scene.objects_on(name))
    return used


def change_ports(scene: Scene, used: dict[str, node_ports.UsedPorts], data: st.DataObject) -> None:
    """A pod leaves a node, and perhaps comes back; another one is updated."""
    name = data.draw(st.sampled_from(sorted(scene.nodes)))
    pods = scene.pods[name]
    if not pods:
        return
    leaving = data.draw(st.sampled_from(pods))
    scene.snapshot.remove_pod(leaving)
    pods.remove(leaving)
    used[name].remove([leaving.obj])
    if data.draw(st.booleans()):
        scene.snapshot.add_pod(leaving, name)
        pods.append(leaving)
        used[name].add([leaving.obj])
    if pods and data.draw(st.booleans()):
        updated = data.draw(st.sampled_from(pods))
        scene.snapshot.retake_ports(updated)
        used[name].add([updated.obj])
