"""Nodes whose pods go on by themselves take them up late, and nobody can tell."""

from typing import Any

import pytest

from podium.api.objects import Object
from podium.kubelet.simulated.simulated_kubelet import SimulatedKubelet
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from tests.kubelet.builders import pod
from tests.kubelet.cluster import Cluster

_RUNNING = {"name": "c", "ready": True, "restartCount": 0, "state": {"running": {}}}


class Restarted(Cluster):
    """Pods that run, and kubelets that have just started anew."""

    def __init__(self, pods: list[Object], *, awake: bool) -> None:
        super().__init__()
        for one in pods:
            self.create(one)
        self.run_until(1)
        self.agents: SimulatedKubelets = Awake() if awake else SimulatedKubelets()
        self.driver.crash(self.kubelets)
        self.driver.restart(self.kubelets, self.agents)
        self.run_until(2)
        self.writes.clear()


class Awake(SimulatedKubelets):
    def _kubelet_of(self, node: Object, now_s: float) -> SimulatedKubelet:
        kubelet = super()._kubelet_of(node, now_s)
        kubelet.goes_on = lambda _: False
        return kubelet


def _taken(cluster: Restarted) -> list[str]:
    return [one.pod["metadata"]["name"] for one in cluster.agents.kubelets["n1"].pods.all()]


_CRITICAL = {"priority": 2_000_000_000, "priorityClassName": "system-cluster-critical"}
_PENDING = {"status": {"phase": "Pending"}}
_SCRIPTED = {"podium.dev/usage-memory": "1Gi"}


def _replace(cluster: Restarted) -> None:
    cluster.delete("b")
    cluster.run_until(50)
    cluster.create(pod("new", "2"))


@pytest.mark.parametrize(
    ("act", "taken"),
    [
        (lambda cluster: cluster.delete("b"), []),
        (lambda cluster: cluster.create(pod("new", "1")), ["new"]),
        (lambda cluster: cluster.create(pod("too-large", "3")), []),
        (lambda cluster: cluster.patch("Pod", "b", _PENDING, "status"), ["b"]),
        (_replace, ["new"]),
        (lambda cluster: cluster.create(pod("new", "3", **_CRITICAL)), ["a", "b", "c", "new"]),
        (lambda cluster: cluster.create(pod("new", annotations=_SCRIPTED)), ["a", "b", "c", "new"]),
        (lambda cluster: cluster.annotate("n1", run_duration="5s"), ["a", "b", "c"]),
        (
            lambda cluster: cluster.agents.pod_usage(cluster.get("Pod", "b", "default"), 0.0),
            ["a", "b", "c"],
        ),
    ],
)
def test_who_is_taken_up_late_is_taken_up_as_it_was(act: Any, taken: list[str]) -> None:
    pods = [pod("a"), pod("b", "2"), pod("c")]
    asleep, awake = (Restarted(pods, awake=one) for one in (False, True))
    assert (_taken(asleep), _taken(awake)) == ([], ["a", "b", "c"])
    for cluster in (asleep, awake):
        act(cluster)
        cluster.run_until(60)
    assert asleep.writes == awake.writes
    assert _taken(asleep) == taken
    asleep.agents.rouse("n1")
    assert _taken(asleep) == _taken(awake)
    found = [[*cluster.server.store.list("Pod").items] for cluster in (asleep, awake)]
    assert found[0] == found[1]


def test_other_nodes_sleep_on() -> None:
    cluster = Restarted([pod("a")], awake=False)
    cluster.create(pod("elsewhere", on="n2"))
    cluster.run_until(3)
    assert _taken(cluster) == []


_ENDED = {"exitCode": 1, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:01Z"}
_FIRST = {"name": "first", "image": "i"}


@pytest.mark.parametrize(
    ("goes_on", "fields", "told"),
    [
        (True, {}, {}),
        (True, {}, {"state": {}}),
        (True, {"initContainers": [_FIRST]}, {}),
        (False, {"initContainers": [{**_FIRST, "restartPolicy": "Always"}]}, {}),
        (False, {"status": {"phase": "Running"}}, {}),
        (False, {"activeDeadlineSeconds": 9}, {}),
        (False, {"readinessGates": [{"conditionType": "example.com/open"}]}, {}),
        (False, {"annotations": {"podium.dev/run-duration": "9s"}}, {}),
        (False, {}, {"ready": False}),
        (False, {}, {"state": {"terminated": _ENDED}}),
        (False, {}, {"state": {}, "lastState": {"terminated": _ENDED}}),
    ],
)
def test_a_pod_goes_on_only_if_its_node_would_leave_it_alone(
    goes_on: bool, fields: dict[str, Any], told: dict[str, Any]
) -> None:
    conditions = [{"type": "Ready", "status": "True"}]
    told = {**_RUNNING, **told}
    status = {"phase": "Running", "conditions": conditions, "containerStatuses": [told]}
    one = pod("p", **{"status": status, **fields})
    cluster = Cluster()
    agents = cluster.kubelets.machine
    assert isinstance(agents, SimulatedKubelets)
    kubelet = agents.kubelets["n1"]
    assert kubelet.goes_on(one) == goes_on
    kubelet.resume(one, cluster.driver.now_s)
    assert kubelet.is_settled(one) or not goes_on
