"""DaemonSets: one pod on each node that may have it.

The rules are those of v1.36's daemon set controller; which nodes get a pod is told by
`podium.controllers.daemon_set.eligibility`.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from podium.api.meta import is_finished, is_terminating, name
from podium.controllers.daemon_set.eligibility import (
    Eligibility,
    bound_to,
    seniority,
    target_of,
    tolerant,
)
from podium.controllers.expanding.expansion import Expansion, pod_from_template
from podium.controllers.expanding.replica_sets import deletion_note, free_names
from podium.controllers.expanding.view import ClusterView
from podium.controllers.naming import template_hash
from podium.controllers.revisions import REVISION_LABEL

Object = Mapping[str, Any]


def expand_daemon_set(owner: Object, view: ClusterView, now: int | None) -> Expansion:
    """What a DaemonSet does, node by node in the order of the view.

    Existing pods stay, whatever template they were made of, unless they are finished.
    """
    template = owner["spec"]["template"]
    spec = tolerant(template.get("spec") or {})
    eligibility = Eligibility(spec)
    revision = {REVISION_LABEL: template_hash(template)}
    present = _by_node(owner, view)
    names = free_names(owner, view)
    expansion = Expansion()
    for node in view.nodes:
        pods = present.pop(name(node), [])
        stays = eligibility.may_stay(node)
        doomed = _doomed(pods) if stays else pods
        expansion.surplus += [pod for pod in doomed if not is_terminating(pod)]
        if eligibility.may_start(node) and all(is_finished(pod) for pod in pods):
            on_node = {**spec, "affinity": bound_to(name(node), spec.get("affinity") or {})}
            expansion.pods.append(
                pod_from_template(owner, next(names), extra_labels=revision, extra_spec=on_node)
            )
    for pods in present.values():
        expansion.surplus += [pod for pod in pods if not is_terminating(pod)]
    if expansion.surplus:
        expansion.notes.append(deletion_note(owner, expansion.surplus))
    return expansion


def _doomed(pods: list[Object]) -> list[Object]:
    """Of the pods of a node that may have one: finished ones, and all but the most senior."""
    running = [pod for pod in pods if not (is_finished(pod) or is_terminating(pod))]
    return [pod for pod in pods if is_finished(pod)] + sorted(running, key=seniority)[1:]


def _by_node(owner: Object, view: ClusterView) -> dict[str, list[Object]]:
    found = defaultdict(list)
    for pod in view.owned_by(owner, "Pod"):
        found[target_of(pod)].append(pod)
    return found
