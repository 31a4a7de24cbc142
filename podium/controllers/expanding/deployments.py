"""Deployments: one ReplicaSet for each template they have had, all pods with the newest.

What comes out is how a rollout ends, not the order of its steps.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.labels import label_selector
from podium.api.meta import labels, name, namespace
from podium.controllers.deployment.templates import HASH_LABEL, hash_of, same_template
from podium.controllers.expanding.expansion import Expansion, label_of, owner_reference
from podium.controllers.expanding.replica_sets import claimed, expand_replica_set
from podium.controllers.expanding.view import ClusterView
from podium.controllers.ranking import scale_down_order

Object = Mapping[str, Any]


def expand_deployment(deployment: Object, view: ClusterView, now: int | None) -> Expansion:
    """What a Deployment and its ReplicaSets do.

    A ReplicaSet of the same template, where there is one, is brought to the wanted size; the pods
    of all others go. Without one, a ReplicaSet is made. A paused Deployment changes no template:
    its one running ReplicaSet is brought to size. Where the view has no ReplicaSets of it at all,
    but pods of them, the newest of these count as of its template.
    """
    paused = bool(deployment["spec"].get("paused"))
    known = _by_age(view.owned_by(deployment, "ReplicaSet"))
    old = known or _stand_ins(deployment, view)
    current = _current(deployment, old, view)
    if paused and current is None:
        return Expansion(notes=[f"{label_of(deployment)} is paused: its pods stay as they are"])
    target = current or _new_replica_set(deployment)
    related = [pod for one in old for pod in view.owned_by(one, "Pod")]
    wanted = _replicas(deployment)
    expansion = expand_replica_set(target, view, now, replicas=wanted, related=related)
    if current is None:
        expansion.objects.append(target)
    if not paused:
        others = [one for one in old if one is not target]
        _replace(deployment, [claimed(one, view) for one in others], now, expansion)
    if old and not known:
        note = f"the ReplicaSets of {label_of(deployment)} aren't there; its newest pods count"
        expansion.notes.append(note)
    return expansion


def _stand_ins(deployment: Object, view: ClusterView) -> list[Object]:
    """ReplicaSets in place of those that pods tell of but nobody has given; the newest first.

    All are taken to be of the Deployment's template, since nothing says which of them are not.
    """
    selector = label_selector(deployment["spec"].get("selector"))
    found = []
    for called, pods in view.lost_owners("ReplicaSet", namespace(deployment)):
        carried = labels(pods[0])
        hashed = carried.get(HASH_LABEL, "")
        if called == f"{name(deployment)}-{hashed}" and selector.matches(carried):
            newest = max(_created(pod) for pod in pods)
            found.append((newest, called, _new_replica_set(deployment, hashed)))
    return [replica_set for _, _, replica_set in sorted(found, key=lambda f: f[:2], reverse=True)]


def _current(deployment: Object, old: list[Object], view: ClusterView) -> Object | None:
    """The ReplicaSet to be brought to size: of the same template, or the running one if paused."""
    template = deployment["spec"]["template"]
    same = [one for one in old if same_template(one["spec"]["template"], template)]
    if same or not deployment["spec"].get("paused"):
        return same[0] if same else None
    running = [one for one in old if claimed(one, view)]
    return running[0] if len(running) == 1 else None


def _replace(
    deployment: Object, outdated: list[list[Object]], now: int | None, expansion: Expansion
) -> None:
    """Delete the pods of all other ReplicaSets, one ReplicaSet after another."""
    doomed = [pod for pods in outdated for pod in scale_down_order(pods, pods, now)]
    if doomed:
        expansion.surplus += doomed
        names = ", ".join(map(name, doomed))
        note = f"{label_of(deployment)} has a new template and replaces {len(doomed)} pods: {names}"
        expansion.notes.append(note)


def _by_age(replica_sets: list[Object]) -> list[Object]:
    """The oldest first; of one age by name."""

    def age(replica_set: Object) -> tuple[str, str]:
        return _created(replica_set), name(replica_set)

    return sorted(replica_sets, key=age)


def _created(obj: Object) -> str:
    return str((obj.get("metadata") or {}).get("creationTimestamp") or "")


def _new_replica_set(deployment: Object, hash_text: str = "") -> Object:
    """A ReplicaSet of the Deployment's template, by that hash or else by one of our own."""
    spec = deployment["spec"]
    template = spec["template"]
    hashed = {HASH_LABEL: hash_text or hash_of(template)}
    called = f"{name(deployment)}-{hashed[HASH_LABEL]}"
    carried = {**labels(template), **hashed}
    selector = spec.get("selector") or {}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": called,
            "namespace": namespace(deployment),
            "labels": carried,
            "ownerReferences": [owner_reference(deployment)],
        },
        "spec": {
            "replicas": _replicas(deployment),
            "minReadySeconds": spec.get("minReadySeconds") or 0,
            "selector": {
                **selector,
                "matchLabels": {**(selector.get("matchLabels") or {}), **hashed},
            },
            "template": {
                **template,
                "metadata": {**(template.get("metadata") or {}), "labels": carried},
            },
        },
    }


def _replicas(deployment: Object) -> int:
    replicas = deployment["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)
