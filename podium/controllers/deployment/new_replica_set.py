"""What a Deployment writes on its ReplicaSets: revisions, and what it wants of how many."""

from typing import Any

from podium.api.objects import Object, annotations, labels, metadata_of, name, part, status_of
from podium.api.well_known import HASH_LABEL, LAST_APPLIED
from podium.api.workloads import replicas_of
from podium.controllers.deployment.replica_set_sizes import (
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    max_surge,
    new_size,
)
from podium.controllers.deployment.replica_sets import REVISION, OwnedReplicaSets, revision_of
from podium.controllers.kit.controller_refs import owner_reference
from podium.controllers.kit.pod_templates import hash_of

REVISION_HISTORY = "deployment.kubernetes.io/revision-history"
HISTORY_LENGTH_MAX = 2000

_NOT_COPIED = frozenset(
    {
        LAST_APPLIED,
        "deprecated.deployment.rollback.to",
        REVISION,
        REVISION_HISTORY,
        DESIRED_REPLICAS,
        MAX_REPLICAS,
    }
)


def new_replica_set(deployment: Object, owned: OwnedReplicaSets) -> Object:
    """The ReplicaSet of a Deployment's template, which isn't there yet."""
    spec = deployment["spec"]
    template = spec["template"]
    collisions = int(status_of(deployment).get("collisionCount") or 0)
    hashed = {HASH_LABEL: hash_of(template, collisions)}
    carried = {**labels(template), **hashed}
    selector = spec.get("selector") or {}
    notes = {**_copied(deployment), **size_notes(deployment)}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{name(deployment)}-{hashed[HASH_LABEL]}",
            "namespace": deployment["metadata"].get("namespace") or "",
            "labels": carried,
            "annotations": {**notes, REVISION: str(_next_revision(owned))},
            "ownerReferences": [owner_reference(deployment)],
        },
        "spec": {
            "replicas": new_size(deployment, owned),
            "minReadySeconds": spec.get("minReadySeconds") or 0,
            "selector": {
                **selector,
                "matchLabels": {**part(selector, "matchLabels"), **hashed},
            },
            "template": {**template, "metadata": {**metadata_of(template), "labels": carried}},
        },
    }


def size_notes(deployment: Object) -> dict[str, str]:
    """The annotations by which later changes of scale are told from steps of a rollout."""
    wanted = replicas_of(deployment)
    return {DESIRED_REPLICAS: str(wanted), MAX_REPLICAS: str(wanted + max_surge(deployment))}


def outdated_fields(deployment: Object, owned: OwnedReplicaSets) -> dict[str, Any]:
    """What of the new ReplicaSet isn't as the Deployment has it, as the body of a patch."""
    assert owned.new is not None
    known = annotations(owned.new)
    notes = {**_copied(deployment), **_revised(owned)}
    changed = {key: value for key, value in notes.items() if known.get(key) != value}
    body: dict[str, Any] = {"metadata": {"annotations": changed}} if changed else {}
    min_ready_s = deployment["spec"].get("minReadySeconds") or 0
    if (owned.new["spec"].get("minReadySeconds") or 0) != min_ready_s:
        body["spec"] = {"minReadySeconds": min_ready_s}
    return body


def _copied(deployment: Object) -> dict[str, str]:
    found = annotations(deployment).items()
    return {key: value for key, value in found if key not in _NOT_COPIED}


def _revised(owned: OwnedReplicaSets) -> dict[str, str]:
    """The new revision of a ReplicaSet that becomes the newest (again); a rollback, usually."""
    assert owned.new is not None
    revision, before = _next_revision(owned), annotations(owned.new).get(REVISION)
    if revision_of(owned.new) >= revision:
        return {}
    revised = {REVISION: str(revision)}
    if before:
        past = annotations(owned.new).get(REVISION_HISTORY)
        revised[REVISION_HISTORY] = _shortened(f"{past},{before}" if past else before)
    return revised


def _next_revision(owned: OwnedReplicaSets) -> int:
    return max(map(revision_of, owned.old), default=0) + 1


def _shortened(history: str) -> str:
    """The history without its oldest entries, if it is too long."""
    while len(history) > HISTORY_LENGTH_MAX and "," in history:
        history = history.partition(",")[2]
    return history
