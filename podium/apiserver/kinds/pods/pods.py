"""Pods: defaults, also of templates, preparation of pods and of their status, and warnings."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, annotations, entries, part, spec_of, status_of, without
from podium.api.objects import labels as labels_of
from podium.api.pods import resources_of
from podium.api.resources import pod_limits, pod_requests, qos_class
from podium.api.values.quantity import Format, Quantity
from podium.apiserver.kinds.pods import pod_subresources
from podium.apiserver.kinds.pods.pod_updates import status_update, update
from podium.apiserver.kinds.registration.defaulting import (
    defaults_of,
    every,
    filled,
    filled_by_schema,
    inside,
    remembered,
    with_field,
)
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.strategy import Creation
from podium.apiserver.kinds.tables import pod_cells
from podium.apiserver.long_work import apart
from podium.apiserver.schema.struct_types import core_struct
from podium.apiserver.validation import checks
from podium.apiserver.validation.pods import pod_warnings
from podium.apiserver.validation.pods.pod_validation import gated_on_no_node
from podium.apiserver.validation.pods.pod_validation import pod as pod_check

_POD_LEVEL = ("cpu", "memory")
_SELECTING = frozenset({"affinity", "topologySpreadConstraints"})
_HUGE_PAGES = "hugepages-"
_NAME = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_HOST = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
# The registry of an image, its name, and its tag and digest.
_IMAGE = re.compile(
    rf"(?:(?:{_HOST}(?:\.{_HOST})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?/)?{_NAME}(?:/{_NAME})*"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?:@(?P<digest>[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,}))?",
    re.ASCII,
)


@defaults_of("core.EphemeralContainer")
# The name of a token's volume differs in each pod.
@defaults_of("core.Container", remembered_but="volumeMounts")
def _container(container: Object) -> Object:
    return filled(container, imagePullPolicy=_pull_policy(str(container.get("image") or "")))


def _pull_policy(image: str) -> str:
    # Text that names no image counts as one of a fixed version.
    named = _IMAGE.fullmatch(image)
    is_latest = named and (named["tag"] == "latest" or not (named["tag"] or named["digest"]))
    return "Always" if is_latest else "IfNotPresent"


@defaults_of("core.PodSpec")
def _with_account(spec: Object) -> Object:
    # Two fields have the name of the service account; the newer one takes precedence.
    named = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if not named or spec.get("serviceAccountName") == spec.get("serviceAccount"):
        return spec
    return {**spec, "serviceAccountName": named, "serviceAccount": named}


@defaults_of("core.ImageVolumeSource")
def _image(image: Object) -> Object:
    return filled(image, pullPolicy=_pull_policy(str(image.get("reference") or "")))


@defaults_of("core.Volume", remembered_but="name")
def _volume(volume: Object) -> Object:
    # A volume without a source is an empty directory.
    has_source = any(value is not None for name, value in volume.items() if name != "name")
    return volume if has_source else {**volume, "emptyDir": {}}


def pod(pod: Object) -> Object:
    """Return a pod with defaults; unlike in templates, missing requests are copied from limits."""
    return inside(pod, spec=_remembered_spec)


def _whole_spec(spec: Object) -> Object:
    spec = filled(filled_by_schema(spec, core_struct("PodSpec")), enableServiceLinks=True)
    spec = inside(
        spec,
        terminationGracePeriodSeconds=lambda grace_s: grace_s if grace_s >= 0 else 1,
        initContainers=every(_requests_from_limits),
        containers=every(_requests_from_limits),
    )
    spec = _pod_level(spec)
    if spec.get("hostNetwork"):
        spec = inside(spec, initContainers=every(_node_ports), containers=every(_node_ports))
    return spec


def _node_ports(container: Object) -> Object:
    def port(port: Object) -> Object:
        return port if port.get("hostPort") else {**port, "hostPort": port.get("containerPort")}

    return inside(container, ports=every(port))


_remembered_spec = remembered(_whole_spec, "nodeName", "hostname")


def _requests_from_limits(container: Object) -> Object:
    resources = resources_of(container)
    requests = part(resources, "requests")
    missing = without(part(resources, "limits"), *requests)
    if not missing:
        return container
    return {**container, "resources": {**resources, "requests": {**requests, **missing}}}


def _pod_level(spec: Object) -> Object:
    # If a pod has resources of its own, limits of huge pages are taken from the containers, and, if
    # there are limits, requests from the sum of the containers' and otherwise from the limits.
    resources = spec.get("resources")
    if not resources or not (resources.get("limits") or resources.get("requests")):
        return spec
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, nanos in pod_limits({"spec": _containers(spec)}).items():
        if name.startswith(_HUGE_PAGES) and name not in requests and name not in limits:
            limits = {**limits, name: _text(name, nanos)}
    if limits:
        together = {
            name: _text(name, nanos)
            for name, nanos in pod_requests({"spec": _containers(spec)}).items()
            if name in _POD_LEVEL
        }
        limited = {
            name: limit
            for name, limit in limits.items()
            if name in _POD_LEVEL or name.startswith(_HUGE_PAGES)
        }
        requests = {**limited, **together, **requests}
    full = {**resources}
    if limits:
        full["limits"] = limits
    if requests:
        full["requests"] = requests
    return spec if full == resources else with_field(spec, "resources", full)


def _containers(spec: Object) -> Object:
    return {name: spec.get(name) for name in ("initContainers", "containers")}


def _text(name: str, nanos: int) -> str:
    return str(Quantity(nanos, Format.DECIMAL_SI if name == "cpu" else Format.BINARY_SI))


def merge_label_keys(pod: Object) -> Object:
    """Merge `matchLabelKeys` and `mismatchLabelKeys` into the label selectors of their terms.

    As in kube-apiserver, this is done when a pod (not a template) is created: the pod's own value
    of each key becomes a requirement of the selector. A term without selector selects nothing and
    isn't changed. Merging again changes nothing.
    """
    if _SELECTING.isdisjoint(spec_of(pod)):
        return pod
    labels = labels_of(pod)

    def affinity_term(term: Object) -> Object:
        return _merged(
            _merged(term, "matchLabelKeys", "In", labels), "mismatchLabelKeys", "NotIn", labels
        )

    def of_both_strengths(affinity: Object) -> Object:
        return inside(
            affinity,
            requiredDuringSchedulingIgnoredDuringExecution=every(affinity_term),
            preferredDuringSchedulingIgnoredDuringExecution=every(
                lambda weighted: inside(weighted, podAffinityTerm=affinity_term)
            ),
        )

    both = dict.fromkeys(("podAffinity", "podAntiAffinity"), of_both_strengths)
    merged = inside(
        spec_of(pod),
        affinity=lambda affinity: inside(affinity, **both),
        topologySpreadConstraints=every(lambda one: _merged(one, "matchLabelKeys", "In", labels)),
    )
    return with_field(pod, "spec", merged)


def _merged(term: Object, field: str, operator: str, labels: Mapping[str, str]) -> Object:
    selector = term.get("labelSelector")
    if selector is None:
        return term
    present: list[Any] = selector.get("matchExpressions") or []
    conditions = (
        {"key": key, "operator": operator, "values": [labels[key]]}
        for key in term.get(field) or ()
        if key in labels
    )
    there = {json.dumps(condition, sort_keys=True) for condition in present}
    new = [one for one in conditions if json.dumps(one, sort_keys=True) not in there]
    if not new:
        return term
    return {**term, "labelSelector": {**selector, "matchExpressions": [*present, *new]}}


_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
_GATED = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "SchedulingGated",
    "message": "Scheduling is blocked due to non-empty scheduling gates",
}


def _create(pod: Object, _creation: Creation) -> Object:
    status: dict[str, Any] = {"phase": "Pending"}
    if pod["spec"].get("schedulingGates"):
        status["conditions"] = [_GATED]
    status["qosClass"] = apart(qos_class, pod)
    return {**_with_app_armor(pod), "status": status}


def _with_app_armor(pod: Object) -> Object:
    spec, notes = pod["spec"], annotations(pod)
    if not any(name.startswith(pod_warnings.APP_ARMOR) for name in notes) or _is_for_windows(spec):
        return pod
    of_pod = part(spec, "securityContext").get("appArmorProfile")

    def profiled(container: Object) -> Object:
        profile = pod_warnings.app_armor_profile(
            notes.get(f"{pod_warnings.APP_ARMOR}{container.get('name', '')}") or ""
        )
        security = part(container, "securityContext")
        if profile in (None, of_pod) or security.get("appArmorProfile") is not None:
            return container
        return {**container, "securityContext": {**security, "appArmorProfile": profile}}

    return {**pod, "spec": inside(spec, **dict.fromkeys(_CONTAINERS, every(profiled)))}


def _is_for_windows(spec: Object) -> bool:
    return bool(part(spec, "os").get("name") == "windows")


def _warnings(pod: Object, sent: Object) -> Iterator[str]:
    yield from pod_warnings.name_warnings(pod, "the Pod's hostname")
    if not _is_for_windows(pod["spec"]):
        yield from pod_warnings.app_armor_warnings(sent)
    yield from pod_warnings.pod_warnings(pod)


def _update_status(new: Object, old: Object, _now_s: float) -> Object:
    # The owners and the QoS class never change by the status. Observed generations are kept if they
    # are absent, as some clients don't know the field.
    owners = old["metadata"].get("ownerReferences")
    if new["metadata"].get("ownerReferences") != owners:
        own = {"ownerReferences": owners} if owners else {}
        new = {**new, "metadata": {**without(new["metadata"], "ownerReferences"), **own}}
    status, before = status_of(new), status_of(old)
    kept: dict[str, Any] = {
        field: before[field]
        for field in ("qosClass", "observedGeneration")
        if before.get(field) and not status.get(field)
    }
    conditions, known = entries(status, "conditions"), entries(before, "conditions")
    are_observed = bool(conditions) and all(one.get("observedGeneration") for one in conditions)
    generations: dict[str, list[int]] = defaultdict(list)
    if conditions is not known and not are_observed:
        # Several conditions may have one type; their generations are popped from the end.
        for condition in reversed(known):
            generations[condition.get("type", "")].append(condition.get("observedGeneration") or 0)
    if any(map(any, generations.values())):
        kept["conditions"] = []
        for condition in conditions:
            left = generations[condition.get("type", "")]
            generation = left.pop() if left else 0
            if generation and not condition.get("observedGeneration"):
                condition = {**condition, "observedGeneration": generation}
            kept["conditions"].append(condition)
    return {**new, "status": {**status, **kept}} if kept else new


POD = Registration(
    kind=KINDS["Pod"],
    is_filled_by_schema=False,
    defaults=pod,
    defaults_of_new=merge_label_keys,
    warnings_of_new=_warnings,
    validate=pod_check,
    validate_new=checks.both(pod_subresources.no_ephemeral_containers, gated_on_no_node),
    validate_update=update,
    validate_subresource_update={
        "ephemeralcontainers": pod_subresources.ephemeral_containers_update,
        "resize": pod_subresources.resize_update,
        "status": status_update,
    },
    create=_create,
    subresources={
        "ephemeralcontainers": pod_subresources.with_ephemeral_containers,
        "resize": pod_subresources.resized,
        "status": _update_status,
    },
    selectable={"status.podIP": pod_cells.ip},
)
