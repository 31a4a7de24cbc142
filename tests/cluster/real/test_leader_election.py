"""One of several schedulers schedules: Podiums, and a Podium with the real kube-scheduler."""

import signal
from random import Random
from typing import cast

import pytest

from podium.api.values.times import micro_time
from podium.cluster.client.http_api import HttpApi
from podium.cluster.real.leader_election import LeaderElectionRecord, LeaderElector
from podium.scheduler.config.document import LeaderElection
from tests.cluster.real.conftest import StartPodium
from tests.cluster.real.podium_process import FAST_LEASE, PodiumScheduler
from tests.cluster.real.server import PATIENCE_S
from tests.cluster.real.world import World, pod, until

LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"
KUBE_SCHEDULER = ("--secure-port", "0", "--leader-elect", *FAST_LEASE)
LEADS = "became the leader"


def lease(world: World) -> dict:
    return dict(world.plane.ask("GET", LEASE)["spec"])


@pytest.fixture
def pair(world: World, podium: StartPodium) -> tuple[PodiumScheduler, PodiumScheduler]:
    """A leader and a follower."""
    leader = podium(*FAST_LEASE)
    leader.wait_for(LEADS)
    follower = podium(*FAST_LEASE)
    follower.wait_for("the leader is")
    until(lambda: follower.get("/readyz").text == "ok")
    return leader, follower


def test_a_leader_is_unhealthy_long_after_its_lease_has_expired() -> None:
    now_s, election = [100.0], LeaderElection()
    # It makes no request here.
    api = cast(HttpApi, None)
    elector = LeaderElector(api, election, "a", lambda: now_s[0], Random(0))
    expected = "failed election to renew leadership on lease kube-scheduler"
    for holder, answers in (("b", ["", "", ""]), ("a", ["", "", expected])):
        record = LeaderElectionRecord(holder, 15, "", micro_time(now_s[0]))
        elector._observe(record.lease("kube-system", "kube-scheduler", None))
        begun_s = now_s[0]
        for after_s, answer in zip((0, 35, 36), answers, strict=True):
            now_s[0] = begun_s + after_s
            assert elector.ailment == answer


def test_who_stops_hands_the_lease_on(
    world: World, pair: tuple[PodiumScheduler, PodiumScheduler]
) -> None:
    leader, follower = pair
    for path in ("healthz", "readyz"):
        assert leader.get(f"/{path}/leaderElection").text == "ok"
        assert "[+]leaderElection ok" in follower.get(f"/{path}?verbose").text
    assert "leaderElection" not in leader.get("/livez?verbose").text
    assert leader.metric("leader_election_master_status") == 1
    assert follower.metric("leader_election_master_status") == 0
    first = lease(world)
    assert (first["leaseDurationSeconds"], first["leaseTransitions"]) == (7, 0)
    world.node("a")
    world.create(pod("one-1"))
    world.wait_bound("one-1")
    assert follower.metric("scheduler_schedule_attempts_total") == 0
    assert leader.end() == 0
    follower.wait_for(LEADS)
    second = lease(world)
    assert second["holderIdentity"] not in ("", first["holderIdentity"])
    assert second["leaseTransitions"] == 1
    world.create(pod("two-1"))
    world.wait_bound("two-1")


def test_a_preemption_goes_on_after_its_scheduler_was_killed(
    world: World, pair: tuple[PodiumScheduler, PodiumScheduler]
) -> None:
    leader, follower = pair
    world.priority("high", 1000)
    for name in ("a", "b"):
        world.node(name, cpu="2")
        low = pod(f"low-{name}", cpu="2", nodeName=name, terminationGracePeriodSeconds=60)
        world.create(low)
    world.create(pod("vip-1", cpu="2", priorityClassName="high"))
    node = until(lambda: (world.pod("vip-1") or {})["status"].get("nominatedNodeName"))
    until(lambda: (world.pod(f"low-{node}") or {})["metadata"].get("deletionTimestamp"))
    leader.end(signal.SIGKILL)
    follower.wait_for(LEADS)
    world.delete(f"low-{node}", 0)
    assert world.wait_bound("vip-1") == {"vip-1": node}
    (other,) = {"a", "b"} - {node}
    assert "deletionTimestamp" not in (world.pod(f"low-{other}") or {})["metadata"]


def test_who_slept_through_its_lease_ends_and_asks_for_nothing(
    world: World, pair: tuple[PodiumScheduler, PodiumScheduler]
) -> None:
    leader, follower = pair
    world.node("a", cpu="1")
    leader.process.send_signal(signal.SIGSTOP)
    follower.wait_for(LEADS)
    world.create(pod("one-1"), pod("two-1"))
    until(lambda: any(world.places().values()))
    leader.process.send_signal(signal.SIGCONT)
    assert leader.process.wait(PATIENCE_S) == 1
    assert not leader.said("a call has failed")
    assert "error: " in leader.log.read_text()


def test_podium_and_kube_scheduler_take_turns(world: World, podium: StartPodium) -> None:
    if not (world.plane.binaries / "kube-scheduler").exists():
        pytest.skip("no kube-scheduler beside the API server")
    world.node("a")
    theirs = world.plane.launch(
        "kube-scheduler", "--secure-port", "0", "--leader-elect", *FAST_LEASE
    )
    until(lambda: _holder(world))
    ours = podium(*FAST_LEASE)
    ours.wait_for("the leader is")
    world.create(pod("one-1"))
    world.wait_bound("one-1")
    assert ours.metric("scheduler_schedule_attempts_total") == 0
    world.plane.stop("kube-scheduler")
    assert theirs.returncode is not None
    ours.wait_for(LEADS)
    world.create(pod("two-1"))
    world.wait_bound("two-1")
    assert ours.metric("scheduler_schedule_attempts_total") == 1
    mine = _holder(world)
    world.plane.launch("kube-scheduler", *KUBE_SCHEDULER)
    try:
        assert ours.end() == 0
        until(lambda: _holder(world) not in ("", mine))
        world.create(pod("three-1"))
        world.wait_bound("three-1")
    finally:
        world.plane.stop("kube-scheduler")


def _holder(world: World) -> str:
    response = world.plane.client.get(LEASE)
    return str(response.json()["spec"].get("holderIdentity", "")) if response.is_success else ""
