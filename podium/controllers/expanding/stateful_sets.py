"""StatefulSets: numbered pods that keep their names, each with claims of its own."""

from collections.abc import Mapping
from typing import Any

from podium.api.meta import is_finished, is_terminating, name, namespace
from podium.controllers.expanding.expansion import Expansion, label_of, pod_from_template
from podium.controllers.expanding.replica_sets import deletion_note
from podium.controllers.expanding.view import ClusterView
from podium.controllers.naming import template_hash
from podium.controllers.revisions import REVISION_LABEL
from podium.controllers.stateful_set.claims import CLAIM, claim_name, new_claim
from podium.controllers.stateful_set.pods import (
    identity_of,
    numbered_spec,
    ordinal_of,
    replicas_of,
    start_of,
)

Object = Mapping[str, Any]


def expand_stateful_set(owner: Object, view: ClusterView, now: int | None) -> Expansion:
    """What a StatefulSet does, once each of its pods has become ready in turn.

    Existing pods stay, whatever template they were made of, unless they are finished.
    """
    start = start_of(owner)
    present = _by_ordinal(owner, view)
    expansion = Expansion()
    for ordinal in range(start, start + replicas_of(owner)):
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
    numbered = ((ordinal_of(owner, pod), pod) for pod in view.owned_by(owner, "Pod"))
    return {ordinal: pod for ordinal, pod in numbered if ordinal is not None}


def _pod(owner: Object, ordinal: int) -> Object:
    template = owner["spec"]["template"]
    revision = {REVISION_LABEL: f"{name(owner)}-{template_hash(template)}"}
    return pod_from_template(
        owner,
        f"{name(owner)}-{ordinal}",
        extra_labels={**identity_of(owner, ordinal), **revision},
        extra_spec=numbered_spec(owner, ordinal, template.get("spec") or {}),
    )


def _claims(owner: Object, ordinal: int, view: ClusterView) -> list[Object]:
    """The claims of a pod that aren't there yet; those of an earlier pod of its name are kept."""
    called = f"{name(owner)}-{ordinal}"
    return [
        new_claim(owner, template, called)
        for template in owner["spec"].get("volumeClaimTemplates") or ()
        if view.find(CLAIM, namespace(owner), claim_name(template, called)) is None
    ]
