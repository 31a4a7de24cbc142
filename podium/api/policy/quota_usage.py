"""The arithmetic of ResourceQuotas: the usage of objects, and which quotas apply to an object.

Admission adds to a quota's usage before an object is stored, and a controller recomputes all usage
periodically. The rules are those of v1.36's `quota` package and its evaluators.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from podium.api.devices.resource_claims import ALL as ALL_DEVICES
from podium.api.devices.resource_claims import RESULTS_MAX
from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, entries, metadata_of, part, spec_of, status_of
from podium.api.pods import affinity_of, all_containers_of, is_finished, requests_of
from podium.api.resources import (
    HUGE_PAGES,
    REQUESTS_PREFIX,
    Amounts,
    is_extended_resource,
    pod_limits,
    pod_requests,
    stored_or_computed_qos,
)
from podium.api.values.quantity import NANOS_PER_UNIT, Format, Quantity, parse_quantity
from podium.api.values.times import epoch_s
from podium.api.volumes.claims_and_volumes import storage_class_name
from podium.api.well_known import PREFERRED, REQUIRED

Quantities = dict[str, Quantity]

ONE = Quantity(10**9)
NONE = Quantity(0)

COUNT_PREFIX = "count/"
LIMITS_PREFIX = "limits."
BY_STORAGE_CLASS = ".storageclass.storage.k8s.io/"
BY_DEVICE_CLASS = ".deviceclass.resource.k8s.io/devices"

# Kinds whose objects are counted under the bare name of their resource, too.
COUNTED_BY_NAME = frozenset({"ConfigMap", "Secret", "ReplicationController", "ResourceQuota"})

_COMPUTE = ("cpu", "memory", "ephemeral-storage")

_NOT_COUNTED = frozenset({"Event"})
_POD_RESOURCES = frozenset(
    {"pods", *_COMPUTE}
    | {REQUESTS_PREFIX + name for name in _COMPUTE}
    | {LIMITS_PREFIX + name for name in _COMPUTE}
)
SERVICE_RESOURCES = frozenset({"services", "services.nodeports", "services.loadbalancers"})
CLAIM_RESOURCES = frozenset({"persistentvolumeclaims", "requests.storage"})
POD_COMPUTE = frozenset(
    prefix + name for prefix in ("", REQUESTS_PREFIX, LIMITS_PREFIX) for name in ("cpu", "memory")
)
"""Resources that every container has to specify if a quota limits them."""


def read(raw: Object | None) -> Quantities:
    """Parse a resource list from its JSON form; None counts as empty."""
    return {name: parse_quantity(amount) for name, amount in raw.items()} if raw else {}


def written(quantities: Mapping[str, Quantity]) -> dict[str, str]:
    """Convert a resource list into its JSON form."""
    return {name: str(quantities[name]) for name in sorted(quantities)}


def pretty(quantities: Mapping[str, Quantity]) -> str:
    """Format a resource list for a message: `cpu=1,pods=2`."""
    return ",".join(f"{name}={quantities[name]}" for name in sorted(quantities))


def masked(quantities: Mapping[str, Quantity], names: Collection[str]) -> Quantities:
    """Return the quantities with these names."""
    return {name: amount for name, amount in quantities.items() if name in names}


def added(first: Mapping[str, Quantity], second: Mapping[str, Quantity]) -> Quantities:
    """Add two resource lists."""
    total = dict(first)
    for name, amount in second.items():
        total[name] = total[name] + amount if name in total else amount
    return total


def increase(new: Mapping[str, Quantity], old: Mapping[str, Quantity]) -> Quantities:
    """Return by how much quantities increase; a decrease counts as 0."""
    more = {}
    for name, amount in new.items():
        rest = amount - old[name] if name in old else amount
        more[name] = rest if rest.nanos > 0 else NONE
    return more


def as_written_by(pod: Object, amounts: Amounts, field: str) -> Quantities:
    """Convert a pod's total `requests` or `limits` (nanos) into quantities in the pod's formats."""
    formats: dict[str, Format] = {}
    spec = spec_of(pod)
    lists = [part(owner, "resources", field) for owner in (spec, *all_containers_of(spec))]
    for stated in (*lists, part(spec, "overhead")):
        for name, amount in stated.items():
            quantity = parse_quantity(amount)
            if quantity:
                formats.setdefault(name, quantity.format)
    return {
        name: Quantity(nanos, formats.get(name, Format.DECIMAL_SI))
        for name, nanos in amounts.items()
    }


def usage(kind: Kind, obj: Object, now_s: float) -> Quantities:
    """Return the usage of an object by resource names of quotas; raises QuantityError.

    Finished pods, and terminating ones that are overdue, only use their object count.
    """
    measure = _MEASURES.get(kind.key)
    counted = {object_count(kind): ONE}
    if measure is not None:
        return {**counted, **measure(obj, now_s)}
    return {**counted, kind.plural: ONE} if kind.key in COUNTED_BY_NAME else counted


def object_count(kind: Kind) -> str:
    """Return the resource name by which quotas count objects of a kind, such as `count/pods`."""
    return COUNT_PREFIX + kind.resource


def compute_usage(requests: Mapping[str, Any], limits: Mapping[str, Any]) -> dict[str, Any]:
    """Return the amounts of requests and limits by resource names of quotas."""
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
    metadata = metadata_of(pod)
    deleted, grace_s = metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds")
    # A deleted pod may still be there a whole grace period after it should have gone.
    is_overdue = deleted and grace_s is not None and now_s > epoch_s(deleted) + float(grace_s)
    if is_finished(pod) or is_overdue:
        return {}
    requests = as_written_by(pod, pod_requests(pod, use_status=True), "requests")
    return {"pods": ONE, **compute_usage(requests, as_written_by(pod, pod_limits(pod), "limits"))}


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


def _resource_claim(claim: Object, _now_s: float) -> Quantities:
    """Count the devices by class; of alternatives, the largest number of each class."""
    totals: Counter[str] = Counter()
    for entry in entries(part(spec_of(claim), "devices"), "requests"):
        most: dict[str, int] = {}
        for request in entries(entry, "firstAvailable") or [part(entry, "exactly")]:
            is_all = request.get("allocationMode") == ALL_DEVICES
            number = RESULTS_MAX if is_all else int(request.get("count") or 0)
            class_name = str(request.get("deviceClassName"))
            most[class_name] = max(most.get(class_name, 0), number)
        totals.update(most)
    return {
        f"{class_name}{BY_DEVICE_CLASS}": Quantity(number * NANOS_PER_UNIT)
        for class_name, number in totals.items()
    }


_MEASURES: Mapping[str, Callable[[Object, float], Quantities]] = {
    "Pod": _pod,
    "Service": _service,
    "PersistentVolumeClaim": _claim,
    "ResourceClaim": _resource_claim,
}


def is_counted(kind: Kind) -> bool:
    """Return whether quotas count objects of a kind."""
    return kind.namespaced and kind.key not in _NOT_COUNTED


def tracked(kind: Kind, names: Iterable[str]) -> list[str]:
    """Return those of a quota's resource names that objects of a kind can use."""
    count = object_count(kind)
    tracks = _TRACKERS.get(kind.key)
    if tracks is None:
        alias = kind.plural if kind.key in COUNTED_BY_NAME else count
        return [name for name in names if name in (count, alias)]
    return [name for name in names if name == count or tracks(name)]


