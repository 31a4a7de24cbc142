"""Every case, measured at its smallest size: what is measured has really happened."""

import pytest

from podium.api.documents.report import plain
from podium.api.errors import PodiumError
from podium.scheduler.scheduler import Scheduler
from podium.simulation.benchmarks import measured_workloads, runner
from podium.simulation.benchmarks.catalogue import CASES, select
from podium.simulation.benchmarks.results import Latency, Result, latency_of
from tests.replacing import replace

ALL_PREEMPT = {"PreemptionBasic", "DiversePreemption"}
RESULT = Result("Case/1Node", 1, 2, 1234.5678, Latency(0.123456, 1.5), 99.99, 0, 0.95)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_at_its_smallest(case: measured_workloads.Case) -> None:
    workload = measured_workloads.Workload(case, next(iter(case.sizes)))
    result = runner.measure(workload)
    assert result.workload == workload.name
    assert result.nodes == workload.node_count
    assert result.pods == workload.size.measured_pods
    assert result.preemptions == (result.pods if case.name in ALL_PREEMPT else 0)
    assert result.pods_per_second > 0
    assert 0 < result.latency_ms.p50 <= result.latency_ms.p99
    assert result.peak_memory_mib > 1
    assert 0 < result.processor_share < 1.1


def test_a_workload_that_cannot_be_scheduled_is_no_result() -> None:
    group = measured_workloads.WorkloadPods(
        measured_workloads.PODS["high-priority-large-cpu"], "here"
    )
    case = measured_workloads.Case("Impossible", group, {"1Node": measured_workloads.Size(1, 0, 1)})
    with pytest.raises(PodiumError, match="here/pod-h-"):
        runner.measure(measured_workloads.Workload(case, "1Node"))


def test_a_process_of_its_own_gives_the_same_kind_of_result() -> None:
    (workload,) = select(["SchedulingBasic/5Nodes"])
    result = runner.measure_apart(workload)
    assert (result.workload, result.nodes, result.pods) == ("SchedulingBasic/5Nodes", 5, 10)


def test_the_public_form() -> None:
    assert plain(RESULT) == {
        "workload": "Case/1Node",
        "nodes": 1,
        "pods": 2,
        "podsPerSecond": 1234.6,
        "latencyMs": {"p50": 0.1235, "p99": 1.5},
        "peakMemoryMiB": 100.0,
    }


def test_a_result_without_a_processor_is_disturbed() -> None:
    assert not RESULT.is_disturbed
    assert replace(RESULT, processor_share=0.5).is_disturbed


def test_percentiles_are_in_milliseconds() -> None:
    found = latency_of([ms * 1_000_000 for ms in range(101)])
    assert (found.p50, found.p99) == pytest.approx((50.0, 99.0))


def full_node() -> tuple[Scheduler, runner.ObjectFactory]:
    scheduler, stamp = Scheduler(every_node=True), runner.ObjectFactory()
    scheduler.load(stamp.nodes(measured_workloads.NODES["default"], 1), ())
    desk = runner.TimedScheduler(scheduler)
    for pod in stamp.pods(measured_workloads.PODS["low-priority"], 4, "here"):
        desk.schedule(pod)
    assert desk.preemptions == 0
    return scheduler, stamp


def priorities(scheduler: Scheduler) -> list[int]:
    return sorted(pod.priority for pods in scheduler.snapshot.pods_on for pod in pods)


def test_a_preemption_is_two_cycles_and_one_binding() -> None:
    scheduler, stamp = full_node()
    desk = runner.TimedScheduler(scheduler)
    desk.schedule(stamp.pods(measured_workloads.PODS["high-priority"], 1, "here")[0])
    assert desk.preemptions == 1
    assert len(desk.latencies_ns) == 1
    assert priorities(scheduler) == [0, 10]
    assert not scheduler.nominator


def test_churn_stays_nominated_until_the_next_pod_comes() -> None:
    scheduler, stamp = full_node()
    churn = runner.Churn(scheduler, stamp.pods(measured_workloads.PODS["high-priority"], 2, "here"))
    churn.step()
    assert priorities(scheduler) == [0]
    assert scheduler.nominator
    churn.step()
    assert priorities(scheduler) == [0, 10]
    assert not scheduler.nominator


def test_churn_that_fits_nowhere_changes_nothing() -> None:
    scheduler, stamp = full_node()
    churn = runner.Churn(
        scheduler, stamp.pods(measured_workloads.PODS["high-priority-large-cpu"], 2, "here")
    )
    churn.step()
    churn.step()
    assert priorities(scheduler) == [0, 0, 0, 0]
    assert not scheduler.nominator


def test_churn_that_finds_room_is_bound_at_once() -> None:
    scheduler, stamp = Scheduler(every_node=True), runner.ObjectFactory()
    scheduler.load(stamp.nodes(measured_workloads.NODES["default"], 1), ())
    runner.Churn(scheduler, stamp.pods(measured_workloads.PODS["default"], 1, "here")).step()
    assert priorities(scheduler) == [0]
