"""The victims of nodes, kept in tables while pods come and go."""

from podium.scheduler.scheduler import Scheduler
from tests.objects import Obj, node, pod

NODE_NAMES = [f"n-{number}" for number in range(8)]
GPU = "example.com/gpu"


def _with_gpus(name: str) -> Obj:
    made = node(name)
    made["status"]["allocatable"][GPU] = "8"
    return made


def _wanting_a_gpu(name: str) -> Obj:
    made = pod(name, "4", priority=10)
    made["spec"]["containers"][0]["resources"]["requests"][GPU] = "1"
    return made


def _fill(scheduler: Scheduler, times: str) -> None:
    for node_name in NODE_NAMES:
        low = scheduler.pending(pod(f"low-{times}-{node_name}", "2"))
        scheduler.bind(low, node_name)


def test_preemptors_may_want_what_no_pod_has() -> None:
    scheduler = Scheduler()
    scheduler.load(map(_with_gpus, NODE_NAMES), [])
    _fill(scheduler, "once")
    _fill(scheduler, "twice")
    first = scheduler.decide(scheduler.pending(_wanting_a_gpu("first")))
    assert first.preemption
    assert len(first.preemption.candidate_rows) == len(NODE_NAMES)
    for pods in scheduler.snapshot.pods_on:
        for placed in pods[1:]:
            scheduler.snapshot.remove_pod(placed)
    _fill(scheduler, "again")
    second = scheduler.decide(scheduler.pending(_wanting_a_gpu("second")))
    assert second.preemption
    assert len(second.preemption.candidate_rows) == len(NODE_NAMES)
