"""A StatefulSet's pods: their numbers, names and labels, and the claims of their volumes.

Claims are created before the pod. The owner of a claim says when it is deleted: with its pod, with
the StatefulSet, or never.
"""

from collections.abc import Iterator
from typing import Any

from podium.api.objects import (
    Object,
    is_terminating,
    labels,
    metadata_of,
    name,
    namespace,
    owner_references,
    part,
    spec_of,
    uid_of,
)
from podium.api.pod_specs import volumes_of
from podium.api.pods import phase_of
from podium.api.values.integers import INT32, parse_count
from podium.controllers.kit.controller_refs import owner_reference
from podium.controllers.kit.controller_revisions import REVISION_LABEL, template_of
from podium.controllers.kit.pod_control import new_pod
from podium.controllers.kit.workload_fields import available_from_s, min_ready_s
from podium.machines.effects import Create, Effect, patch_of
from podium.machines.reconciler.indexer import Indexer

CLAIM = "PersistentVolumeClaim"


def claim_name(template: Object, pod_name: str) -> str:
    """The name of a pod's claim."""
    return f"{name(template)}-{pod_name}"


def missing_claims(owner: Object, pod_name: str, objects: Indexer) -> Iterator[Effect]:
    """Create the claims of a pod that don't exist."""
    for template, known in _claims(owner, pod_name, objects):
        if known is None:
            selected = part(owner["spec"], "selector", "matchLabels")
            metadata = {
                **metadata_of(template),
                "name": claim_name(template, pod_name),
                "namespace": namespace(owner),
                "labels": {**labels(template), **selected},
            }
            if _goes_with_set(owner):
                metadata["ownerReferences"] = [owner_reference(owner)]
            kind = {"apiVersion": "v1", "kind": CLAIM}
            obj = {**kind, "metadata": metadata, "spec": spec_of(template)}
            yield Create(kind=CLAIM, obj=obj)


def ownership(owner: Object, pod: Object, objects: Indexer, *, leaves: bool) -> Iterator[Effect]:
    """Make the pod or the set the owner of claims that are to be deleted with it."""
    policy = owner["spec"].get("persistentVolumeClaimRetentionPolicy") or {}
    with_pod = leaves and policy.get("whenScaled") == "Delete"
    wanted = {uid_of(owner): _goes_with_set(owner) and not with_pod, uid_of(pod): with_pod}
    for _, claim in _claims(owner, name(pod), objects):
        if claim is None or is_terminating(claim):
            continue
        has = {one.get("uid") for one in owner_references(claim)}
        changes: list[Object] = []
        for one in (owner, pod):
            uid = uid_of(one)
            if wanted[uid] and uid not in has:
                kinds = {"apiVersion": "v1", "kind": "Pod"}
                changes.append(owner_reference({**kinds, **one}))
            elif not wanted[uid] and uid in has:
                changes.append({"$patch": "delete", "uid": uid})
        if changes:
            yield patch_of(CLAIM, claim, {"metadata": {"ownerReferences": changes}})


def is_stale(owner: Object, pod_name: str, objects: Indexer) -> bool:
    """Whether a pod has to wait as a claim of its predecessor is being deleted."""
    found = (claim for _, claim in _claims(owner, pod_name, objects))
    return any(claim is not None and is_terminating(claim) for claim in found)


def _claims(
    owner: Object, pod_name: str, objects: Indexer
) -> Iterator[tuple[Object, Object | None]]:
    place = owner["metadata"].get("namespace") or ""
    for template in owner["spec"].get("volumeClaimTemplates") or ():
        yield template, objects.get(CLAIM, claim_name(template, pod_name), place)


def _goes_with_set(owner: Object) -> bool:
    policy = owner["spec"].get("persistentVolumeClaimRetentionPolicy") or {}
    return bool(policy.get("whenDeleted") == "Delete")


INDEX_LABEL = "apps.kubernetes.io/pod-index"
NAME_LABEL = "statefulset.kubernetes.io/pod-name"


def ordinal_of(owner: Object, pod: Object) -> int | None:
    """The number in a pod's name; None if it isn't named like the StatefulSet's pods."""
    parent, _, number = name(pod).rpartition("-")
    return parse_count(number, INT32) if parent == name(owner) else None


def start_of(owner: Object) -> int:
    """The ordinal of the first pod."""
    return int(part(owner["spec"], "ordinals").get("start") or 0)


def identity_of(owner: Object, ordinal: int) -> dict[str, str]:
    """The labels with a pod's number and name."""
    return {INDEX_LABEL: str(ordinal), NAME_LABEL: f"{name(owner)}-{ordinal}"}


def numbered_pod(owner: Object, ordinal: int, revision: Object) -> Object:
    """A new pod of one of the StatefulSet's revisions."""
    template, called = template_of(revision), f"{name(owner)}-{ordinal}"
    claims = owner["spec"].get("volumeClaimTemplates") or ()
    claimed = {name(claim) for claim in claims}
    volumes: list[Object] = [
        {"name": name(claim), "persistentVolumeClaim": {"claimName": claim_name(claim, called)}}
        for claim in claims
    ]
    others = volumes_of(spec_of(template))
    volumes += [one for one in others if one.get("name") not in claimed]
    # What differs from the template's spec: its address, and its own volumes.
    extra: dict[str, Any] = {"hostname": called}
    if owner["spec"].get("serviceName"):
        extra["subdomain"] = owner["spec"]["serviceName"]
    if volumes:
        extra["volumes"] = volumes
    return new_pod(
        {**owner, "spec": {**owner["spec"], "template": template}},
        called=called,
        extra_labels={**identity_of(owner, ordinal), REVISION_LABEL: name(revision)},
        extra_spec=extra,
    )


def available_since_s(owner: Object, pod: Object) -> float | None:
    """When a pod became or becomes available; None if it doesn't run, or isn't ready."""
    return available_from_s(pod, min_ready_s(owner)) if phase_of(pod) == "Running" else None


def serves(owner: Object, pod: Object, now_s: float) -> bool:
    """Whether a pod runs, is available, and isn't terminating."""
    from_s = available_since_s(owner, pod)
    return from_s is not None and from_s <= now_s and not is_terminating(pod)
