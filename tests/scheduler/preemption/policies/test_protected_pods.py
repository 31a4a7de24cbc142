"""Protections as columns say what the rules say pod by pod, whatever has changed since."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from podium.api.documents.document import read
from podium.scheduler.config.scheduler_options import PreemptionProtection, SchedulerOptions
from podium.scheduler.preemption.policies.enabled_policies import policies_of
from podium.scheduler.preemption.victim_table import Protection
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod

ALL = {
    "minimumRunTimes": [{"priorityClass": "batch", "duration": "50s"}],
    "annotatedRunTimeMax": "100s",
    "toleration": True,
    "never": {"priorityClasses": ["batch"], "safeToEvict": True},
    "repeatedVictims": {"times": 1, "within": "60s"},
    "rates": [{"victims": 1, "per": "30s"}],
}
ANNOTATIONS = (
    {},
    {},
    {"podium.dev/minimum-run-time": "80s"},
    {"podium.dev/never-preempt": "true"},
    {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"},
)
PREFIX = "preemption-toleration.scheduling.x-k8s.io/"


class Life:
    """A cluster in which pods come, start, are annotated, preempted and go."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        protection = read(PreemptionProtection, ALL)
        self.scheduler = Scheduler(options=SchedulerOptions(protection=protection))
        nodes = [{"metadata": {"name": f"n-{n}"}, "status": {}} for n in range(3)]
        self.scheduler.snapshot.set_nodes(nodes)
        self.number = 0

    def step(self) -> None:
        self.scheduler.clock.now_s += self.rng.choice((0, 1, 10, 40))
        self.rng.choice((self.come, self.come, self.start, self.preempt, self.tolerate))()

    def come(self) -> None:
        self.number += 1
        owner = {"uid": f"owner-{self.rng.randint(0, 2)}", "controller": True}
        obj = {
            "metadata": {
                "name": f"p-{self.number}",
                "namespace": "default",
                "uid": f"uid-{self.number}",
                "annotations": self.rng.choice(ANNOTATIONS),
                "ownerReferences": [owner],
                "creationTimestamp": "1970-01-01T00:59:00Z",
            },
            "spec": {
                "priority": self.rng.randint(0, 3),
                "priorityClassName": self.rng.choice(("batch", "other")),
            },
            "status": {},
        }
        snapshot = self.scheduler.snapshot
        snapshot.add_pod(placed_pod(obj, snapshot.classes), f"n-{self.rng.randint(0, 2)}")

    def start(self) -> None:
        for pod in self._some():
            self.scheduler.snapshot.restart_pod(pod, int(self.scheduler.clock.now_s * 1e9))

    def preempt(self) -> None:
        scheduler = self.scheduler
        for pod in self._some():
            scheduler.history.preempted([pod], scheduler.clock.now_s)
            scheduler.snapshot.remove_pod(pod)
            scheduler.history.gone(pod.uid)

    def tolerate(self) -> None:
        noted = {f"{PREFIX}minimum-preemptable-priority": str(self.rng.randint(0, 4))}
        if self.rng.random() < 0.5:
            noted[f"{PREFIX}toleration-seconds"] = self.rng.choice(("-1", "20", "soon"))
        metadata = {"name": "other", "annotations": noted}
        self.scheduler.listers.set({"kind": "PriorityClass", "metadata": metadata, "value": 1})

    def _some(self) -> Iterator[PodInfo]:
        pods = [pod for on_row in self.scheduler.snapshot.pods_on for pod in on_row]
        yield from self.rng.sample(pods, min(len(pods), 1))


@pytest.mark.parametrize("seed", range(20))
def test_columns_say_what_the_rules_say(seed: int) -> None:
    life = Life(seed)
    life.scheduler.clock.now_s = 3_600.0
    policy = policies_of(life.scheduler.handle)
    assert policy.protection is not None
    seen = 0
    for _ in range(60):
        life.step()
        policy.update()
        seen += _assert_agree(life.scheduler, policy.protection)
    assert seen > 10


def test_a_row_is_logged_when_time_alone_ends_a_protection() -> None:
    life = Life(0)
    policy = policies_of(life.scheduler.handle)
    assert policy.protection is not None
    life.come()
    (pod,) = (pod for pods in life.scheduler.snapshot.pods_on for pod in pods)
    pod.obj["spec"]["priorityClassName"] = "batch"
    pod.obj["metadata"]["annotations"] = {}
    life.scheduler.snapshot.restart_pod(pod, 0)
    policy.update()
    ended = policy.protection.log.cursor()
    life.scheduler.clock.now_s = 49.0
    policy.update()
    assert ended.new() == []
    life.scheduler.clock.now_s = 50.0
    policy.update()
    assert ended.new() == [pod.row]


def _assert_agree(scheduler: Scheduler, protection: Protection) -> int:
    protected = 0
    for pods in scheduler.snapshot.pods_on:
        for pod in pods:
            for priority in range(5):
                one_by_one = protection.protects(pod, priority)
                at_once = protection.protected(np.array([pod.slot]), priority)
                assert [one_by_one] == at_once.tolist()
                protected += one_by_one
    return protected
