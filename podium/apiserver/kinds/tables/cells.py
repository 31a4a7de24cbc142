"""Functions that compute cells of tables, from the arguments in `columns.txt`, object and time."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from podium.api.objects import (
    Object,
    condition_of,
    controller_of,
    entries,
    is_terminating,
    labels,
    part,
    spec_of,
    status_of,
)
from podium.api.objects import name as name_of
from podium.api.selectors.labels import SelectorError, equality_selector, label_selector
from podium.api.values.quantity import Quantity, parse_quantity
from podium.api.volumes.claims_and_volumes import is_default_class, storage_class_name
from podium.apiserver.kinds.registration.rules import at
from podium.apiserver.kinds.tables import ages
from podium.apiserver.schema.json_paths import found_at, steps

Cell = str | int | bool | None
Read = Callable[[Object, float], Cell]

NONE = "<none>"
UNSET = "<unset>"
_ROLE_PREFIX = "node-role.kubernetes.io/"
_ROLE_LABEL = "kubernetes.io/role"
_SHOWN_MAX = 3
_SHOWN_METRICS_MAX = 2
_SHORT_MODES = (
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
)


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[str, ...] | None:
    try:
        return steps(path)
    except ValueError:
        return None


def value_at(obj: Object, path: str) -> Any:
    """Return the first value at a JSONPath; None if there is none."""
    names = _steps(path)
    if names is None:
        return next(iter(found_at(obj, path)), None)
    value: Any = obj
    for key in names:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def count(*arguments: Any) -> int:
    """Count the entries of the lists or maps at these paths of an object."""
    *paths, obj, _now_s = arguments
    return sum(len(value_at(obj, path) or ()) for path in paths)


def selector(path: str, if_invalid: str, obj: Object, _now_s: float) -> str:
    """Format the LabelSelector at a path in the short form; `if_invalid` if it isn't valid."""
    try:
        return str(label_selector(value_at(obj, path)))
    except SelectorError:
        return if_invalid


def pair(path: str, first: str, second: str, missing: str, obj: Object, _now_s: float) -> str:
    """Format two fields as `kind/name`; an empty field becomes `missing`."""
    value = value_at(obj, path)
    return f"{value.get(first) or missing}/{value.get(second) or missing}" if value else ""


def revision_controller(revision: Object, _now_s: float) -> str:
    """Format the controller of a revision, such as `daemonset.apps/agent`."""
    owner = controller_of(revision)
    if owner is None:
        return NONE
    group = str(owner.get("apiVersion", "")).rpartition("/")[0]
    kind = f"{owner['kind']}.{group}" if group else owner["kind"]
    return f"{kind.lower()}/{owner['name']}"


def job_status(job: Object, _now_s: float) -> str:
    """Return the state of a Job, such as `Complete`, `Suspended` or `Running`."""
    conditions = at(job, "status.conditions") or ()
    held = {condition.get("type") for condition in conditions if condition.get("status") == "True"}
    # A deletion stands between the conditions that are final and those that aren't.
    shown = [one for one in ("Complete", "Failed") if one in held]
    shown += ["Terminating"] if is_terminating(job) else []
    shown += [one for one in ("Suspended", "FailureTarget") if one in held]
    return shown[0] if shown else "Running"


def job_completions(job: Object, _now_s: float) -> str:
    """Format the succeeded and wanted pods of a Job, such as `1/5` or `1/1 of 3`."""
    succeeded = at(job, "status.succeeded") or 0
    completions = at(job, "spec.completions")
    if completions is not None:
        return f"{succeeded}/{completions}"
    parallelism = at(job, "spec.parallelism") or 0
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def job_duration(job: Object, now_s: float) -> str:
    """Return how long a Job ran, or has run so far."""
    start, end = at(job, "status.startTime"), at(job, "status.completionTime")
    if not start:
        return ""
    return ages.between(start, end) if end else ages.since(start, now_s)


