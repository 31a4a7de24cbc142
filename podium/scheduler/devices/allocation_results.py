"""The allocation that is written into a claim's status."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from podium.api.objects import Object, entries, name, part, spec_of, uid
from podium.api.selectors.node_selector import NAME_FIELD
from podium.api.values.quantity import Format, Quantity
from podium.scheduler.devices.allocator import Allocation, Chosen
from podium.scheduler.devices.claim_requests import ClaimRequests, Request
from podium.scheduler.devices.published_devices import PoolView, PublishedDevice


def allocation_result(
    claim: Object,
    requests: ClaimRequests,
    allocation: Allocation,
    index: int,
    pools: Sequence[PoolView],
    node_name: str,
) -> dict[str, Any]:
    """Return the `status.allocation` of a claim.

    Args:
        index: of the claim in the allocation.
        pools: the node's pools, in the order of allocation.
    """
    chosen = allocation.devices[index]
    devices = [_device(one, pools) for one in chosen]
    raw_requests = entries(part(spec_of(claim), "devices"), "requests")
    results = [
        _result(claim, number, one, device, _raw_request(raw_requests, one.request))
        for number, (one, device) in enumerate(zip(chosen, devices, strict=True))
    ]
    taken = [
        entry.alternatives[alternative]
        for entry, alternative in zip(requests.entries, allocation.alternatives[index], strict=True)
    ]
    found: dict[str, Any] = {"devices": {"results": results}}
    if config := _configuration(claim, taken):
        found["devices"]["config"] = config
    selector = _node_selector(devices, node_name)
    if selector is not None:
        found["nodeSelector"] = selector
    return found


def _device(chosen: Chosen, pools: Sequence[PoolView]) -> PublishedDevice:
    pool, position = chosen.spot
    return pools[pool].devices[position]


def _raw_request(raw_requests: Sequence[Object], request: Request) -> Object:
    for entry in raw_requests:
        if entry.get("name") == request.entry:
            for alternative in entries(entry, "firstAvailable"):
                if alternative.get("name") == request.alternative:
                    return alternative  # type: ignore[no-any-return]
            return part(entry, "exactly")
    return {}


def _result(
    claim: Object, number: int, chosen: Chosen, device: PublishedDevice, raw_request: Object
) -> dict[str, Any]:
    driver, pool, device_name = device.key
    result: dict[str, Any] = {
        "request": chosen.request.full_name,
        "driver": driver,
        "pool": pool,
        "device": device_name,
    }
    if chosen.request.is_admin:
        result["adminAccess"] = True
    if tolerations := raw_request.get("tolerations"):
        result["tolerations"] = tolerations
    if device.device.binding_conditions:
        result["bindingConditions"] = [*device.device.binding_conditions]
    if device.device.binding_failure_conditions:
        result["bindingFailureConditions"] = [*device.device.binding_failure_conditions]
    if chosen.consumed is not None:
        # Upstream draws a share's id; one that depends on the claim alone is as unique.
        result["shareID"] = str(
            uuid5(NAMESPACE_OID, f"{uid(claim)}/{number}/{'/'.join(device.key)}")
        )
        if chosen.consumed:
            result["consumedCapacity"] = {
                capacity: str(Quantity(amount, Format.BINARY_SI))
                for capacity, amount in chosen.consumed.items()
            }
    return result


def _configuration(claim: Object, taken: Sequence[Request]) -> list[dict[str, Any]]:
    """Return the configuration of classes, each once, and then that of the claim."""
    configuration: list[dict[str, Any]] = []
    of_class: dict[str, list[dict[str, Any]]] = {}
    for request in taken:
        if request.device_class is None:
            continue
        class_name = name(request.device_class)
        if class_name in of_class:
            for known in of_class[class_name]:
                known["requests"].append(request.full_name)
            continue
        of_class[class_name] = [
            {**raw, "source": "FromClass", "requests": [request.full_name]}
            for raw in entries(spec_of(request.device_class), "config")
        ]
        configuration += of_class[class_name]
    for raw in entries(part(spec_of(claim), "devices"), "config"):
        named = entries(raw, "requests")
        times = sum(
            request.entry in named or (bool(request.alternative) and request.full_name in named)
            for request in taken
        )
        configuration += [{**raw, "source": "FromClaim"}] * (times if named else 1)
    return configuration


def _node_selector(devices: Sequence[PublishedDevice], node_name: str) -> dict[str, Any] | None:
    """Return what nodes can use the devices; None if all can."""
    combined: dict[str, list[Object]] = {"matchFields": [], "matchExpressions": []}
    for device in devices:
        spec = device.spec
        chooser: Any = device.device if spec.per_device_node_selection else spec
        if chooser.node_name is not None or device.device.binds_to_node:
            field = {"key": NAME_FIELD, "operator": "In", "values": [node_name]}
            return {"nodeSelectorTerms": [{"matchFields": [field]}]}
        terms = entries(chooser.node_selector or {}, "nodeSelectorTerms")
        for field_name, known in combined.items():
            for requirement in entries(terms[0], field_name) if len(terms) == 1 else ():
                if not any(_is_same(requirement, one) for one in known):
                    known.append(requirement)
    term = {field_name: known for field_name, known in combined.items() if known}
    return {"nodeSelectorTerms": [term]} if term else None


def _is_same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    same = a.get("key") == b.get("key") and a.get("operator") == b.get("operator")
    return same and set(a.get("values") or ()) == set(b.get("values") or ())
