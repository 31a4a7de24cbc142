"""Odd objects that the API lets in, as kube-apiserver does, disturb nobody in the cluster."""

from collections.abc import Callable
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.cluster.client.http_api import collection_path
from podium.cluster.virtual import Cluster
from tests.apiserver.requests.samples import sample
from tests.cluster.virtual.test_cluster import pods_of
from tests.cluster.virtual.virtual_server import VirtualServer
from tests.objects import Obj, node, pod

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