def node_status(node: Object, _now_s: float) -> str:
    """Return the STATUS of a node, such as `Ready` or `NotReady,SchedulingDisabled`."""
    ready = "Unknown"
    for condition in at(node, "status.conditions") or ():
        if condition.get("type") == "Ready":
            ready = "Ready" if condition.get("status") == "True" else "NotReady"
    return f"{ready},SchedulingDisabled" if at(node, "spec.unschedulable") else ready


def node_roles(node: Object, _now_s: float) -> str:
    """Format the roles in the labels of a node."""
    roles = {key.removeprefix(_ROLE_PREFIX) for key in labels(node) if key.startswith(_ROLE_PREFIX)}
    roles.add(labels(node).get(_ROLE_LABEL, ""))
    return ",".join(sorted(roles - {""})) or NONE


def measured(resource: str, metrics: Object, _now_s: float) -> str:
    """Format the usage of a NodeMetrics object, or the sum of the containers of a PodMetrics."""
    parts = metrics.get("containers") or [metrics]
    amounts = [parse_quantity(part["usage"][resource]) for part in parts]
    return str(Quantity(sum(amount.nanos for amount in amounts), amounts[0].format))


def _shortened(texts: Iterable[str], if_empty: str) -> str:
    every = list(texts)
    shown = ",".join(every[:_SHOWN_MAX])
    more = len(every) - _SHOWN_MAX
    return f"{shown} + {more} more..." if more > 0 else shown or if_empty


def balancer_addresses(obj: Object, _now_s: float) -> str:
    """Return the addresses of the load balancer of a Service or Ingress, sorted."""
    ingress = at(obj, "status.loadBalancer.ingress") or ()
    return ",".join(sorted({one.get("ip") or one.get("hostname") or "" for one in ingress} - {""}))


def service_external_ip(service: Object, now_s: float) -> str:
    """Format the addresses at which a Service is reachable from outside the cluster."""
    own = at(service, "spec.externalIPs") or []
    match at(service, "spec.type"):
        case "ClusterIP" | "NodePort":
            return ",".join(own) or NONE
        case "LoadBalancer":
            return ",".join(filter(None, [balancer_addresses(service, now_s), *own])) or "<pending>"
        case "ExternalName":
            return str(at(service, "spec.externalName") or "")
    return "<unknown>"


def service_ports(service: Object, _now_s: float) -> str:
    """Format the ports of a Service, such as `80:30080/TCP`."""
    shown = []
    for port in entries(spec_of(service), "ports"):
        outside = f":{port['nodePort']}" if port.get("nodePort") else ""
        shown.append(f"{port.get('port', 0)}{outside}/{port.get('protocol', '')}")
    return ",".join(shown) or NONE


def endpoints(endpoints: Object, _now_s: float) -> str:
    """Format the first addresses and ports of Endpoints."""
    subsets = endpoints.get("subsets") or ()
    shown: list[str] = []
    for subset in subsets:
        addresses = [address.get("ip", "") for address in subset.get("addresses") or ()]
        # A headless service may have no ports at all.
        if not subset.get("ports"):
            shown += addresses
        for port in subset.get("ports") or ():
            hosts = (f"[{address}]" if ":" in address else address for address in addresses)
            shown += [f"{host}:{port.get('port', 0)}" for host in hosts]
    return _shortened(shown, "" if subsets else NONE)


def slice_ports(endpoint_slice: Object, _now_s: float) -> str:
    """Format the first ports of an EndpointSlice; `*` for every port."""
    ports = entries(endpoint_slice, "ports")
    # One without number or name stands for every port.
    known = ([port[key] for key in ("port", "name") if port.get(key) is not None] for port in ports)
    return _shortened((str(values[0]) if values else "*" for values in known), UNSET)


def slice_endpoints(endpoint_slice: Object, _now_s: float) -> str:
    """Format the first addresses of an EndpointSlice."""
    found = entries(endpoint_slice, "endpoints")
    return _shortened((address for e in found for address in entries(e, "addresses")), UNSET)


def ingress_hosts(ingress: Object, _now_s: float) -> str:
    """Format the first hosts of an Ingress; `*` for every host."""
    rules = entries(spec_of(ingress), "rules")
    hosts: list[str] = []
    for rule in rules:
        if len(hosts) == _SHOWN_MAX:
            return f"{','.join(hosts)} + {len(rules) - _SHOWN_MAX} more..."
        if rule.get("host"):
            hosts.append(rule["host"])
    return ",".join(hosts) or "*"


