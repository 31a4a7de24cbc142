"""Workloads in which every pod has a resource claim, in a cluster with devices on every node."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from podium.api.objects import Object
from podium.simulation.benchmarks.measured_workloads import (
    NODES,
    PODS,
    Case,
    Size,
    Vary,
    WorkloadPods,
)

DEVICES = 8
"""Devices of each node."""

_DRIVER = "gpu.example.com"
_NAMESPACE = "claims"
_API = "resource.k8s.io/v1"
_MEMORY_GIB = 80
# Earlier pods are numbered from here, so that they differ from the measured ones.
_EARLIER = 50_000
SlicesOf = Callable[[str], Iterator[Object]]
ClaimsOf = Callable[[Object], Iterator[Object]]
_SIZES = {
    "5Nodes": Size(5, 5, 10),
    "500Nodes": Size(500, 100, 1_000),
    "5000Nodes_10000Pods": Size(5_000, 1_000, 10_000, by_default=True),
}


def alike_slices(node_name: str) -> Iterator[Object]:
    """Yield a slice with devices that differ in nothing but name and uid."""
    yield _slice(node_name, [_device(node_name, number) for number in range(DEVICES)])


def partitioned_slices(node_name: str) -> Iterator[Object]:
    """Yield slices with devices that share memory: each takes a quarter, a half, or all of it."""
    memory = {"memory": {"value": f"{_MEMORY_GIB}Gi"}}
    spec = {"sharedCounters": [{"name": "board", "counters": memory}]}
    parts = (4, 4, 4, 4, 4, 2, 2, 1)
    devices = []
    for number, part in enumerate(parts):
        taken = {"memory": {"value": f"{_MEMORY_GIB // part}Gi"}}
        consumes = [{"counterSet": "board", "counters": taken}]
        devices.append({**_device(node_name, number, part), "consumesCounters": consumes})
    yield _slice(node_name, None, "counters", 2, **spec)
    yield _slice(node_name, devices, "devices", 2)


def _device(node_name: str, number: int, part: int = 1) -> dict[str, Any]:
    attributes = {
        "model": {"string": "h100"},
        "numa": {"int": number % 2},
        "part": {"int": part},
        "uuid": {"string": f"{node_name}-{number}"},
    }
    capacity = {"memory": {"value": f"{_MEMORY_GIB // part}Gi"}}
    return {"name": f"gpu-{number}", "attributes": attributes, "capacity": capacity}


def _slice(
    node_name: str,
    devices: Sequence[Object] | None,
    suffix: str = "devices",
    count: int = 1,
    **spec: Any,
) -> Object:
    pool = {"name": node_name, "generation": 1, "resourceSliceCount": count}
    spec = {"driver": _DRIVER, "pool": pool, "nodeName": node_name, **spec}
    if devices is not None:
        spec["devices"] = devices
    metadata = {"name": f"{node_name}-{suffix}"}
    return {"apiVersion": _API, "kind": "ResourceSlice", "metadata": metadata, "spec": spec}


def device_class() -> Object:
    """Return the class of all devices."""
    selectors = [{"cel": {"expression": f'device.driver == "{_DRIVER}"'}}]
    spec = {"selectors": selectors}
    return {"apiVersion": _API, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": spec}


def claim_of(pod: Object, selectors: Sequence[str] = ()) -> Object:
    """Return a claim for one device of a pod, as the controller makes it of a template."""
    pod_name, pod_uid = pod["metadata"]["name"], pod["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pod_name, "uid": pod_uid}
    exactly: dict[str, Any] = {
        "deviceClassName": "gpu",
        "allocationMode": "ExactCount",
        "count": 1,
    }
    if selectors:
        exactly["selectors"] = [{"cel": {"expression": expression}} for expression in selectors]
    return {
        "apiVersion": _API,
        "kind": "ResourceClaim",
        "metadata": {
            "name": f"{pod_name}-gpu",
            "namespace": _NAMESPACE,
            "uid": f"{pod_uid}-gpu",
            "ownerReferences": [{**owner, "controller": True}],
        },
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}},
    }


def _use_claim(pod: Object, number: int) -> None:
    entry = {"name": "gpu", "resourceClaimTemplateName": "gpu"}
    pod["spec"]["resourceClaims"] = [entry]
    pod["spec"]["containers"][0].setdefault("resources", {})["claims"] = [{"name": "gpu"}]
    made = {"name": "gpu", "resourceClaimName": f"{pod['metadata']['name']}-gpu"}
    pod["status"]["resourceClaimStatuses"] = [made]


def _use_own_template(pod: Object, number: int) -> None:
    _use_claim(pod, number)
    pod["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] = f"gpu-{number}"


def _plain_claim(pod: Object) -> Iterator[Object]:
    yield claim_of(pod)


def _own_claim(pod: Object) -> Iterator[Object]:
    template = pod["spec"]["resourceClaims"][0]["resourceClaimTemplateName"]
    number = int(template.rpartition("-")[2])
    memory = f'device.capacity["{_DRIVER}"].memory'
    wanted = f'{memory}.compareTo(quantity("{1_000 + number}Mi")) >= 0'
    model = f'device.attributes["{_DRIVER}"].model == "h100"'
    yield claim_of(pod, (f"{wanted} && {model}",))


def _case(name: str, slices: SlicesOf, vary: Vary, claims: ClaimsOf) -> Case:
    template = {**PODS["default"], "status": {"phase": "Pending"}}
    return Case(
        name,
        WorkloadPods(template, _NAMESPACE, vary),
        _SIZES,
        init=(WorkloadPods(template, _NAMESPACE, vary, _EARLIER),),
        node=NODES["large"],
        objects=(device_class(),),
        of_node=slices,
        of_pod=claims,
    )


CASES = (
    _case("Claims", alike_slices, _use_claim, _plain_claim),
    _case("ClaimsDiverseSelectors", alike_slices, _use_own_template, _own_claim),
    _case("ClaimsPartitionedDevices", partitioned_slices, _use_claim, _plain_claim),
)
