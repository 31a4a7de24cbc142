"""How much of which resources an object uses, as quotas count."""

from collections.abc import Callable, Mapping
from typing import Any

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, metadata_of, part, spec_of, status_of
from podium.api.pod_specs import requests_of
from podium.api.pods import is_finished
from podium.api.policy.quotas.amounts import NONE, ONE, Quantities, as_written_by
from podium.api.resources import is_extended_resource, pod_limits, pod_requests
from podium.api.values.quantity import NANOS_PER_UNIT, Quantity, parse_quantity
from podium.api.values.times import epoch_s
from podium.api.volumes.claims_and_volumes import storage_class_name

COUNT_PREFIX = "count/"
REQUESTS_PREFIX = "requests."
LIMITS_PREFIX = "limits."
HUGE_PAGES = "hugepages-"
BY_STORAGE_CLASS = ".storageclass.storage.k8s.io/"

# Kinds whose objects are counted under the bare name of their resource, too.
COUNTED_BY_NAME = frozenset({"ConfigMap", "Secret", "ReplicationController", "ResourceQuota"})

_COMPUTE = ("cpu", "memory", "ephemeral-storage")


def usage(kind: Kind, obj: Object, now_s: float) -> Quantities:
    """The amounts that an object of a namespaced kind uses, by the names that quotas have for them.

    Pods that should be gone by now use nothing but their place in the store.
    Raises QuantityError.
    """
    measure = _MEASURES.get(kind.key)
    counted = {object_count(kind): ONE}
    if measure is not None:
        return {**counted, **measure(obj, now_s)}
    return {**counted, kind.plural: ONE} if kind.key in COUNTED_BY_NAME else counted


def object_count(kind: Kind) -> str:
    """The name under which a quota counts the objects of a kind."""
    return COUNT_PREFIX + kind.resource


def compute_usage(requests: Mapping[str, Any], limits: Mapping[str, Any]) -> dict[str, Any]:
    """The names under which quotas know requests and limits, with the same amounts."""
    used = {}
    for name in _COMPUTE:
        if name in requests:
            used[name] = used[REQUESTS_PREFIX + name] = requests[name]
        if name in limits:
            used[LIMITS_PREFIX + name] = limits[name]
    for name, amount in requests.items():
        if name.startswith(HUGE_PAGES):
            used[name] = used[REQUESTS_PREFIX + name] = amount
        elif is_extended_resource(name):
            used[REQUESTS_PREFIX + name] = amount
    return used


def _pod(pod: Object, now_s: float) -> Quantities:
    if is_finished(pod) or _should_be_gone(pod, now_s):
        return {}
    requests = as_written_by(pod, pod_requests(pod, use_status=True), "requests")
    limits = as_written_by(pod, pod_limits(pod), "limits")
    return {"pods": ONE, **compute_usage(requests, limits)}


def _should_be_gone(pod: Object, now_s: float) -> bool:
    """Whether a deleted pod is still there a whole grace period after it should have gone."""
    metadata = metadata_of(pod)
    deleted, grace_s = metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds")
    if not deleted or grace_s is None:
        return False
    return now_s > epoch_s(deleted) + float(grace_s)


def _service(service: Object, _now_s: float) -> Quantities:
    spec = spec_of(service)
    ports = spec.get("ports") or ()
    balanced = spec.get("type") == "LoadBalancer"
    on_nodes = 0
    if balanced and spec.get("allocateLoadBalancerNodePorts") is False:
        on_nodes = sum(1 for port in ports if port.get("nodePort"))
    elif balanced or spec.get("type") == "NodePort":
        on_nodes = len(ports)
    return {
        "services": ONE,
        "services.nodeports": Quantity(on_nodes * NANOS_PER_UNIT),
        "services.loadbalancers": ONE if balanced else NONE,
    }


def _claim(claim: Object, _now_s: float) -> Quantities:
    used = {"persistentvolumeclaims": ONE}
    requests = requests_of(spec_of(claim))
    if "storage" in requests:
        # What it requests, or has been given while it is resized, in whole bytes.
        allocated = part(status_of(claim), "allocatedResources").get("storage", 0)
        largest = max(parse_quantity(requests["storage"]), parse_quantity(allocated))
        whole = -(-largest.nanos // NANOS_PER_UNIT) * NANOS_PER_UNIT
        is_whole = whole == largest.nanos
        used["requests.storage"] = largest if is_whole else Quantity(whole, largest.format)
    if storage_class := storage_class_name(claim):
        used |= {f"{storage_class}{BY_STORAGE_CLASS}{name}": n for name, n in used.items()}
    return used


_MEASURES: Mapping[str, Callable[[Object, float], Quantities]] = {
    "Pod": _pod,
    "Service": _service,
    "PersistentVolumeClaim": _claim,
}