def ingress_parameters(ingress_class: Object, _now_s: float) -> str:
    """Format the parameters of an IngressClass, such as `Settings.example.com/own`."""
    parameters = part(spec_of(ingress_class), "parameters")
    group = f".{parameters['apiGroup']}" if parameters.get("apiGroup") else ""
    return f"{parameters.get('kind', '')}{group}/{parameters.get('name', '')}" if parameters else ""


def quota_usage(what: str, quota: Object, _now_s: float) -> str:
    """Format used and hard amounts of a quota: its `limits.*`, or all its other resources."""
    used, hard = (part(status_of(quota), field) for field in ("used", "hard"))
    return ", ".join(
        f"{resource}: {used.get(resource, '0')}/{hard[resource]}"
        for resource in sorted(hard)
        if resource.startswith("limits.") is (what == "limits")
    )


def subjects(kind: str, binding: Object, _now_s: float) -> str:
    """Format the subjects of one kind of a role binding."""
    of_kind = [subject for subject in entries(binding, "subjects") if subject["kind"] == kind]
    if kind == "ServiceAccount":
        return ", ".join(f"{one.get('namespace') or ''}/{one['name']}" for one in of_kind)
    return ", ".join(one["name"] for one in of_kind)


def service_available(service: Object, _now_s: float) -> str:
    """Return whether an APIService is available, with the reason if it isn't."""
    condition = condition_of(service, "Available")
    if condition is None or condition.get("status") == "True":
        return "Unknown" if condition is None else "True"
    return f"{condition.get('status')} ({condition.get('reason', '')})"


def signing_decision(request: Object, _now_s: float) -> str:
    """Return the decisions on a CertificateSigningRequest, such as `Approved,Issued`."""
    types = [condition.get("type", "") for condition in entries(status_of(request), "conditions")]
    shown = [one for one in ("Approved", "Denied", "Failed") if one in types] or ["Pending"]
    return ",".join([*shown, *(["Issued"] if at(request, "status.certificate") else [])])


def autoscaler_targets(autoscaler: Object, _now_s: float) -> str:
    """Format the first metrics of an autoscaler, such as `cpu: 40%/80%`."""
    metrics = entries(spec_of(autoscaler), "metrics")
    current = entries(status_of(autoscaler), "currentMetrics")
    shown = [
        _metric(metric, current[index] if index < len(current) else {})
        for index, metric in enumerate(metrics[:_SHOWN_METRICS_MAX])
    ]
    more = len(metrics) - _SHOWN_METRICS_MAX
    return ", ".join(shown) + (f" + {more} more..." if more > 0 else "")


def _metric(metric: Object, status: Object) -> str:
    kind = metric.get("type", "")
    if kind not in ("External", "Pods", "Object", "Resource", "ContainerResource"):
        return "<unknown type>"
    field = f"{kind[:1].lower()}{kind[1:]}"
    target, current = part(metric, field, "target"), part(status, field, "current")
    is_resource = kind.endswith("Resource")
    unit, suffix = "", ""
    if target.get("averageValue") is not None:
        now, wanted = current.get("averageValue"), target["averageValue"]
        suffix = " (avg)" if kind in ("External", "Object") else ""
    elif is_resource:
        now, wanted, unit = current.get("averageUtilization"), target.get("averageUtilization"), "%"
    else:
        now, wanted = current.get("value"), target.get("value", "")
    name = f"{part(metric, field).get('name', '')}: " if is_resource else ""
    known = "<unknown>" if now is None else f"{now}{unit}"
    return f"{name}{known}/{'<auto>' if wanted is None else f'{wanted}{unit}'}{suffix}"


def event_first_seen(event: Object, now_s: float) -> str:
    """Return the time since an event was first seen."""
    return ages.since(event.get("firstTimestamp") or event.get("eventTime"), now_s)


