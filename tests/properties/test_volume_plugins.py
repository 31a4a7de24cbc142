"""The volume plugins say the same as their scalar twins, on random small clusters."""

from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import given

from podium.api.objects import Object
from podium.api.volumes.claims_and_volumes import NO_VOLUME, choose_volumes
from podium.scheduler.framework.interface import FilterState, Scope
from podium.scheduler.plugins.node_volume_limits import NodeVolumeLimits
from podium.scheduler.plugins.volume_binding import VolumeBinding
from podium.scheduler.plugins.volume_restrictions import VolumeRestrictions
from podium.scheduler.plugins.volume_zone import VolumeZone
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.volumes.volume_topology import VolumeTopology
from tests.properties.mirrors import verdict, verdict_without, verdicts_at
from tests.properties.volume_clusters import Scene, in_words, scenes
from tests.reference import node_volume_limits, volume_binding, volume_restrictions, volume_zone
from tests.reference.verdict import Verdict
from tests.reference.volume_world import World
from tests.replacing import replace


def verdicts(scene: Scene, state: FilterState | None) -> list[Verdict]:
    return verdicts_at(state, np.array([scene.row(node) for node in scene.world.nodes]))


def objects(pods: Sequence[PodInfo]) -> list[Object]:
    return [pod.obj for pod in pods]


@given(scenes())
def test_volume_zone(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        plugin = VolumeZone(scene.handle)
        refusal = volume_zone.pre_filter(scene.world, scene.pod)
        assert in_words(plugin.pre_filter(scene.info).status) == refusal
        if refusal is None:
            nodes = scene.world.nodes
            expected = [volume_zone.filter_node(scene.world, scene.pod, node) for node in nodes]
            assert verdicts(scene, plugin.filter(scene.info)) == expected


@given(scenes())
def test_volume_binding(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        plugin = VolumeBinding(scene.handle)
        refusal = volume_binding.pre_filter(scene.world, scene.pod)
        assert in_words(plugin.pre_filter(scene.info).status) == refusal
        if refusal is None:
            expected = twin_verdicts(scene.world, scene.pod)
            assert verdicts(scene, plugin.filter(scene.info)) == expected


@given(scenes())
def test_volumes_are_chosen_node_by_node(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        claims = scene.world.of_kind("PersistentVolumeClaim")[:3]
        volumes = scene.world.of_kind("PersistentVolume")
        topology = VolumeTopology(scene.snapshot)
        choices = choose_volumes(claims, volumes, topology, scene.snapshot.node_count)
        for node in scene.world.nodes:
            chosen: list[Object] = []
            for claim, choice in zip(claims, choices, strict=True):
                expected = volume_binding.find_volume(scene.world, claim, node, chosen)
                index = int(choice[scene.row(node)])
                assert (None if index == NO_VOLUME else volumes[index]) == expected
                chosen += [expected] if expected is not None else []


@given(scenes())
def test_reserving_keeps_the_node_and_can_be_undone(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        plugin = VolumeBinding(scene.handle)
        if not plugin.pre_filter(scene.info).status.is_success:
            continue
        before = verdicts(scene, plugin.filter(scene.info))
        for node, refusal in zip(scene.world.nodes, before, strict=True):
            if refusal is None:
                plugin.reserve(scene.info, node["metadata"]["name"])
                after = verdicts(scene, plugin.filter(scene.info))
                assert after == twin_verdicts(as_listed(scene), scene.pod)
                assert after[scene.world.nodes.index(node)] is None
                plugin.unreserve(scene.info, node["metadata"]["name"])
                assert verdicts(scene, plugin.filter(scene.info)) == before


def as_listed(scene: Scene) -> World:
    """The world with objects as they are assumed to be."""
    kinds = dict.fromkeys(o["kind"] for o in scene.world.objects)
    listed = [o for kind in kinds for o in scene.handle.listers.list(kind)]
    return replace(scene.world, objects=listed)


def twin_verdicts(world: World, pod: Object) -> list[Verdict]:
    return [volume_binding.filter_node(world, pod, node) for node in world.nodes]


@given(scenes())
def test_node_volume_limits(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        if volume_binding.pre_filter(scene.world, scene.pod) is None:
            state = NodeVolumeLimits(scene.handle).filter(scene.info)
            expected = [
                node_volume_limits.filter_node(
                    scene.world, scene.pod, node, scene.world.pods[node["metadata"]["name"]]
                )
                for node in scene.world.nodes
            ]
            assert verdicts(scene, state) == expected


@given(scenes())
def test_node_volume_limits_with_other_pods(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        if volume_binding.pre_filter(scene.world, scene.pod) is not None:
            continue
        state = NodeVolumeLimits(scene.handle).filter(scene.info)
        pods = scene.dice.some(scene.everybody)
        for node in scene.world.nodes:
            expected = node_volume_limits.filter_node(scene.world, scene.pod, node, objects(pods))
            row = scene.row(node)
            found = None if state is None else verdict(state, row, state.code_among(row, pods))
            assert found == expected


@given(scenes())
def test_volume_restrictions(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        plugin = VolumeRestrictions(scene.handle)
        refusal = volume_restrictions.pre_filter(scene.world, scene.pod)
        assert in_words(plugin.pre_filter(scene.info).status) == refusal
        if refusal is None:
            assert verdicts(scene, plugin.filter(scene.info)) == restrictions(scene)


@given(scenes())
def test_volume_restrictions_in_a_dry_run(scenes: Iterator[Scene]) -> None:
    for scene in scenes:
        if volume_restrictions.pre_filter(scene.world, scene.pod) is not None:
            continue
        state = VolumeRestrictions(scene.handle).filter(scene.info)
        for node in scene.world.nodes:
            here = scene.placed[node["metadata"]["name"]]
            removed = scene.dice.some(here)
            added = scene.dice.some([pod for pod in scene.everybody if pod not in here])
            expected = volume_restrictions.filter_node(
                scene.world, scene.pod, node, objects(removed), objects(added)
            )
            found = verdict_without(state, scene.row(node), removed, added)
            assert found == expected


@given(scenes())
def test_volume_restrictions_follow_pods(scenes: Iterator[Scene]) -> None:
    """A state that was made before pods left answers as if it were made afterwards."""
    for scene in scenes:
        if volume_restrictions.pre_filter(scene.world, scene.pod) is not None:
            continue
        state = VolumeRestrictions(scene.handle).filter(scene.info)
        for pod in scene.dice.some(scene.everybody):
            leave(scene, state, pod)
            assert verdicts(scene, state) == restrictions(scene)


def restrictions(scene: Scene) -> list[Verdict]:
    return [
        volume_restrictions.filter_node(scene.world, scene.pod, node) for node in scene.world.nodes
    ]


def leave(scene: Scene, state: FilterState | None, pod: PodInfo) -> None:
    """Take a pod off its node; other nodes' answers may change only if the state says so."""
    before, row = verdicts(scene, state), pod.row
    scene.snapshot.remove_pod(pod)
    scene.world.pods[scene.snapshot.names[row]].remove(pod.obj)
    if state is not None and not state.pods_changed([(row, pod.cls, -1)]):
        after = verdicts(scene, state)
        changed = [n for n, b, a in zip(scene.world.nodes, before, after, strict=True) if b != a]
        allowed = [row] if state.scope is Scope.ROW else []
        assert {scene.row(node) for node in changed} <= set(allowed)
