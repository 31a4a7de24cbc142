"""Checks of whole pods: metadata, specs and statuses, as far as Podium acts on them.

A spec is checked in the order of v1.36's ValidatePodSpec, in two parts: the part that is equal for
all pods of a workload, whose faults are cached, and node, hostname, and volumes with tokens.
"""

from itertools import chain
from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import Object, annotations, entries, part, spec_of, without
from podium.api.pods import DELETION_COST, parse_deletion_cost
from podium.api.priority import MIRROR_ANNOTATION, NEVER, PREEMPT_LOWER_PRIORITY
from podium.api.resources import pod_requests
from podium.api.values.quantity import Format, Quantity, nanos, parse_quantity
from podium.apiserver.validation import checks, resource_requirements
from podium.apiserver.validation.checks import Faults, MinorFieldError, join
from podium.apiserver.validation.names import (
    dns_label,
    label_key,
    label_map,
    object_meta,
    subdomain,
)
from podium.apiserver.validation.pods.alike_pods import judged_alike
from podium.apiserver.validation.pods.containers import containers, init_containers, trimmed_images
from podium.apiserver.validation.pods.placement import affinity, spread_constraints, tolerations
from podium.apiserver.validation.pods.ports import host_network_ports
from podium.apiserver.validation.pods.volumes import known_volumes, mounts, volumes

_CONTAINER_LISTS = ("initContainers", "containers")
_MOUNTS = frozenset({"volumeMounts", "volumeDevices"})
_VARYING = frozenset({"volumes", "nodeName", "hostname"})
_OF_THE_HOST = {"hostNetwork": "hostNetwork", "hostPID": "HostPID", "hostIPC": "HostIPC"}


def _scheduling_gates(gates: Any, path: str) -> Faults:
    seen = set()
    for index, gate in enumerate(gates):
        name, where = gate.get("name") or "", f"{path}[{index}]"
        yield from label_key(name, where)
        if name in seen:
            yield checks.duplicate(where, name)
        seen.add(name)


def _resource_claims(claims: Any, path: str) -> Faults:
    names = set()
    for index, claim in enumerate(claims):
        name, where = claim.get("name") or "", f"{path}[{index}]"
        if not name:
            yield checks.required(join(where, "name"))
        elif name in names:
            yield checks.duplicate(join(where, "name"), name)
        else:
            yield from dns_label(name, join(where, "name"))
            names.add(name)
        yield from checks.detail(_one_claim)(claim, where)


def _one_claim(claim: Any, path: str) -> Faults:
    own, template = claim.get("resourceClaimName"), claim.get("resourceClaimTemplateName")
    names = {"ResourceClaimName": own, "ResourceClaimTemplateName": template}
    shown = {"Name": claim.get("name") or "", **names}
    if own is not None and template is not None:
        both = "`resourceClaimName` or `resourceClaimTemplateName`"
        yield FieldError(path, shown, f"at most one of {both} may be specified")
    if own is None and template is None:
        message = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        yield FieldError(path, shown, message)
    yield from _claim_names(claim, path)


_claim_names = checks.fields(resourceClaimName=subdomain, resourceClaimTemplateName=subdomain)


def _pod_level(spec: Any, path: str) -> Faults:
    resources, where = part(spec, "resources"), join(path, "resources")
    if resources.get("claims"):
        message = "claims cannot be set for Resources at pod-level"
        yield checks.forbidden(join(where, "claims"), message)
    faults = list(resource_requirements.pod_level_resources(resources, where))
    yield from faults
    if faults:
        return
    requests, limits = part(resources, "requests"), part(resources, "limits")
    sums = {}
    if requests:
        # Requests of containers with faults, other than minor ones, can't be added up.
        own_faults = chain(containers(spec, ""), init_containers(spec, ""))
        if all(isinstance(fault, MinorFieldError) for fault in own_faults):
            sums = pod_requests({"spec": {name: spec.get(name) for name in _CONTAINER_LISTS}})
    for name, amount in sums.items():
        if name in requests and (own := parse_quantity(requests[name])).nanos < amount:
            total = Quantity(amount, own.format if own else Format.DECIMAL_SI)
            message = f"must be greater than or equal to aggregate container requests of {total}"
            yield FieldError(f"{where}.requests[{name}]", requests[name], message)
    for index, container in enumerate(entries(spec, "containers") if limits else ()):
        for name, limit in part(container, "resources", "limits").items():
            if name in limits and nanos(limit) > nanos(limits[name]):
                place = f"{where}.containers[{index}][{name}].limits"
                message = f"must be less than or equal to pod limits of {limits[name]}"
                yield FieldError(place, limit, message)


def _dns_config(spec: Any, path: str) -> Faults:
    config, where = spec.get("dnsConfig"), join(path, "dnsConfig")
    nameservers = entries(config or {}, "nameservers")
    yield from checks.each(checks.ip_address)(nameservers, join(where, "nameservers"))
    if spec.get("dnsPolicy") != "None":
        return
    if config is None:
        yield checks.required(where, "must provide `dnsConfig` when `dnsPolicy` is None")
    elif not nameservers:
        message = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        yield checks.required(join(where, "nameservers"), message)


def _own_users(spec: Any, path: str) -> Faults:
    if spec.get("hostUsers") is False:
        for field, shown in _OF_THE_HOST.items():
            if spec.get(field):
                yield checks.forbidden(join(path, shown), "when `pod.Spec.HostUsers` is false")


