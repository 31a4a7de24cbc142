"""How many pods there are by state, and how many were disrupted, by whom."""

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


def test_what_goes_with_its_node_is_not_evicted_and_what_is_bound_is_not_pending() -> None:
    store = Store()
    tally = ClusterCounter(store)
    store.create("Pod", pod("new"))
    store.create("Pod", pod("bound", on="n", status={"phase": "Pending"}))
    for name, reason in (("gone", "DeletionByPodGC"), ("tainted", "DeletionByTaintManager")):
        target = {"type": "DisruptionTarget", "status": "True", "reason": reason}
        store.create("Pod", pod(name, on="n", status={"phase": "Failed", "conditions": [target]}))
    numbers = tally.counts()
    assert (numbers.pending, numbers.starting, numbers.running) == (1, 1, 0)
    assert (numbers.evicted, numbers.lost) == (1, 1)
