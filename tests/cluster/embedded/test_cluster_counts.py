"""How many pods were preempted and evicted."""

from podium.apiserver.store.store import Store
from podium.cluster.embedded.cluster_counts import ClusterCounter
from tests.objects import pod


def test_who_goes_for_two_reasons_is_counted_once() -> None:
    store = Store()
    going = store.create("Pod", pod("low", on="n"))
    tally = ClusterCounter(store)
    for reason in ("PreemptionByScheduler", "DeletionByTaintManager"):
        target = {"type": "DisruptionTarget", "status": "True", "reason": reason}
        going = store.update("Pod", {**going, "status": {"conditions": [target]}})
    numbers = tally.counts()
    assert (numbers.preempted, numbers.evicted) == (1, 0)
