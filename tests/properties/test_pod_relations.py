"""PodTopologySpread and InterPodAffinity say the same as their scalar twins, whatever changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.objects import Object
from podium.scheduler.config.args import (
    DefaultingType,
    InterPodAffinityArgs,
    PodTopologySpreadArgs,
    TopologySpreadConstraint,
)
from podium.scheduler.framework.interface import FilterState, RelativeScore
from podium.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from podium.scheduler.plugins.pod_topology_spread import PodTopologySpread
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod
from tests.properties import clusters, mirrors
from tests.properties.clusters import HOST, ZONE, Obj, Scenes
from tests.properties.volume_clusters import Dice
from tests.reference import inter_pod_affinity, pod_topology_spread
from tests.reference.cluster import Cluster
from tests.reference.verdict import Verdict

PLUGINS = ("PodTopologySpread", "InterPodAffinity")
CHANGES = 6
SYSTEM = PodTopologySpreadArgs()
SPREAD_ARGS = st.lists(
    st.builds(
        lambda skew, key, action: TopologySpreadConstraint(
            max_skew=skew, topology_key=key, when_unsatisfiable=action
        ),
        st.integers(1, 2),
        st.sampled_from([HOST, ZONE, "disk"]),
        st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]),
    ),
    max_size=3,
    unique_by=lambda one: (one.topology_key, one.when_unsatisfiable),
).map(
    lambda listed: PodTopologySpreadArgs(
        default_constraints=tuple(listed), defaulting_type=DefaultingType.LIST
    )
)
AFFINITY_ARGS = st.builds(
    InterPodAffinityArgs,
    hard_pod_affinity_weight=st.sampled_from([0, 1, 5, 100]),
    ignore_preferred_terms_of_existing_pods=st.booleans(),
)


def related_pod(dice: Dice, scheduler: Scheduler) -> PodInfo:
    return pending_pod(clusters.related_pod(dice, "p"), scheduler.snapshot.classes)


def made(plugin: str, scheduler: Scheduler, pod: PodInfo) -> FilterState | None:
    if plugin == "InterPodAffinity":
        return InterPodAffinity(mirrors.handle(scheduler), InterPodAffinityArgs()).filter(pod)
    return PodTopologySpread(mirrors.handle(scheduler), SYSTEM).filter(pod)


def prepared(
    plugin: str, cluster: Cluster, pod: Object
) -> pod_topology_spread.State | inter_pod_affinity.State:
    if plugin == "InterPodAffinity":
        return inter_pod_affinity.prepare(cluster, pod)
    constraints = pod_topology_spread.constraints_of(cluster, pod, pod_topology_spread.HARD)
    return pod_topology_spread.prepare(cluster, pod, constraints)


def twin_verdict(
    state: pod_topology_spread.State | inter_pod_affinity.State, node: Object
) -> Verdict:
    if isinstance(state, inter_pod_affinity.State):
        return inter_pod_affinity.filter_node(state, node)
    return pod_topology_spread.filter_node(state, node)


@pytest.mark.parametrize("plugin", PLUGINS)
@given(clusters.scenes())
def test_filter_follows_what_changes(plugin: str, scenes: Scenes) -> None:
    """A state made once answers, after every change, as if it were made then."""
    for drawn, dice in scenes:
        scheduler, _ = mirrors.loaded(drawn)
        pod = related_pod(dice, scheduler)
        state = made(plugin, scheduler, pod)
        for _ in range(CHANGES):
            cluster = mirrors.mirrored(scheduler)
            twin = prepared(plugin, cluster, pod.obj)
            expected = [twin_verdict(twin, node) for node in cluster.nodes]
            assert mirrors.verdicts(scheduler, state) == expected
            assert (
                change_tells(scheduler, state, dice)
                or mirrors.verdicts(scheduler, state) == expected
            )


def change_tells(
    scheduler: Scheduler, state: FilterState | RelativeScore | None, dice: Dice
) -> bool:
    """Let a pod come or go; whether the state says that its answers may have changed."""
    snapshot, here = scheduler.snapshot, mirrors.placed(scheduler)
    changes = snapshot.log.cursor()
    if here and dice.chance(50):
        snapshot.remove_pod(dice.one(*here))
    else:
        name = f"new-{snapshot.log.end}"
        coming = pending_pod(clusters.pod(dice, name), snapshot.classes)
        snapshot.add_pod(coming, dice.one(*snapshot.row_of))
    return state is None or state.pods_changed(changes.new() or [])


@pytest.mark.parametrize("plugin", PLUGINS)
@given(clusters.scenes())
def test_filter_in_a_dry_run(plugin: str, scenes: Scenes) -> None:
    """Pods leave one node and others come to it."""
    for drawn, dice in scenes:
        scheduler, _ = mirrors.loaded(drawn)
        pod = related_pod(dice, scheduler)
        coming = [related_pod(dice, scheduler) for _ in range(2)]
        state = made(plugin, scheduler, pod)
        cluster = mirrors.mirrored(scheduler)
        for node in cluster.nodes:
            gone = dice.some(scheduler.snapshot.pods_on[mirrors.row_of(scheduler, node)])
            come = dice.some(coming)
            twin = prepared(plugin, cluster, pod.obj)
            for other in gone:
                twin.change(other.obj, node, -1)
            for other in come:
                twin.change(other.obj, node, 1)
            found = mirrors.verdict_without(state, mirrors.row_of(scheduler, node), gone, come)
            assert found == twin_verdict(twin, node)


@given(clusters.scenes(), AFFINITY_ARGS)
def test_affinity_scores(scenes: Scenes, args: InterPodAffinityArgs) -> None:
    for drawn, dice in scenes:
        scheduler, _ = mirrors.loaded(drawn)
        pod = related_pod(dice, scheduler)
        state = InterPodAffinity(mirrors.handle(scheduler), args).score(pod)
        for _ in range(CHANGES):
            cluster = mirrors.mirrored(scheduler)
            nodes = dice.some(cluster.nodes) or cluster.nodes
            expected = inter_pod_affinity.scores(
                cluster,
                pod.obj,
                nodes,
                hard_weight=args.hard_pod_affinity_weight,
                ignores_existing=args.ignore_preferred_terms_of_existing_pods,
            )
            assert scores(scheduler, state, nodes) == expected
            told = change_tells(scheduler, state, dice)
            assert told or scores(scheduler, state, nodes) == expected


@given(clusters.scenes(), SPREAD_ARGS | st.just(SYSTEM))
def test_spread_scores(scenes: Scenes, args: PodTopologySpreadArgs) -> None:
    for drawn, dice in scenes:
        scheduler, _ = mirrors.loaded(drawn)
        pod = related_pod(dice, scheduler)
        state = PodTopologySpread(mirrors.handle(scheduler), args).score(pod)
        for _ in range(CHANGES):
            cluster = mirrors.mirrored(scheduler)
            nodes = dice.some(cluster.nodes) or cluster.nodes
            expected = twin_spread_scores(cluster, pod.obj, nodes, args)
            assert (state is None) == (expected is None)
            if expected is None:
                break
            assert scores(scheduler, state, nodes) == expected
            told = change_tells(scheduler, state, dice)
            assert told or scores(scheduler, state, nodes) == expected


@given(clusters.scenes(), SPREAD_ARGS)
def test_default_constraints_filter(scenes: Scenes, args: PodTopologySpreadArgs) -> None:
    for drawn, dice in scenes:
        scheduler, _ = mirrors.loaded(drawn)
        pod = pending_pod(clusters.pod(dice, "p"), scheduler.snapshot.classes)
        cluster = mirrors.mirrored(scheduler)
        constraints = pod_topology_spread.constraints_of(
            cluster, pod.obj, pod_topology_spread.HARD, raw_constraints(args)
        )
        twin = pod_topology_spread.prepare(cluster, pod.obj, constraints)
        expected = [pod_topology_spread.filter_node(twin, node) for node in cluster.nodes]
        state = PodTopologySpread(mirrors.handle(scheduler), args).filter(pod)
        assert (state is None) == (not constraints)
        assert mirrors.verdicts(scheduler, state) == expected


def scores(scheduler: Scheduler, state: RelativeScore | None, nodes: list[Obj]) -> list[int]:
    if state is None:
        return [0] * len(nodes)
    return state.scores(np.array([mirrors.row_of(scheduler, node) for node in nodes])).tolist()


def twin_spread_scores(
    cluster: Cluster, pod: Object, nodes: list[Obj], args: PodTopologySpreadArgs
) -> list[int] | None:
    """None if there is no constraint to score by."""
    is_system = args.defaulting_type is DefaultingType.SYSTEM
    defaults = pod_topology_spread.SYSTEM_DEFAULTS if is_system else raw_constraints(args)
    soft = pod_topology_spread.constraints_of(cluster, pod, pod_topology_spread.SOFT, defaults)
    if not soft:
        return None
    needs_labels = not is_system or bool(pod["spec"].get("topologySpreadConstraints"))
    return pod_topology_spread.scores(cluster, pod, nodes, soft, needs_labels=needs_labels)


def raw_constraints(args: PodTopologySpreadArgs) -> list[Obj]:
    return [
        {
            "maxSkew": constraint.max_skew,
            "topologyKey": constraint.topology_key,
            "whenUnsatisfiable": constraint.when_unsatisfiable,
        }
        for constraint in args.default_constraints
    ]
