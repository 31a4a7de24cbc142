"""No node is given more than it has, whatever the cluster."""

from hypothesis import given

from podium.scheduler.scheduler import Scheduler
from tests.properties import clusters
from tests.properties.clusters import Scenes
from tests.properties.mirrors import loaded
from tests.reference.node_resources import allocatable, requested

ROUNDS = 3


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
                if decision.node_name:
                    scheduler.bind(pod, decision.node_name)
                    queue.remove(pod)
                else:
                    scheduler.preempt(decision)
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
