"""Pods: preparation of new pods and of status updates, and warnings."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, annotations, entries, part, status_of, without
from podium.api.qos import qos_class
from podium.apiserver.kinds.pods import pod_subresources
from podium.apiserver.kinds.pods.pod_templates import merge_label_keys, pod
from podium.apiserver.kinds.pods.pod_updates import status_update, update
from podium.apiserver.kinds.registration.defaulting import every, inside
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.strategy import Creation
from podium.apiserver.kinds.tables import pod_cells
from podium.apiserver.long_work import apart
from podium.apiserver.validation import checks
from podium.apiserver.validation.pods import pod_warnings
from podium.apiserver.validation.pods.pod_validation import gated_on_no_node
from podium.apiserver.validation.pods.pod_validation import pod as pod_check

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
