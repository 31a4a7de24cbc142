"""How many pods were preempted and evicted."""

from podium.apiserver.store.store import Store
from podium.cluster.embedded.cluster_counts import ClusterCounter
from tests.objects import node, pod


def test_who_goes_for_two_reasons_is_counted_once() -> None:
    store = Store()
    going = store.create("Pod", pod("low", on="n"))
    tally = ClusterCounter(store)
    store.create("Node", node("n"))
    for reason in ("PreemptionByScheduler", "DeletionByTaintManager"):
        target = {"type": "DisruptionTarget", "status": "True", "reason": reason}
        going = store.update("Pod", {**going, "status": {"conditions": [target]}})
    numbers = tally.counts()
    assert (numbers.nodes, numbers.preempted, numbers.evicted) == (1, 1, 0)