def _os(value: Any, path: str) -> Faults:
    if not value.get("name"):
        yield checks.required(join(path, "name"), "cannot be empty")
    else:
        # The fault is the object's, as in kube-apiserver.
        yield from checks.one_of("linux", "windows")(value["name"], path)


_middle_fields = checks.fields(
    restartPolicy=checks.one_of("Always", "OnFailure", "Never"),
    dnsPolicy=checks.detail(
        checks.one_of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
    ),
    nodeSelector=label_map,
    affinity=affinity,
)
_later_fields = checks.fields(
    readinessGates=checks.detail(
        checks.each(checks.fields(conditionType=checks.needed(label_key)))
    ),
    schedulingGates=_scheduling_gates,
    topologySpreadConstraints=spread_constraints,
)
_node_name = checks.unless_empty(checks.remembered(subdomain))
_hostname = checks.detail(checks.unless_empty(dns_label))
_varying_fields = checks.fields(volumes=volumes, nodeName=_node_name, hostname=_hostname)
_last_fields = checks.fields(
    serviceAccountName=checks.detail(checks.unless_empty(subdomain)),
    nodeName=_node_name,
    activeDeadlineSeconds=checks.detail(checks.integer(1, checks.INT32_MAX)),
    hostname=_hostname,
    subdomain=checks.detail(checks.unless_empty(dns_label)),
    tolerations=tolerations,
    hostAliases=checks.detail(checks.each(checks.fields(ip=checks.ip_address))),
    priorityClassName=checks.unless_empty(subdomain),
    runtimeClassName=subdomain,
    preemptionPolicy=checks.one_of(PREEMPT_LOWER_PRIORITY, NEVER),
    overhead=resource_requirements.overhead,
    os=_os,
)
_whole = checks.both(
    checks.fields(volumes=volumes, resourceClaims=_resource_claims),
    containers,
    init_containers,
    _pod_level,
    host_network_ports,
    _middle_fields,
    checks.detail(_dns_config),
    _later_fields,
    checks.detail(_own_users),
    _last_fields,
)


def _common_part(spec: Object) -> Object:
    common = without(spec, *_VARYING)
    for name in _CONTAINER_LISTS:
        if found := common.get(name):
            common[name] = [
                one if _MOUNTS.isdisjoint(one) else without(one, *_MOUNTS) for one in found
            ]
    return common


_common = checks.remembered(_whole, _common_part)


def _varying(spec: Any, path: str) -> Faults:
    yield from _varying_fields(spec, path)
    known = None
    for name in _CONTAINER_LISTS:
        for index, container in enumerate(entries(spec, name)):
            if not _MOUNTS.isdisjoint(container):
                known = known_volumes(spec) if known is None else known
                yield from mounts(container, f"{join(path, name)}[{index}]", known)


def pod_spec(spec: Any, path: str) -> Faults:
    """Check the spec of a pod or of a pod template."""
    common, varying = list(_common(spec, path)), list(_varying(spec, path))
    # Faults of both parts are put in order by checking the whole.
    in_order = not varying or (not common and len(varying) == 1)
    yield from common or varying if in_order else _whole(spec, path)


_condition = checks.fields(
    type=checks.needed(), status=checks.needed(checks.one_of("True", "False", "Unknown"))
)
_container_statuses = checks.each(
    checks.fields(
        name=checks.needed(),
        restartCount=checks.count,
        allocatedResources=resource_requirements.amounts,
        resources=resource_requirements.container_resources,
    )
)
# `alike_pods` compares these fields of statuses, so it has to change with them.
_status = checks.fields(
    phase=checks.unless_empty(
        checks.one_of("Pending", "Running", "Succeeded", "Failed", "Unknown")
    ),
    qosClass=checks.unless_empty(checks.one_of("Guaranteed", "Burstable", "BestEffort")),
    conditions=checks.each(_condition),
    initContainerStatuses=_container_statuses,
    containerStatuses=_container_statuses,
    allocatedResources=resource_requirements.amounts,
    resources=resource_requirements.pod_level_resources,
)


def _annotations(pod: Any, path: str) -> Faults:
    notes, where = annotations(pod), join(path, "metadata.annotations")
    if MIRROR_ANNOTATION in notes and not spec_of(pod).get("nodeName"):
        message = "must set spec.nodeName if mirror pod annotation is set"
        yield MinorFieldError(f"{where}[{MIRROR_ANNOTATION}]", notes[MIRROR_ANNOTATION], message)
    if DELETION_COST in notes and parse_deletion_cost(notes[DELETION_COST]) is None:
        field = f"{where}[{DELETION_COST}]"
        yield FieldError(field, notes[DELETION_COST], "must be a 32bit integer")


def gated_on_no_node(pod: Any, path: str) -> Faults:
    """Check that a pod with scheduling gates is created without a node."""
    spec = spec_of(pod)
    if spec.get("schedulingGates") and spec.get("nodeName"):
        message = "cannot be set until all schedulingGates have been cleared"
        yield checks.forbidden(join(path, "spec.nodeName"), message)


any_pod = checks.both(
    checks.fields(metadata=object_meta()),
    _annotations,
    checks.fields(spec=checks.needed(pod_spec)),
    lambda pod, path: trimmed_images(part(pod, "spec"), join(path, "spec")),
    checks.fields(status=_status),
)

pod = judged_alike(any_pod)
"""Checks a whole pod; valid pods are cached, so that similar ones are checked quickly."""
