"""The option `devicePreemption` in the processes of `podium up` and `podium scheduler`."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from podium.api.objects import without
from tests.cluster.embedded.client import Client, up
from tests.cluster.real.podium_process import PodiumScheduler
from tests.cluster.real.world import PODS, until
from tests.device_objects import (
    DRIVER,
    claim,
    claim_template,
    device,
    device_class,
    exactly,
    resource_slice,
)
from tests.objects import Obj, budget, node, pod, priority_class

CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"
RESOURCE = "example.com/gpu"
OPTIONS = {
    "apiVersion": "podium.dev/v1alpha1",
    "kind": "SchedulerOptions",
    "devicePreemption": True,
    "disruptionBudgets": "Respect",
}
SHARED = without(claim("shared", exactly()), "status")
TEMPLATE = claim_template("one", SHARED["spec"])
OWN, OF_ALL = {"resourceClaimTemplateName": "one"}, {"resourceClaimName": "shared"}


def using(name: str, claim: Obj | None = None, **spec: Any) -> Obj:
    """A pod with a claim, or that requests a device as an extended resource."""
    made = pod(name, "100m", terminationGracePeriodSeconds=1, **spec)
    if claim is not None:
        made["spec"]["resourceClaims"] = [{"name": "gpu", **claim}]
    else:
        amounts = {"cpu": "100m", RESOURCE: "1"}
        made["spec"]["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}
    return made


class Cluster:
    """A cluster with devices, as its admin sees it."""

    def __init__(self, client: Client, scheduler: PodiumScheduler | None) -> None:
        self._client = client
        self._scheduler = scheduler

    def metrics(self) -> str:
        return self._client.text("/metrics")

    def scheduler_metrics(self) -> str:
        return self._scheduler.get("/metrics").text if self._scheduler else self.metrics()

    def create(self, *objects: Obj, path: str = PODS) -> None:
        for obj in objects:
            code, answer = self._client.ask("POST", path, obj)
            assert code == 201, answer

    def remove(self, name: str) -> None:
        """Delete a pod at once, as a node does once its containers have ended."""
        at_once = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}
        assert self._client.ask("DELETE", f"{PODS}/{name}", at_once)[0] == 200

    def all(self, path: str = PODS) -> dict[str, Obj]:
        return {one["metadata"]["name"]: one for one in self._client.ask("GET", path)[1]["items"]}

    def places(self, *names: str) -> dict[str, str]:
        """Wait until pods are on nodes; which ones."""

        def found() -> dict[str, str] | None:
            places = {name: one["spec"].get("nodeName", "") for name, one in self.all().items()}
            wanted = {name: places.get(name, "") for name in names}
            return wanted if all(wanted.values()) else None

        return dict(until(found))

    def message(self, name: str) -> str:
        conditions = self.all()[name]["status"].get("conditions") or [{}]
        return str(conditions[0].get("message") or "")


@pytest.fixture(params=["up", "scheduler"])
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cluster]:
    """Two nodes of two devices each, scheduled by `podium up` itself or by another process."""
    manifests, options, data = (tmp_path / name for name in ("m.yaml", "o.yaml", "data"))
    data.mkdir()
    gpu = device_class("gpu", f'device.driver == "{DRIVER}"', extendedResourceName=RESOURCE)
    slices = [resource_slice(on, [device("g0"), device("g1")]) for on in ("a", "b")]
    classes = [priority_class("high", 1000), priority_class("low", -10)]
    objects = [node("a"), node("b"), *slices, gpu, TEMPLATE, *classes]
    manifests.write_text(yaml.safe_dump_all(objects))
    options.write_text(yaml.safe_dump(OPTIONS))
    scheduled = (
        ("--scheduler-config", str(options)) if request.param == "up" else ("--no-scheduler",)
    )
    scheduler = None
    with ExitStack() as stack:
        stack.enter_context(up(data, "--port", "0", "-f", str(manifests), *scheduled))
        if request.param == "scheduler":
            chosen = ("--no-leader-elect", "--config", str(options))
            kubeconfig, log = data / "kubeconfig", tmp_path / "scheduler.log"
            scheduler = stack.enter_context(PodiumScheduler(kubeconfig, log, chosen))
        client = stack.enter_context(closing(Client(data / "kubeconfig")))
        yield Cluster(client, scheduler)


def test_pods_give_way_for_the_devices_of_their_claims(cluster: Cluster) -> None:
    on_b = {"nodeSelector": {"kubernetes.io/hostname": "b"}}
    cluster.create(SHARED, path=CLAIMS)
    cluster.create(
        budget("kept", minAvailable=2),
        path="/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    )
    cluster.create(using("kept-1", OWN, **on_b), using("kept-2", OWN, **on_b))
    cluster.places("kept-1", "kept-2")
    lowest = {"priorityClassName": "low"}
    sharing = [using(f"low-{number}", OF_ALL, **lowest) for number in (1, 2)]
    for one in sharing:
        one["spec"]["terminationGracePeriodSeconds"] = 3600
    cluster.create(*sharing, using("low-3"))
    assert set(cluster.places("low-1", "low-2", "low-3").values()) == {"a"}

    # Pods that have started take their time to end, so that their preemptor is seen to wait.
    until(lambda: all(one["status"]["phase"] == "Running" for one in cluster.all().values()))
    high = {"priorityClassName": "high"}
    cluster.create(using("high-1", OWN, **high))
    nominated = until(lambda: cluster.all()["high-1"]["status"].get("nominatedNodeName"))
    assert nominated == "a"
    for one in ("low-1", "low-2"):
        until(lambda one=one: cluster.all()[one]["metadata"].get("deletionTimestamp"))
        cluster.remove(one)
    assert cluster.places("high-1") == {"high-1": "a"}
    cluster.create(using("high-2", **high))
    assert cluster.places("high-2") == {"high-2": "a"}
    assert {*cluster.all()} == {"high-1", "high-2", "kept-1", "kept-2"}
    assert not cluster.all(CLAIMS)["shared"]["status"].get("allocation")
    held = [
        one["status"]["allocation"]["devices"]["results"]
        for one in cluster.all(CLAIMS).values()
        if one.get("status")
    ]
    spots = [(one["pool"], one["device"]) for results in held for one in results]
    assert sorted(spots) == [(on, device) for on in "ab" for device in ("g0", "g1")]
    preempted = [one for one in cluster.all(EVENTS).values() if one["reason"] == "Preempted"]
    assert {one["regarding"]["name"] for one in preempted} == {"low-1", "low-2", "low-3"}
    assert all(one["note"].endswith("on node a for 1 device") for one in preempted)

    counted = cluster.scheduler_metrics()
    created = 'scheduler_resourceclaim_creates_total{status="success"} 2.0'
    assert created in counted.splitlines()
    claims = [line for line in cluster.metrics().splitlines() if line.startswith("resourceclaim_")]
    assert claims == [
        'resourceclaim_controller_creates_total{admin_access="false",status="success"} 3.0',
        *(
            f'resourceclaim_controller_resource_claims{{admin_access="false",{rest}'
            for rest in (
                'allocated="false",source=""} 1.0',
                'allocated="true",source="extended_resource"} 1.0',
                'allocated="true",source="resource_claim_template"} 3.0',
            )
        ),
    ]

    cluster.create(using("high-3", OWN, **high))
    until(lambda: "PodDisruptionBudget default/kept would be violated" in cluster.message("high-3"))
