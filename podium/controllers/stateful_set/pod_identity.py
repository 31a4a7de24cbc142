"""A StatefulSet's pods: their numbers, names and labels, and which volumes they have."""

from typing import Any

from podium.api.objects import Object, is_terminating, name, part, spec_of
from podium.api.pod_specs import volumes_of
from podium.api.pods import phase_of
from podium.api.values.integers import INT32, parse_count
from podium.controllers.kit.controller_revisions import REVISION_LABEL, template_of
from podium.controllers.kit.pod_control import new_pod
from podium.controllers.kit.workload_fields import available_from_s, min_ready_s
from podium.controllers.stateful_set.volume_claims import claim_name

INDEX_LABEL = "apps.kubernetes.io/pod-index"
NAME_LABEL = "statefulset.kubernetes.io/pod-name"


def ordinal_of(owner: Object, pod: Object) -> int | None:
    """The pod's number; None if it isn't named as the StatefulSet's pods are."""
    parent, _, number = name(pod).rpartition("-")
    return parse_count(number, INT32) if parent == name(owner) else None


def start_of(owner: Object) -> int:
    """The number of the first pod."""
    return int(part(owner["spec"], "ordinals").get("start") or 0)


def identity_of(owner: Object, ordinal: int) -> dict[str, str]:
    """The labels by which a pod is known."""
    return {INDEX_LABEL: str(ordinal), NAME_LABEL: f"{name(owner)}-{ordinal}"}


def numbered_spec(owner: Object, ordinal: int, spec: Object) -> dict[str, Any]:
    """What of a pod's spec differs from the template's: its address, and its own volumes."""
    called = f"{name(owner)}-{ordinal}"
    claims = owner["spec"].get("volumeClaimTemplates") or ()
    claimed = {name(claim) for claim in claims}
    volumes: list[Object] = [
        {"name": name(claim), "persistentVolumeClaim": {"claimName": claim_name(claim, called)}}
        for claim in claims
    ]
    volumes += [one for one in volumes_of(spec) if one.get("name") not in claimed]
    extra: dict[str, Any] = {"hostname": called}
    if owner["spec"].get("serviceName"):
        extra["subdomain"] = owner["spec"]["serviceName"]
    if volumes:
        extra["volumes"] = volumes
    return extra


def numbered_pod(owner: Object, ordinal: int, revision: Object) -> Object:
    """A new pod of one of the StatefulSet's revisions."""
    template = template_of(revision)
    then = {**owner, "spec": {**owner["spec"], "template": template}}
    return new_pod(
        then,
        called=f"{name(owner)}-{ordinal}",
        extra_labels={**identity_of(owner, ordinal), REVISION_LABEL: name(revision)},
        extra_spec=numbered_spec(owner, ordinal, spec_of(template)),
    )


def available_since_s(owner: Object, pod: Object) -> float | None:
    """From when on a pod counts as available; None if it doesn't run, or isn't ready."""
    if phase_of(pod) != "Running":
        return None
    return available_from_s(pod, min_ready_s(owner))


def serves(owner: Object, pod: Object, now_s: float) -> bool:
    """Whether a pod runs, is available, and isn't on its way out."""
    from_s = available_since_s(owner, pod)
    return from_s is not None and from_s <= now_s and not is_terminating(pod)