def event_last_seen(event: Object, now_s: float) -> str:
    """Return the time since an event was last seen."""
    if event.get("series"):
        return ages.since(at(event, "series.lastObservedTime"), now_s)
    last = event.get("lastTimestamp")
    return ages.since(last, now_s) if last else event_first_seen(event, now_s)


def event_source(event: Object, _now_s: float) -> str:
    """Format the component that reported an event, and its host."""
    component = at(event, "source.component") or event.get("reportingComponent") or ""
    instance = at(event, "source.host") or event.get("reportingInstance") or ""
    return f"{component}, {instance}" if instance else str(component)


def token_audiences(driver: Object, _now_s: float) -> str:
    """Return the audiences of the tokens that a CSI driver requests."""
    requests = at(driver, "spec.tokenRequests")
    shown = (str(request.get("audience", "")) for request in requests or ())
    return UNSET if requests is None else ",".join(shown)


def event_object(event: Object, _now_s: float) -> str:
    """Format the object that an event is about, such as `pod/web-0`."""
    kind = str(at(event, "involvedObject.kind") or "").lower()
    involved = at(event, "involvedObject.name")
    return f"{kind}/{involved}" if involved else kind


def _short_modes(modes: Any) -> str:
    return ",".join(short for mode, short in _SHORT_MODES if mode in (modes or ()))


def _claim_states(claim: Object) -> Iterator[str]:
    status = status_of(claim)
    if is_terminating(claim):
        yield "deleted"
    if status.get("allocation") is None:
        yield from () if is_terminating(claim) else ("pending",)
    else:
        yield "allocated"
        yield from ("reserved",) if status.get("reservedFor") else ()


CELLS: Mapping[str, Callable[..., Cell]] = {
    "access_modes": lambda path, obj, _: _short_modes(value_at(obj, path)),
    "claimed_modes": lambda claim, _: (
        _short_modes(at(claim, "status.accessModes")) if at(claim, "spec.volumeName") else ""
    ),
    "claimed_capacity": lambda claim, _: (
        str(at(claim, "status.capacity.storage") or "0") if at(claim, "spec.volumeName") else ""
    ),
    "condition": lambda kind, field, obj, _: (condition_of(obj, kind) or {}).get(field),
    "cron_job_suspended": lambda cron_job, _: (
        UNSET if at(cron_job, "spec.suspend") is None else str(bool(at(cron_job, "spec.suspend")))
    ),
    "default_marked": lambda storage_class, _: (
        f"{name_of(storage_class)}{' (default)' if is_default_class(storage_class) else ''}"
    ),
    "either": lambda path, if_there, otherwise, obj, _: (
        if_there if value_at(obj, path) else otherwise
    ),
    "event_count": lambda event, _: int(
        (at(event, "series.count") or 0) if event.get("series") else (event.get("count") or 1)
    ),
    "event_message": lambda event, _: str(event.get("message") or "").strip(),
    "ingress_ports": lambda ingress, _: "80, 443" if at(ingress, "spec.tls") else "80",
    "joined": lambda path, obj, _: ",".join(map(str, found_at(obj, path))),
    "labels_at": lambda path, obj, _: str(equality_selector(value_at(obj, path))) or NONE,
    "node_address": lambda kind, node, _: next(
        (
            address.get("address") or ""
            for address in entries(status_of(node), "addresses")
            if address.get("type") == kind
        ),
        NONE,
    ),
    "ready_of_desired": lambda workload, _: (
        f"{at(workload, 'status.readyReplicas') or 0}/{at(workload, 'spec.replicas') or 0}"
    ),
    "requested_duration": lambda request, _: (
        ages.human_duration(seconds)
        if (seconds := at(request, "spec.expirationSeconds")) is not None
        else ""
    ),
    "since": lambda path, obj, now_s: (
        ages.since(value_at(obj, path), now_s) if value_at(obj, path) else ""
    ),
    "claim_state": lambda obj, _: ",".join(_claim_states(obj)),
    "volume_class": lambda obj, _: storage_class_name(obj),
    "volume_phase": lambda obj, _: (
        "Terminating" if is_terminating(obj) else str(at(obj, "status.phase") or "")
    ),
}
"""The cells that are a single expression, by name; arguments are those of the functions."""
