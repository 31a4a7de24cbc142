"""Odd objects, and objects over which a machine stumbles, disturb nobody else in the cluster."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.cluster.client.http_api import collection_path
from podium.cluster.drivers.machine_health import MachineHealth
from podium.cluster.virtual import Cluster
from podium.controllers.replica_set import ReplicaSetController
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.scheduler.scheduler import Scheduler
from tests.apiserver.requests.samples import sample
from tests.cluster.virtual.test_cluster import pods_of
from tests.cluster.virtual.virtual_server import VirtualServer
from tests.objects import Obj, node, pod, workload

MANY_DIGITS = "9" * 5_000
FAR_AHEAD, LONG_AGO = "9999-12-31T23:59:59Z", "0001-01-02T00:00:00Z"
APP = {"selector": {"app": "a"}}
INDEX = "batch.kubernetes.io/job-completion-index"
STARTUP, EXIT_CODE = "podium.dev/startup", "podium.dev/exit-code"


class Told:
    """A cluster with an object of most kinds, that a client talks to.

    Machines that raise end the test, as nothing takes care of them in virtual time.
    """

    def __init__(self) -> None:
        self.cluster = Cluster()
        self._server = VirtualServer(self.cluster)
        self.cluster.load([node("n0", "64"), node("n1", "64")])
        self.cluster.start()
        numbered = {"completions": 3, "completionMode": "Indexed", "backoffLimitPerIndex": 1}
        for kind, spec in (
            ("Service", APP),
            ("PodDisruptionBudget", {"selector": {"matchLabels": {"app": "a"}}}),
            ("Deployment", {"replicas": 2}),
            ("StatefulSet", {}),
            ("DaemonSet", {}),
            ("Job", numbered),
            ("Pod", {"nodeName": "n0"}),
        ):
            made = sample(kind)
            self.send("POST", kind, {**made, "spec": {**made["spec"], **spec}}, name="")
        self.cluster.driver.advance(10)

    def send(self, method: str, kind: str, body: Obj, name: str = "a", sub: str = "") -> Any:
        """Send a request that is let in, and see what comes of it for a while."""
        merge = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}
        where = "/".join(filter(None, (collection_path(KINDS[kind], "default"), name, sub)))
        answer = self._server.ask(method, where, body, **merge)
        self.cluster.driver.advance(15)
        return answer

    def annotate(self, kind: str, name: str, key: str, value: str) -> None:
        self.send("PATCH", kind, {"metadata": {"annotations": {key: value}}}, name)


def of_pod(told: Told, owner: str) -> str:
    """The name of a pod of a workload of some kind."""
    found = (one for one in pods_of(told.cluster) if _owner(one) == owner)
    return str(next(found)["metadata"]["name"])


def _owner(obj: Obj) -> str:
    return str(next(iter(obj["metadata"].get("ownerReferences") or ({"kind": ""},)))["kind"])


def foreign_endpoints(told: Told) -> None:
    (slice_,) = told.cluster.store.list("EndpointSlice").items
    targets = ({}, {"targetRef": {}}, {"targetRef": {"kind": "Pod", "name": "a"}})
    foreign = [{"addresses": [f"10.9.0.{n}"], **one} for n, one in enumerate(targets, 1)]
    told.send("PATCH", "EndpointSlice", {"endpoints": foreign}, slice_["metadata"]["name"])


def revision(told: Told) -> None:
    (replica_set,) = told.cluster.store.list("ReplicaSet").items
    key, name = "deployment.kubernetes.io/revision", replica_set["metadata"]["name"]
    told.annotate("ReplicaSet", name, key, MANY_DIGITS)


def scripted_pod(told: Told) -> None:
    notes = {"podium.dev/run-duration": f"{MANY_DIGITS}s", EXIT_CODE: MANY_DIGITS}
    told.send("POST", "Pod", pod("scripted", annotations=notes), name="")


def start(told: Told, time: str) -> None:
    """Have a pod have started at a time, and another pod preempt pods of its node."""
    told.send("PATCH", "Pod", {"status": {"startTime": time}}, "a", "status")
    told.send("POST", "Pod", pod("above", "64", priorityClassName="system-node-critical"), name="")


def granted(told: Told) -> None:
    status = {"status": {"disruptedPods": {"a": None, "b": FAR_AHEAD, "c": LONG_AGO}}}
    told.send("PATCH", "PodDisruptionBudget", status, sub="status")
    body = sample("PodDisruptionBudget")
    stored = told.cluster.store.get("PodDisruptionBudget", "default", "a")
    assert stored is not None
    body = {**stored, "status": {**stored["status"], "disruptedPods": {of_pod(told, "Job"): None}}}
    told.send("PUT", "PodDisruptionBudget", body, sub="status")


NO_TYPE = {"status": {"conditions": [{"status": "True", "reason": "Simulated"}]}}
ODD: dict[str, Callable[[Told], Any]] = {
    "node condition": lambda told: told.send("PATCH", "Node", NO_TYPE, "n0", "status"),
    "deployment condition": lambda told: told.send("PATCH", "Deployment", NO_TYPE, "a", "status"),
    "foreign endpoints": foreign_endpoints,
    "completion index": lambda told: told.annotate("Pod", of_pod(told, "Job"), INDEX, MANY_DIGITS),
    "pod's script": scripted_pod,
    "node's script": lambda told: told.annotate("Node", "n0", STARTUP, f"{MANY_DIGITS}h"),
    "node's exit code": lambda told: told.annotate("Node", "n1", EXIT_CODE, MANY_DIGITS),
    "revision": revision,
    "started far ahead": lambda told: start(told, FAR_AHEAD),
    "started long ago": lambda told: start(told, LONG_AGO),
    "long goodbye": lambda told: told.send("DELETE", "Pod", {"gracePeriodSeconds": 2**63 - 1}),
    "granted": granted,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_objects_disturb_nobody(odd: Any) -> None:
    told = Told()
    odd(told)
    told.send("PATCH", "Deployment", {"spec": {"replicas": 5}})
    owned = [one for one in pods_of(told.cluster) if _owner(one) == "ReplicaSet"]
    assert [one["status"]["phase"] for one in owned] == ["Running"] * 5


class StumbleError(Exception):
    """What a bug raises."""


def make_cluster(*objects: Any) -> Cluster:
    cluster = Cluster()
    cluster.driver.health = MachineHealth()
    cluster.load([node("n0", cpu="99"), node("n1", cpu="99"), *objects])
    cluster.start()
    return cluster


def stumble_at(
    monkeypatch: pytest.MonkeyPatch, owner: type, method: str, is_bad: Callable[..., bool]
) -> None:
    """Have a method raise for some arguments."""
    original = getattr(owner, method)

    def stumbling(self: Any, *args: Any) -> Any:
        if is_bad(self, *args):
            raise StumbleError
        return original(self, *args)

    monkeypatch.setattr(owner, method, stumbling)


def running(cluster: Cluster) -> list[str]:
    pods = [p for p in pods_of(cluster) if p["status"]["phase"] == "Running"]
    return sorted({p["metadata"]["name"].split("-")[0] for p in pods})


def ailing(cluster: Cluster) -> Iterable[str]:
    assert cluster.driver.health is not None
    found = cluster.driver.health.failures(cluster.driver.now_s)
    return [name for name, why in found.items() if why]


def is_there(kind: str) -> Callable[..., bool]:
    """Whether a machine knows the object `bad`, and handles it."""

    def is_bad(self: Any, key: tuple[str, str], now_s: float) -> bool:
        return key == ("default", "bad") and self.objects.get(kind, "bad", "default") is not None

    return is_bad


BAD_SET = workload("ReplicaSet", "bad", replicas=1)


@pytest.mark.parametrize(
    ("owner", "method", "is_bad", "bad", "ails"),
    [
        (
            ReplicaSetController,
            "reconcile",
            is_there("ReplicaSet"),
            BAD_SET,
            "replicaset-controller",
        ),
        (
            Scheduler,
            "decide",
            lambda _, pod, *__: pod.name == "bad",
            pod("bad"),
            "default-scheduler",
        ),
        (SimulatedKubelets, "reconcile", is_there("Pod"), pod("bad"), "kubelet"),
    ],
    ids=["a controller", "a scheduler", "nodes"],
)
def test_a_machine_that_stumbles_over_an_object_does_the_rest_and_recovers(
    owner: type,
    method: str,
    is_bad: Callable[..., bool],
    bad: Any,
    ails: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stumble_at(monkeypatch, owner, method, is_bad)
    web = workload("ReplicaSet", "web", replicas=2)
    cluster = make_cluster(pod("a"), web)
    cluster.driver.advance(10)
    kind, now_s = KINDS[bad["kind"]], cluster.driver.now_s
    cluster.server.create(Attributes(kind, "default", "", now_s), bad)
    cluster.driver.advance(30)
    assert running(cluster) == ["a", "web"]
    assert ailing(cluster) == [ails]
    cluster.store.delete(kind.key, "default", "bad")
    cluster.server.create(Attributes(KINDS["Pod"], "default", "", now_s), pod("late"))
    cluster.driver.advance(60)
    assert running(cluster) == ["a", "late", "web"]
    assert len(pods_of(cluster)) == 4
    assert ailing(cluster) == []
