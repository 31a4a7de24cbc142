"""Pods, and the pod specs of templates, as far as Podium acts on them.

Only what is judged is looked up in the checks' memory: what differs from pod to pod without
mattering (tokens' volume names, addresses, times) is left out of it.
"""

from typing import Any

from podium.api.errors import FieldError
from podium.api.labels import validate_label_key
from podium.api.priority import NEVER, PREEMPT_LOWER_PRIORITY
from podium.api.quantity import QuantityError, nanos
from podium.api.resources import pod_requests
from podium.apiserver.validation.affinity import affinity, spread_constraints
from podium.apiserver.validation.checks import (
    INT32_MAX,
    INT32_MIN,
    Check,
    Faults,
    Needed,
    a_dict,
    boolean,
    both,
    count,
    dicts,
    duplicate,
    each,
    fields,
    integer,
    join,
    kept,
    needed,
    one_of,
    text,
    time,
)
from podium.apiserver.validation.containers import (
    containers,
    host_network_ports,
    unique_host_ports,
    unique_names,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.names import label_map, subdomain
from podium.apiserver.validation.remembered import remembered
from podium.apiserver.validation.resources import (
    amounts,
    container_resources,
    pod_level_resources,
)
from podium.apiserver.validation.tolerations import tolerations

_CONTAINER_LISTS = ("initContainers", "containers")
_CONTAINER_FIELDS = ("name", "image", "ports", "resources", "restartPolicy")
_STATUS_LISTS = ("initContainerStatuses", "containerStatuses")


def _scheduling_gates(value: object, path: str) -> Faults:
    yield from each(fields())(value, path)
    seen = set()
    for index, gate in dicts(value):
        name, where = gate.get("name") or "", f"{path}[{index}]"
        if not isinstance(name, str):
            yield from text(name, join(where, "name"))
            continue
        for message in validate_label_key(name):
            yield FieldError(where, name, message)
        if name in seen:
            yield duplicate(where, name)
        seen.add(name)


def _pod_level_covers_containers(spec: Any, path: str) -> Faults:
    requests = a_dict(a_dict(spec.get("resources")).get("requests"))
    if not requests:
        return
    for name, amount in _container_requests(spec).items():
        try:
            too_little = name in requests and nanos(requests[name]) < amount
        except QuantityError:
            continue
        if too_little:
            where = f"{join(path, 'resources.requests')}[{name}]"
            message = "must be greater than or equal to aggregate container requests"
            yield FieldError(where, requests[name], message)


def _container_requests(spec: Any) -> dict[str, int]:
    """What the containers request together; nothing where that can't be read."""
    lists = {name: spec.get(name) for name in _CONTAINER_LISTS if spec.get(name)}
    if list(both(*(_at(name, containers) for name in lists))(spec, "")):
        return {}
    return pod_requests({"spec": lists})


def _at(name: str, check: Check) -> Check:
    return lambda value, path: check(value[name], join(path, name))


_pod_os = fields(name=one_of("linux", "windows", empty=True))

_judged_spec: dict[str, Check | Needed] = {
    "initContainers": containers,
    "containers": needed(containers),
    "restartPolicy": one_of("Always", "OnFailure", "Never"),
    "terminationGracePeriodSeconds": integer(),
    "nodeSelector": label_map,
    "affinity": affinity,
    "tolerations": tolerations,
    "topologySpreadConstraints": spread_constraints,
    "schedulerName": text,
    "schedulingGates": _scheduling_gates,
    "priority": integer(INT32_MIN, INT32_MAX),
    "priorityClassName": text,
    "preemptionPolicy": one_of(PREEMPT_LOWER_PRIORITY, NEVER),
    "hostNetwork": boolean,
    "overhead": amounts,
    "resources": pod_level_resources,
    "runtimeClassName": text,
    "os": _pod_os,
    "resourceClaims": each(fields(name=needed(text))),
}


def _judged_part(spec: Any) -> Any:
    if not isinstance(spec, dict):
        return spec
    part = {name: value for name, value in spec.items() if name in _judged_spec}
    for name in _CONTAINER_LISTS:
        if isinstance(found := part.get(name), list):
            part[name] = [kept(container, _CONTAINER_FIELDS) for container in found]
    return part


_spec_itself = remembered(
    fields(
        unique_names,
        unique_host_ports,
        host_network_ports,
        _pod_level_covers_containers,
        **_judged_spec,
    ),
    _judged_part,
)

_claim_template = fields(
    metadata=fields(labels=label_map),
    spec=fields(resources=fields(requests=amounts), storageClassName=text),
)

# Other sources of volumes are data that any node can mount.
_placing_volumes = {
    "persistentVolumeClaim": fields(claimName=needed(text), readOnly=boolean),
    "ephemeral": fields(volumeClaimTemplate=_claim_template),
    "csi": fields(driver=needed(text)),
    "gcePersistentDisk": fields(pdName=needed(text), readOnly=boolean),
    "awsElasticBlockStore": fields(volumeID=needed(text), readOnly=boolean),
    "azureDisk": fields(diskName=needed(text)),
    "iscsi": fields(iqn=needed(text), readOnly=boolean),
    "rbd": fields(image=needed(text), readOnly=boolean),
}
_PLACING = tuple(_placing_volumes)


def _volumes_part(volumes: Any) -> Any:
    if not isinstance(volumes, list):
        return volumes
    return [kept(volume, _PLACING) for volume in volumes]


_at_node = fields(
    nodeName=remembered(subdomain),
    volumes=remembered(each(fields(**_placing_volumes)), _volumes_part),
)

pod_spec = both(_spec_itself, _at_node)
"""The spec of a pod, or of a pod to be in a template."""


_condition = fields(
    type=needed(text),
    status=needed(one_of("True", "False", "Unknown")),
    reason=text,
    lastTransitionTime=time,
)
_container_status = fields(
    name=needed(text),
    restartCount=count,
    allocatedResources=amounts,
    resources=container_resources,
)
_container_statuses = each(_container_status)

_judged_status: dict[str, Check] = {
    "phase": one_of("Pending", "Running", "Succeeded", "Failed", "Unknown", empty=True),
    "qosClass": one_of("Guaranteed", "Burstable", "BestEffort", empty=True),
    "nominatedNodeName": text,
    "reason": text,
    "resize": text,
    "startTime": time,
    "conditions": each(_condition),
    "initContainerStatuses": _container_statuses,
    "containerStatuses": _container_statuses,
    "allocatedResources": amounts,
    "resources": pod_level_resources,
}
_CONDITION_FIELDS = ("type", "status", "reason", "lastTransitionTime")
_CONTAINER_STATUS_FIELDS = ("name", "restartCount", "allocatedResources", "resources")


def _status_part(status: Any) -> Any:
    if not isinstance(status, dict):
        return status
    part = {name: value for name, value in status.items() if name in _judged_status}
    if isinstance(found := part.get("conditions"), list):
        part["conditions"] = [kept(condition, _CONDITION_FIELDS) for condition in found]
    for name in _STATUS_LISTS:
        if isinstance(found := part.get(name), list):
            part[name] = [kept(status, _CONTAINER_STATUS_FIELDS) for status in found]
    return part


pod_status = remembered(fields(**_judged_status), _status_part)
"""The status of a pod."""

pod = fields(
    metadata=object_meta(),
    spec=needed(pod_spec),
    status=pod_status,
)
"""A whole pod."""
