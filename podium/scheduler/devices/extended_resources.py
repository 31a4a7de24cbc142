"""Extended resources that devices stand for: the claim that a pod needs for them on a node."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.api.devices.resource_claims import EXACT_COUNT, EXTENDED_RESOURCE_CLAIM
from podium.api.objects import Object, name, namespace, uid
from podium.api.pods import containers_of, init_containers_of, requests_of
from podium.api.resources import is_sidecar
from podium.api.values.quantity import NANOS_PER_UNIT, nanos

IN_MEMORY = "<extended-resources>"
"""The name of the claim until the API server gives it one; no claim can be called so."""


def extended_resource_claim(pod: Object, requests: Sequence[Object]) -> dict[str, Any]:
    """Return the claim for a pod's extended resources, which isn't in the API server yet."""
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": name(pod),
        "uid": uid(pod),
        "controller": True,
    }
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": IN_MEMORY,
            "namespace": namespace(pod),
            "generateName": f"{name(pod)}-extended-resources-",
            "uid": f"{uid(pod)}/{IN_MEMORY}",
            "ownerReferences": [owner],
            "annotations": EXTENDED_RESOURCE_CLAIM,
        },
        "spec": {"devices": {"requests": [*requests]}},
    }


def device_requests(
    pod: Object, class_names: Mapping[str, str]
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Return the requests for devices of a pod's containers, and which container uses which.

    Init containers use the devices of containers that start later before they request their own,
    and share those that only they request, as they run one after another.

    Args:
        class_names: the DeviceClass of each extended resource.
    """
    spec = pod.get("spec") or {}
    init = init_containers_of(spec)
    containers = [*init, *containers_of(spec)]
    is_brief = [index < len(init) and not is_sidecar(one) for index, one in enumerate(containers)]
    requests: list[dict[str, Any]] = []
    mappings: list[dict[str, str]] = []
    for resource, class_name in sorted(class_names.items()):
        lasting: list[dict[str, Any] | None] = [None] * len(containers)
        for index, container in enumerate(containers):
            if not is_brief[index]:
                lasting[index], used = _request(index, container, resource, class_name, ())
                mappings += used
        brief: list[dict[str, Any]] = []
        of_brief: list[dict[str, str]] = []
        for index, container in enumerate(containers):
            if is_brief[index]:
                made, used = _request(index, container, resource, class_name, lasting[index:])
                brief += [] if made is None else [made]
                of_brief += used
        # The first of the largest serves all of them.
        largest = max(brief, key=lambda one: one["exactly"]["count"], default=None)
        if largest is not None:
            replaced = {one["name"] for one in brief}
            for used_by in of_brief:
                if used_by["requestName"] in replaced:
                    used_by["requestName"] = largest["name"]
            requests.append(largest)
        requests += [one for one in lasting if one is not None]
        mappings += of_brief
    return sorted(requests, key=lambda request: request["name"]), mappings


def _request(
    index: int,
    container: Object,
    resource: str,
    class_name: str,
    reusable: Iterable[dict[str, Any] | None],
) -> tuple[dict[str, Any] | None, list[dict[str, str]]]:
    requested = requests_of(container)
    units, rest = divmod(nanos(requested.get(resource, 0)), NANOS_PER_UNIT)
    if rest or not units:
        return None, []
    mappings, held = [], 0

    def uses(request_name: str) -> dict[str, str]:
        return {
            "containerName": str(container.get("name", "")),
            "resourceName": resource,
            "requestName": request_name,
        }

    for other in reusable:
        if other is None:
            continue
        held += other["exactly"]["count"]
        mappings.append(uses(other["name"]))
        if held >= units:
            return None, mappings
    own_name = f"container-{index}-request-{sorted(requested).index(resource)}"
    exactly = {
        "deviceClassName": class_name,
        "allocationMode": EXACT_COUNT,
        "count": units - held,
    }
    return {"name": own_name, "exactly": exactly}, [*mappings, uses(own_name)]
