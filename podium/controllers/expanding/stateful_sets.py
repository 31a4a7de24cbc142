"""StatefulSets: numbered pods that keep their names, each with claims of its own."""

import re
from collections.abc import Mapping
from typing import Any

from podium.api.meta import is_finished, is_terminating, labels, name, namespace
from podium.controllers.expanding.expansion import Expansion, label_of, pod_from_template
from podium.controllers.expanding.replica_sets import deletion_note
from podium.controllers.expanding.view import ClusterView
from podium.controllers.naming import template_hash

Object = Mapping[str, Any]

INDEX_LABEL = "apps.kubernetes.io/pod-index"
NAME_LABEL = "statefulset.kubernetes.io/pod-name"
REVISION_LABEL = "controller-revision-hash"


def expand_stateful_set(owner: Object, view: ClusterView, now: int | None) -> Expansion:
    """What a StatefulSet does, once each of its pods has become ready in turn.

    Existing pods stay, whatever template they were made of, unless they are finished.
    """
    spec = owner["spec"]
    start = int((spec.get("ordinals") or {}).get("start") or 0)
    wanted = 1 if spec.get("replicas") is None else int(spec["replicas"])
    present = _by_ordinal(owner, view)
    expansion = Expansion()
    for ordinal in range(start, start + wanted):
        pod = present.pop(ordinal, None)
        if pod is not None and is_terminating(pod):
            expansion.notes.append(f"{label_of(owner)} makes {name(pod)} anew once it is gone")
        elif pod is None or is_finished(pod):
            expansion.surplus += [] if pod is None else [pod]
            expansion.pods.append(_pod(owner, ordinal))
            expansion.objects += _claims(owner, ordinal, view)
    doomed = [pod for _, pod in sorted(present.items(), reverse=True) if not is_terminating(pod)]
    if doomed:
        expansion.surplus += doomed
        expansion.notes.append(deletion_note(owner, doomed))
    return expansion


def _by_ordinal(owner: Object, view: ClusterView) -> dict[int, Object]:
    shape = re.compile(re.escape(name(owner)) + r"-(0|[1-9][0-9]*)")
    matches = ((shape.fullmatch(name(pod)), pod) for pod in view.owned_by(owner, "Pod"))
    return {int(match[1]): pod for match, pod in matches if match}


def _pod(owner: Object, ordinal: int) -> Object:
    template = owner["spec"]["template"]
    called = f"{name(owner)}-{ordinal}"
    claims = owner["spec"].get("volumeClaimTemplates") or ()
    claimed = {name(claim) for claim in claims}
    own = (template.get("spec") or {}).get("volumes") or ()
    volumes = [
        {
            "name": name(claim),
            "persistentVolumeClaim": {"claimName": _claim_name(claim, called)},
        }
        for claim in claims
    ]
    volumes += [volume for volume in own if volume.get("name") not in claimed]
    extra_spec: dict[str, Any] = {"hostname": called}
    if owner["spec"].get("serviceName"):
        extra_spec["subdomain"] = owner["spec"]["serviceName"]
    if volumes:
        extra_spec["volumes"] = volumes
    extra_labels = {
        INDEX_LABEL: str(ordinal),
        NAME_LABEL: called,
        REVISION_LABEL: f"{name(owner)}-{template_hash(template)}",
    }
    return pod_from_template(owner, called, extra_labels=extra_labels, extra_spec=extra_spec)


def _claim_name(template: Object, pod_name: str) -> str:
    return f"{name(template)}-{pod_name}"


def _claims(owner: Object, ordinal: int, view: ClusterView) -> list[Object]:
    """The claims of a pod that aren't there yet; those of an earlier pod of its name are kept."""
    place = namespace(owner)
    selected = (owner["spec"].get("selector") or {}).get("matchLabels") or {}
    claims: list[Object] = []
    for template in owner["spec"].get("volumeClaimTemplates") or ():
        called = _claim_name(template, f"{name(owner)}-{ordinal}")
        if view.find("PersistentVolumeClaim", place, called) is None:
            metadata = {
                **(template.get("metadata") or {}),
                "name": called,
                "namespace": place,
                "labels": {**labels(template), **selected},
            }
            kind = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
            claims.append({**kind, "metadata": metadata, "spec": template.get("spec") or {}})
    return claims
