"""What must hold of all decisions, whatever the cluster."""

from collections.abc import Collection, Iterator

from hypothesis import given

from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.properties import clusters
from tests.properties.clusters import Obj, Scenes
from tests.properties.lives import again, reborn
from tests.properties.mirrors import loaded, placed
from tests.reference.cluster import uid
from tests.reference.node_resources import allocatable, requested
from tests.reference.preemption import in_order_of_reprieve

ROUNDS = 3
RELATIONS = {"affinity", "topologySpreadConstraints"}


def preemptions(drawn: Obj) -> Iterator[tuple[Scheduler, PodInfo, Preemption, list[Obj]]]:
    """Those of a scenario's pods, each before it is carried out; and the budgets."""
    scheduler, read = loaded(drawn)
    for pod in map(scheduler.pending, read.pending):
        decision = scheduler.decide(pod)
        if decision.preemption is not None and decision.preemption.node_name:
            yield scheduler, pod, decision.preemption, list(read.pdbs)
        carry_out(scheduler, decision)


def reliable(drawn: Obj) -> Obj:
    """The scenario without what makes kube-scheduler's dry run, and so ours, promise too much.

    It counts users of exclusive claims by name alone, whatever their namespace. And it takes pods
    off the counts of spreading that never were part of them: terminating ones, and any if the
    selector is empty.
    """
    simple = without(drawn, {"volumes"})
    for pod in simple["pods"]:
        pod["metadata"].pop("deletionTimestamp", None)
    for pod in simple["pending"]:
        constraints = pod["spec"].get("topologySpreadConstraints", [])
        counting = [c for c in constraints if c.get("labelSelector") != {}]
        pod["spec"]["topologySpreadConstraints"] = counting
    return simple


def without(drawn: Obj, fields: Collection[str]) -> Obj:
    """The scenario without some fields of pods' specifications."""
    pods = {
        kind: [
            {**pod, "spec": {f: value for f, value in pod["spec"].items() if f not in fields}}
            for pod in drawn[kind]
        ]
        for kind in ("pods", "pending")
    }
    return drawn | pods


def carry_out(scheduler: Scheduler, decision: Decision) -> None:
    if decision.node_name:
        scheduler.bind(decision.pod, decision.node_name)
    else:
        scheduler.preempt(decision)


@given(clusters.scenes())
def test_no_node_exceeds_what_it_has(scenes: Scenes) -> None:
    for drawn, dice in scenes:
        scheduler, read = loaded(drawn)
        assert_within_allocatable(scheduler)
        queue = [scheduler.pending(pod) for pod in read.pending]
        for number in range(ROUNDS):
            kind = clusters.pending_pod(dice, f"more-{number}", [*scheduler.snapshot.row_of])
            for copy in range(3):
                metadata = {**kind["metadata"], "name": f"more-{number}-{copy}"}
                queue.append(scheduler.pending({**kind, "metadata": metadata}))
            for pod in list(queue):
                decision = scheduler.decide(pod)
                carry_out(scheduler, decision)
                if decision.node_name:
                    queue.remove(pod)
                assert_within_allocatable(scheduler)


def assert_within_allocatable(scheduler: Scheduler) -> None:
    snapshot = scheduler.snapshot
    for name, row in snapshot.row_of.items():
        node, pods = snapshot.nodes[row], [pod.obj for pod in snapshot.pods_on[row]]
        assert node is not None
        has = allocatable(node)
        assert len(pods) <= has["pods"], name
        for resource, amount in requested(pods).items():
            assert amount <= has[resource], (name, resource)


@given(clusters.scenes())
def test_victims_have_lower_priority(scenes: Scenes) -> None:
    for drawn, _ in scenes:
        for scheduler, pod, preemption, _ in preemptions(drawn):
            assert preemption.victims
            row = scheduler.snapshot.row_of[preemption.node_name]
            for victim in preemption.victims:
                assert victim.priority < pod.priority
                assert victim.row == row


@given(clusters.scenes())
def test_preemption_makes_room(scenes: Scenes) -> None:
    """Once the victims are gone, the preemptor fits the node that it was nominated to."""
    for drawn, _ in scenes:
        for scheduler, pod, preemption, _ in preemptions(reliable(drawn)):
            assert fits_without(scheduler, pod, preemption.node_name, preemption.victims)


@given(clusters.scenes())
def test_no_victim_is_spared_by_mistake(scenes: Scenes) -> None:
    """When its turn for reprieve comes, each victim is one too many."""
    for drawn, _ in scenes:
        for scheduler, pod, preemption, budgets in preemptions(reliable(drawn)):
            on_node = scheduler.snapshot.pods_on[preemption.victims[0].row]
            lower = {uid(p.obj): p for p in on_node if p.priority < pod.priority}
            groups = in_order_of_reprieve([p.obj for p in lower.values()], budgets)
            turns = [lower[uid(obj)] for group in groups for obj in group]
            gone = list(turns)
            for potential in turns:
                gone.remove(potential)
                fits = fits_without(scheduler, pod, preemption.node_name, gone)
                assert fits == (potential not in preemption.victims)
                if not fits:
                    gone.append(potential)


@given(clusters.scenes())
def test_each_victim_is_needed(scenes: Scenes) -> None:
    """Where pods only take room, any single victim that stayed would be one too many."""
    for drawn, _ in scenes:
        for scheduler, pod, preemption, _ in preemptions(without(reliable(drawn), RELATIONS)):
            for spared in preemption.victims:
                gone = [victim for victim in preemption.victims if victim is not spared]
                assert not fits_without(scheduler, pod, preemption.node_name, gone)


def fits_without(
    scheduler: Scheduler, pod: PodInfo, node_name: str, gone: list[PodInfo] | tuple[PodInfo, ...]
) -> bool:
    """Whether a pod, nominated to a node, would be bound there if some pods were gone."""
    new = reborn(scheduler)
    names = {victim.key for victim in gone}
    for other in placed(new):
        if other.key in names:
            new.snapshot.remove_pod(other)
    nominated = again(new, pod)
    new.nominator.nominate(nominated, node_name)
    decision = new.decide(nominated)
    return decision.nominated_only and decision.node_name == node_name
