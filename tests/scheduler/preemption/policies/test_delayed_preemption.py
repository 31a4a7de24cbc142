"""How long a preemptor waits, held against what its class's patience says in plain words."""

import math
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from podium.api.values.times import timestamp
from podium.scheduler.config.scheduler_options import Patience, SchedulerOptions
from podium.scheduler.preemption.policies.delayed_preemption import (
    EXPECTED_DURATION,
    PROVISIONING_UNTIL,
    ends_s,
)
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import pending_pod, start_ns_of
from tests.objects import Obj, node, pod

STARTING = "starting"
NOW_S, CPUS = 1000, 4


class World:
    """Nodes full of pods, some of which end by themselves, and a preemptor that waits."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        self.since_s = NOW_S - rng.randint(0, 120)
        self.delay_s, self.at_most_s = rng.choice((0, 30)), rng.choice((0, 60, 100))
        self.promised_s = rng.choice((None, NOW_S - 1, NOW_S, NOW_S + rng.randint(1, 90)))
        self.cpus = rng.randint(2, CPUS)
        self.pods = [_occupant(rng, f"old-{n}", f"n-{n // 3}") for n in range(6)]
        self.nodes = [node("n-0", cpu=str(CPUS)), node("n-1", cpu=str(CPUS))]
        if rng.random() < 0.3:
            starting = node("n-2", cpu=str(rng.randint(1, CPUS)))
            starting["spec"]["taints"] = [{"key": STARTING, "effect": "NoSchedule"}]
            self.nodes.append(starting)

    def held_until_s(self) -> float | None:
        """Up to when the preemptor waits; None if it preempts."""
        limit_s = self.since_s + self.at_most_s
        if self.since_s + self.delay_s > NOW_S:
            return self.since_s + self.delay_s
        if limit_s <= NOW_S:
            return None
        if self.promised_s is not None and self.promised_s > NOW_S:
            return min(self.promised_s, limit_s)
        if any(int(one["status"]["allocatable"]["cpu"]) >= self.cpus for one in self.nodes[2:]):
            return limit_s
        ends_s = [_ends_s(one) for one in self.pods]
        moments_s = [end_s for end_s in sorted(ends_s) if end_s <= limit_s and self._fits(end_s)]
        if not moments_s:
            return None
        return moments_s[0] if moments_s[0] > NOW_S else limit_s

    def _fits(self, at_s: float) -> bool:
        left = [one for one in self.pods if _ends_s(one) > at_s]
        return any(
            sum(_cpus(one) for one in left if one["spec"]["nodeName"] == name) + self.cpus <= CPUS
            for name in ("n-0", "n-1")
        )


@given(st.integers(0, 2**32))
def test_a_preemptor_waits_as_long_as_its_class_says_and_no_longer(seed: int) -> None:
    world = World(seed)
    patience = Patience(
        priority_class="*",
        delay_s=f"{world.delay_s}s",
        at_most_s=f"{world.at_most_s}s",
        startup_taints=[STARTING],
    )
    scheduler = Scheduler(options=SchedulerOptions(patience=[patience]))
    scheduler.clock.now_s = NOW_S
    waiting = pod("new", str(world.cpus), priority=10)
    since = {"type": "PodScheduled", "status": "False"}
    waiting["status"] = {"conditions": [{**since, "lastTransitionTime": timestamp(world.since_s)}]}
    if world.promised_s is not None:
        waiting["metadata"]["annotations"] = {PROVISIONING_UNTIL: timestamp(world.promised_s)}
    (pending,) = scheduler.load(world.nodes, [*world.pods, waiting])
    decision = scheduler.decide(pending)
    assert decision.preemption is not None
    held, expected = decision.preemption.held, world.held_until_s()
    assert (None if held is None else held.until_s) == expected
    assert bool(decision.preemption.node_name) is (expected is None)


def _occupant(rng: Random, name: str, node_name: str) -> Obj:
    """One of three that leave a node at most one CPU."""
    cpus = "1" if name[-1] in "05" else rng.choice("12")
    made = pod(name, cpus, on=node_name, start=timestamp(NOW_S - rng.randint(0, 100)))
    ending = rng.random()
    if ending < 0.4:
        made["spec"]["activeDeadlineSeconds"] = rng.randint(20, 250)
    elif ending < 0.6:
        made["metadata"]["annotations"] = {EXPECTED_DURATION: f"{rng.randint(20, 250)}s"}
    return made


def _ends_s(one: Obj) -> float:
    spec, noted = one["spec"], one["metadata"].get("annotations") or {}
    lasts = spec.get("activeDeadlineSeconds") or noted.get(EXPECTED_DURATION, "inf").rstrip("s")
    return (start_ns_of(one) or 0) / 1e9 + float(lasts)


def _cpus(one: Obj) -> int:
    return int(one["spec"]["containers"][0]["resources"]["requests"]["cpu"])


def test_a_pod_that_has_not_started_ends_at_no_known_time() -> None:
    waiting = pod("p")
    waiting["spec"]["activeDeadlineSeconds"] = 60
    assert ends_s(pending_pod(waiting, PodClasses())) == math.inf
