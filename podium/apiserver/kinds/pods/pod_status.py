"""The status of pods: who reports it may not say just anything.

The rules are those of `ValidatePodStatusUpdate` in v1.36.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from podium.api.errors import FieldError
from podium.api.objects import Object, entries, part, spec_of, status_of
from podium.api.pod_specs import init_containers_of
from podium.api.resources import is_sidecar
from podium.apiserver.kinds.pods.pod_updates import annotations
from podium.apiserver.kinds.registration import rules
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults
from podium.apiserver.validation.names import label_key, subdomain

_SYSTEM_CONDITIONS = frozenset({"PodScheduled", "Ready", "Initialized"})
_NOBODY: frozenset[str] = frozenset()


def _status(new: Object, old: Object) -> Faults:
    status, before = status_of(new), status_of(old)
    for index, condition in enumerate(entries(status, "conditions")):
        kind, where = condition.get("type") or "", f"status.conditions[{index}]"
        yield from _generation(condition, where)
        if kind not in _SYSTEM_CONDITIONS:
            yield from label_key(kind, f"{where}.Type")
    yield from _generation(status, "status")
    if (spec_of(new).get("nodeName") or "") != (spec_of(old).get("nodeName") or ""):
        yield checks.forbidden("status.nodeName", "may not be changed directly")
    nominated = status.get("nominatedNodeName")
    if nominated and nominated != before.get("nominatedNodeName"):
        yield from subdomain(nominated, "status.nominatedNodeName")
        if spec_of(new).get("nodeName"):
            message = "may not be set on pods that are already bound to a node"
            yield checks.forbidden("status.nominatedNodeName", message)
    yield from rules.immutable("status.qosClass")(new, old)
    yield from _containers(status, before, spec_of(old))
    yield from _claims(status.get("resourceClaimStatuses") or (), spec_of(new))
    pod_ips = status.get("podIPs") or [{"ip": ip} for ip in (status.get("podIP"),) if ip]
    yield from _ip_list(pod_ips, "status.podIPs")
    host_ips = status.get("hostIPs") or []
    first = host_ips[0].get("ip") or "" if host_ips else ""
    if host_ips and first != (status.get("hostIP") or ""):
        yield FieldError("status.hostIPs[0].ip", first, "must be equal to `hostIP`")
    yield from _ip_list(host_ips, "status.hostIPs")


status_update = rules.all_of(rules.metadata, annotations, _status)


def _generation(observer: Object, path: str) -> Faults:
    generation = observer.get("observedGeneration") or 0
    if generation < 0:
        yield FieldError(f"{path}.observedGeneration", generation, "must be a non-negative integer")


def _ip_list(addresses: Sequence[Object], path: str) -> Faults:
    ips = [one.get("ip") or "" for one in addresses]
    faults = [fault for n, ip in enumerate(ips) for fault in checks.ip_address(ip, f"{path}[{n}]")]
    yield from faults
    families = {":" in ip for ip in ips}
    if not faults and len(families) < len(ips):
        message = "may specify no more than one IP for each IP family"
        yield FieldError(path, [{"IP": ip} for ip in ips], message)


def _containers(status: Object, before: Object, spec: Object) -> Faults:
    """What has ended for good doesn't run again."""
    policy = spec.get("restartPolicy")
    sidecars: Collection[str] = {one["name"] for one in init_containers_of(spec) if is_sidecar(one)}
    for field, restarts, spared in (
        ("containerStatuses", policy, _NOBODY),
        ("initContainerStatuses", policy, sidecars),
        ("ephemeralContainerStatuses", "Never", _NOBODY),
    ):
        now, then = status.get(field) or (), before.get(field) or ()
        if restarts == "Always" or now is then:
            continue
        going_on = Counter(
            one.get("name") for one in now if part(one, "state").get("terminated") is None
        )
        for index, container in enumerate(then):
            ended = part(container, "state").get("terminated")
            if ended is None or container.get("name") in spared:
                continue
            if ended.get("exitCode") and restarts == "OnFailure":
                continue
            for _ in range(going_on[container.get("name")]):
                message = "may not be transitioned to non-terminated state"
                yield checks.forbidden(f"status.{field}[{index}].state", message)


def _claims(statuses: Sequence[Object], spec: Object) -> Faults:
    named = {claim.get("name") for claim in spec.get("resourceClaims") or ()}
    seen = set()
    for index, status in enumerate(statuses):
        name, where = status.get("name"), f"status.resourceClaimStatuses[{index}].name"
        if name not in named:
            message = "must match the name of an entry in `spec.resourceClaims`"
            yield FieldError(where, name, message)
        if name in seen:
            yield checks.duplicate(where, name)
        seen.add(name)