def matches(quota: Object, kind: Kind, obj: Object, hard: Collection[str]) -> bool:
    """Return whether an object counts towards a quota with hard limits for these resource names."""
    return bool(tracked(kind, hard)) and all(
        in_scope(scope, kind.key, obj) for scope in scope_selectors(quota)
    )


def _by_pods(name: str) -> bool:
    if name in _POD_RESOURCES or name.startswith((HUGE_PAGES, REQUESTS_PREFIX + HUGE_PAGES)):
        return True
    return name.startswith(REQUESTS_PREFIX) and is_extended_resource(
        name.removeprefix(REQUESTS_PREFIX)
    )


_TRACKERS: Mapping[str, Callable[[str], bool]] = {
    "Pod": _by_pods,
    "Service": SERVICE_RESOURCES.__contains__,
    "PersistentVolumeClaim": lambda name: (
        name in CLAIM_RESOURCES
        or name.endswith(tuple(BY_STORAGE_CLASS + resource for resource in CLAIM_RESOURCES))
    ),
    "ResourceClaim": lambda name: name.endswith(BY_DEVICE_CLASS),
}


def scope_selectors(quota: Object) -> list[Object]:
    """Return a quota's `scopes` and `scopeSelector` as requirements."""
    spec = spec_of(quota)
    named = [{"scopeName": scope, "operator": "Exists"} for scope in spec.get("scopes") or ()]
    return [*named, *entries(part(spec, "scopeSelector"), "matchExpressions")]


def in_scope(requirement: Object, kind: str, obj: Object) -> bool:
    """Return whether an object meets a scope requirement; only pods and claims can."""
    spec = spec_of(obj)
    match kind, requirement.get("scopeName"):
        case "Pod", "Terminating":
            return has_deadline(obj)
        case "Pod", "NotTerminating":
            return not has_deadline(obj)
        case "Pod", "BestEffort":
            return stored_or_computed_qos(obj) == "BestEffort"
        case "Pod", "NotBestEffort":
            return stored_or_computed_qos(obj) != "BestEffort"
        case "Pod", "PriorityClass":
            named = spec.get("priorityClassName")
            return _selects(requirement, {named} if named else set())
        case "Pod", "CrossNamespacePodAffinity":
            affinity = affinity_of(spec)
            terms = (
                term.get("podAffinityTerm") or term
                for side in ("podAffinity", "podAntiAffinity")
                for strength in (REQUIRED, PREFERRED)
                for term in entries(part(affinity, side), strength)
            )
            return any(
                term.get("namespaces") or term.get("namespaceSelector") is not None
                for term in terms
            )
        case "PersistentVolumeClaim", "VolumeAttributesClass":
            status = status_of(obj)
            names = (
                spec.get("volumeAttributesClassName"),
                status.get("currentVolumeAttributesClassName"),
                part(status, "modifyVolumeStatus").get("targetVolumeAttributesClassName"),
            )
            return _selects(requirement, {name for name in names if name})
    return False


def has_deadline(pod: Object) -> bool:
    """Return whether the pod is in the scope Terminating: it has an `activeDeadlineSeconds`."""
    deadline = spec_of(pod).get("activeDeadlineSeconds")
    return deadline is not None and deadline >= 0


def _selects(requirement: Object, names: set[str]) -> bool:
    values = requirement.get("values") or ()
    match requirement.get("operator"):
        case "Exists":
            return bool(names)
        case "DoesNotExist":
            return not names
        case "In":
            return any(name in values for name in names)
        case "NotIn":
            return not names or any(name not in values for name in names)
    return False
