"""Odd objects that the API lets in, as kube-apiserver does, disturb nobody in the cluster."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.cluster.client.http_api import collection_path
from podium.cluster.virtual import Cluster
from tests.apiserver.requests.samples import sample
from tests.cluster.virtual.test_cluster import pods_of
from tests.cluster.virtual.virtual_server import VirtualServer
from tests.objects import node

Obj = dict[str, Any]

MANY_DIGITS = "9" * 5_000
FAR_AHEAD, LONG_AGO = "9999-12-31T23:59:59Z", "0001-01-02T00:00:00Z"
APP = {"selector": {"app": "a"}}
INDEX = "batch.kubernetes.io/job-completion-index"


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


def condition_without_type(kind: str, name: str) -> Any:
    status = {"status": {"conditions": [{"status": "True", "reason": "Simulated"}]}}
    return lambda told: told.send("PATCH", kind, status, name, "status")


def of_pod(told: Told, owner: str) -> str:
    """The name of a pod of a workload of some kind."""
    found = (one for one in pods_of(told.cluster) if _owner(one) == owner)
    return str(next(found)["metadata"]["name"])


def _owner(pod: Obj) -> str:
    return str(next(iter(pod["metadata"].get("ownerReferences") or ({"kind": ""},)))["kind"])


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
    notes = {"podium.dev/run-duration": f"{MANY_DIGITS}s", "podium.dev/exit-code": MANY_DIGITS}
    pod = sample("Pod")
    pod = {**pod, "metadata": {"name": "scripted", "annotations": notes}}
    told.send("POST", "Pod", pod, name="")


def annotated_pod_of(owner: str, key: str, value: str) -> Any:
    return lambda told: told.annotate("Pod", of_pod(told, owner), key, value)


def annotated(kind: str, key: str, value: str, name: str = "a") -> Any:
    return lambda told: told.annotate(kind, name, key, value)


def started(time: str) -> Any:
    def start(told: Told) -> None:
        told.send("PATCH", "Pod", {"status": {"startTime": time}}, "a", "status")
        preemptor = sample("Pod")
        asks = {"requests": {"cpu": "64"}}
        container = {**preemptor["spec"]["containers"][0], "resources": asks}
        spec = {"containers": [container], "priorityClassName": "system-node-critical"}
        meta = {"metadata": {"name": "above"}}
        told.send("POST", "Pod", {**preemptor, **meta, "spec": spec}, name="")

    return start


def long_goodbye(told: Told) -> None:
    told.send("DELETE", "Pod", {"gracePeriodSeconds": 2**63 - 1})


def granted(told: Told) -> None:
    status = {"status": {"disruptedPods": {"a": None, "b": FAR_AHEAD, "c": LONG_AGO}}}
    told.send("PATCH", "PodDisruptionBudget", status, sub="status")
    body = sample("PodDisruptionBudget")
    stored = told.cluster.store.get("PodDisruptionBudget", "default", "a")
    assert stored is not None
    body = {**stored, "status": {**stored["status"], "disruptedPods": {of_pod(told, "Job"): None}}}
    told.send("PUT", "PodDisruptionBudget", body, sub="status")


ODD = {
    "node condition": condition_without_type("Node", "n0"),
    "deployment condition": condition_without_type("Deployment", "a"),
    "foreign endpoints": foreign_endpoints,
    "completion index": annotated_pod_of("Job", INDEX, MANY_DIGITS),
    "pod's script": scripted_pod,
    "node's script": annotated("Node", "podium.dev/startup", f"{MANY_DIGITS}h", "n0"),
    "node's exit code": annotated("Node", "podium.dev/exit-code", MANY_DIGITS, "n1"),
    "revision": revision,
    "started far ahead": started(FAR_AHEAD),
    "started long ago": started(LONG_AGO),
    "long goodbye": long_goodbye,
    "granted": granted,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_objects_disturb_nobody(odd: Any) -> None:
    told = Told()
    odd(told)
    told.send("PATCH", "Deployment", {"spec": {"replicas": 5}})
    owned = [one for one in pods_of(told.cluster) if _owner(one) == "ReplicaSet"]
    assert [one["status"]["phase"] for one in owned] == ["Running"] * 5
