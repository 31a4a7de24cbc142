"""Who is preempted again and again is a victim no more until the window ends, and then is again."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from podium.api.values.times import timestamp
from podium.scheduler.config.scheduler_options import (
    PreemptionProtection,
    RepeatedVictims,
    SchedulerOptions,
)
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import placed_pod
from tests.objects import node, pod

steps = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 1)), min_size=1, max_size=30)


@given(steps, st.integers(1, 3), st.integers(1, 150))
def test_nobody_goes_more_often_within_the_window_nor_stays_longer(
    arrivals: list[tuple[int, int]], times: int, within_s: int
) -> None:
    """On each node the only pod of a controller is replaced as often as it has been preempted."""
    limit = RepeatedVictims(times=times, within_s=f"{within_s}s")
    protection = PreemptionProtection(repeated_victims=limit)
    scheduler = Scheduler(options=SchedulerOptions(protection=protection))
    scheduler.load([node("n-0", cpu="1"), node("n-1", cpu="1")], [])
    moments: dict[int, list[int]] = defaultdict(list)
    now_s = 0
    for number in range(2):
        _replace(scheduler, number, now_s)
    for count, (pause_s, number) in enumerate(arrivals):
        scheduler.clock.now_s = now_s = now_s + pause_s
        selector = {"kubernetes.io/hostname": f"n-{number}"}
        preemptor = scheduler.pending(pod(f"new-{count}", priority=10, nodeSelector=selector))
        decision = scheduler.decide(preemptor)
        recent = [moment for moment in moments[number] if moment > now_s - within_s]
        assert decision.preemption is not None
        assert bool(decision.preemption.node_name) is (len(recent) < times)
        scheduler.preempt(decision)
        scheduler.nominator.withdraw(preemptor)
        if decision.preemption.node_name:
            moments[number].append(now_s)
            _replace(scheduler, number, now_s)
        else:
            assert decision.preemption.held is not None
            assert decision.preemption.held.until_s == recent[-times] + within_s


def _replace(scheduler: Scheduler, number: int, now_s: int) -> None:
    made = pod(f"old-{number}", start=timestamp(now_s))
    owner = {"kind": "ReplicaSet", "name": "a", "uid": f"owner-{number}", "controller": True}
    created = {"creationTimestamp": timestamp(now_s), "ownerReferences": [owner]}
    made["metadata"] |= {"uid": f"{number}-{scheduler.history.epoch}", **created}
    snapshot = scheduler.snapshot
    snapshot.add_pod(placed_pod(made, snapshot.classes), f"n-{number}")
