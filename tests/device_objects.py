"""Devices, classes and claims, written down in a line."""

from typing import Any

from tests.objects import Obj

DRIVER = "gpu.example.com"
API = "resource.k8s.io/v1"


def device(name: str, capacity: dict[str, str] | None = None, **attributes: Any) -> Obj:
    """A device; attributes are strings, integers, or booleans."""
    kinds = {str: "string", bool: "bool", int: "int"}
    return {
        "name": name,
        "attributes": {key: {kinds[type(value)]: value} for key, value in attributes.items()},
        "capacity": {key: {"value": value} for key, value in (capacity or {}).items()},
    }


def resource_slice(
    name: str,
    devices: list[Obj],
    *,
    pool: str = "",
    count: int = 1,
    generation: int = 1,
    **spec: Any,
) -> Obj:
    """A slice of the node of its pool's name, unless `spec` says otherwise."""
    of = pool or name
    if not spec.keys() & {"nodeName", "allNodes", "nodeSelector", "perDeviceNodeSelection"}:
        spec["nodeName"] = of
    listed = {"devices": devices} if devices else {}
    described = {"name": of, "generation": generation, "resourceSliceCount": count}
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": name},
        "spec": {"driver": DRIVER, "pool": described, **listed, **spec},
    }


def device_class(name: str, *selectors: str, **spec: Any) -> Obj:
    listed = [{"cel": {"expression": one}} for one in selectors]
    return {
        "apiVersion": API,
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {**({"selectors": listed} if listed else {}), **spec},
    }


GPU_CLASS = device_class("gpu", f'device.driver == "{DRIVER}"')


def exactly(name: str = "r", *selectors: str, count: int = 1, **more: Any) -> Obj:
    """A request for devices of the class `gpu`."""
    return {"name": name, "exactly": {**_request(*selectors, count=count), **more}}


def first_available(name: str, *alternatives: Obj) -> Obj:
    listed = [{"name": f"a{n}", **one["exactly"]} for n, one in enumerate(alternatives)]
    return {"name": name, "firstAvailable": listed}


def _request(*selectors: str, count: int = 1) -> Obj:
    listed = [{"cel": {"expression": one}} for one in selectors]
    found: Obj = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count}
    return {**found, "selectors": listed} if listed else found


def claim(name: str, *requests: Obj, constraints: list[Obj] | None = None, **status: Any) -> Obj:
    devices: Obj = {"requests": [*requests]}
    if constraints:
        devices["constraints"] = constraints
    return {
        "apiVersion": API,
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {"devices": devices},
        "status": status,
    }


def claim_template(name: str, spec: Obj, **metadata: Any) -> Obj:
    """A template of claims, which get the metadata."""
    return {
        "apiVersion": API,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"metadata": metadata, "spec": spec},
    }


def allocation(*devices: str, node: str = "", **more: Any) -> Obj:
    """An allocation of devices, each as pool/name."""
    results = []
    for one in devices:
        pool, _, name = one.partition("/")
        result = {"request": "r", "driver": DRIVER, "pool": pool, "device": name}
        results.append({**result, **more})
    found: Obj = {"devices": {"results": results}}
    if node:
        field = {"key": "metadata.name", "operator": "In", "values": [node]}
        found["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    return found


def claiming(name: str, *claims: str, **spec: Any) -> Obj:
    """A pod that uses claims."""
    entries = [{"name": one, "resourceClaimName": one} for one in claims]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {"containers": [{"name": "c", "image": "i"}], "resourceClaims": entries, **spec},
    }


TEMPLATE = claim_template("one-gpu", claim("one", exactly("g"))["spec"], labels={"team": "a"})
USE = {"name": "gpu", "resourceClaimTemplateName": "one-gpu"}
USE_SHARED = {"name": "gpu", "resourceClaimName": "shared"}


def gpus(on: str, count: int) -> Obj:
    """The slice of a node that has devices `gpu-0`, `gpu-1` and so on."""
    return resource_slice(f"{on}-gpus", [device(f"gpu-{n}") for n in range(count)], pool=on)


def shared_claim() -> Obj:
    """A claim as a manifest has it; pods with `USE_SHARED` use it."""
    return {**claim("shared", exactly("g")), "metadata": {"name": "shared", "namespace": "default"}}
