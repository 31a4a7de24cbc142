"""A whole scheduling cycle on plain objects: the default profile, one node after another.

Decisions are told in the format of the records.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from podium.api.objects import Object
from podium.scheduler.config.args import NodeResourcesBalancedAllocationArgs
from tests.reference import (
    image_locality,
    inter_pod_affinity,
    node_affinity,
    node_resources_balanced_allocation,
    node_resources_fit,
    pod_topology_spread,
    taint_toleration,
    volume_binding,
    volume_restrictions,
    volume_zone,
)
from tests.reference.cluster import Cluster, key, priority
from tests.reference.preemption import Preemption, preempt, selected
from tests.reference.trial import FIT_ARGS, Refusal, Trial, prepare
from tests.reference.verdict import UNRESOLVABLE

Json = dict[str, Any]

BALANCED_RESOURCES = NodeResourcesBalancedAllocationArgs().resources


def decide(cluster: Cluster, pod: Object) -> Json:
    """Decide where a pod goes; nothing is changed by it."""
    decision: Json = {"pod": key(pod), "preemption": None}
    gates = [gate["name"] for gate in pod["spec"].get("schedulingGates", [])]
    if gates:
        reason = f"waiting for scheduling gates: [{' '.join(gates)}]"
        return decision | {"preenqueue": _json(("SchedulingGates", UNRESOLVABLE, (reason,)))}
    if not cluster.nodes:
        return decision | {"error": "no nodes available to schedule pods"}
    refused = pre_filter(cluster, pod)
    if refused is not None:
        everywhere = {node["metadata"]["name"]: refused for node in cluster.nodes}
        found = preempt(cluster, pod, everywhere, lambda node: _never(node))
        return decision | {
            "prefilter": _json(refused),
            "preemption": _preemption(cluster, pod, found),
        }
    states = prepare(cluster, pod)

    def trial_of(node: Object) -> Trial:
        return Trial(cluster, pod, node, states)

    return decision | _decide_on_nodes(cluster, pod, trial_of)


def _never(node: Object) -> Trial:
    raise AssertionError(f"PreFilter's refusal can't be cured on {node['metadata']['name']}")


def pre_filter(cluster: Cluster, pod: Object) -> Refusal | None:
    """A refusal that holds for all nodes."""
    if node_affinity.eligible_names(pod, cluster.nodes) == set():
        return Refusal("NodeAffinity", UNRESOLVABLE, ("pod affinity terms conflict",))
    for plugin, verdict in (
        ("VolumeRestrictions", volume_restrictions.pre_filter(cluster, pod)),
        ("VolumeBinding", volume_binding.pre_filter(cluster, pod)),
        ("VolumeZone", volume_zone.pre_filter(cluster, pod)),
    ):
        if verdict is not None:
            return Refusal(plugin, *verdict)
    return None


def _decide_on_nodes(cluster: Cluster, pod: Object, trial_of: Callable[[Object], Trial]) -> Json:
    nominated = cluster.node(cluster.nomination_of(pod))
    names = node_affinity.eligible_names(pod, cluster.nodes)
    # The nominated node is filtered before the others, whatever PreFilter said of them.
    named = names if names is None or nominated is None else names | {cluster.nomination_of(pod)}
    judge = partial(_refusal, named, trial_of)
    if nominated is not None and judge(nominated) is None:
        return {"nominatedOnly": True, **_ranked(cluster, pod, [nominated])}
    verdicts = [(node, judge(node)) for node in cluster.nodes]
    feasible = [node for node, refusal in verdicts if refusal is None]
    refusals = {node["metadata"]["name"]: r for node, r in verdicts if r is not None}
    decision = {"filter": {name: _json(refusal) for name, refusal in refusals.items()}}
    if feasible:
        return decision | _ranked(cluster, pod, feasible)
    found = preempt(cluster, pod, refusals, trial_of)
    return decision | {"preemption": _preemption(cluster, pod, found)}


def _refusal(
    names: set[str] | None, trial_of: Callable[[Object], Trial], node: Object
) -> Refusal | None:
    if names is not None and node["metadata"]["name"] not in names:
        return Refusal("", UNRESOLVABLE, ("node(s) didn't satisfy plugin(s) [NodeAffinity]",))
    return trial_of(node).refusal()


def _ranked(cluster: Cluster, pod: Object, feasible: Sequence[Object]) -> Json:
    names = [node["metadata"]["name"] for node in feasible]
    scores: Json = {name: {} for name in names}
    for plugin, weight, values in _scores(cluster, pod, feasible):
        for name, value in zip(names, values, strict=True):
            scores[name][plugin] = weight * value
    totals = {name: sum(by_plugin.values()) for name, by_plugin in scores.items()}
    for name, total in totals.items():
        scores[name]["total"] = total
    best = [name for name, total in totals.items() if total == max(totals.values())]
    return {"feasible": names, "scores": scores, "best": best}


def _scores(
    cluster: Cluster, pod: Object, feasible: Sequence[Object]
) -> Sequence[tuple[str, int, list[int]]]:
    """Each plugin's weight in the default profile and normalised scores."""
    spread = pod_topology_spread.constraints_of(cluster, pod, pod_topology_spread.SOFT)
    fit = [
        node_resources_fit.score_node(pod, node, cluster.pods_on(node), FIT_ARGS)
        for node in feasible
    ]
    balanced = [
        node_resources_balanced_allocation.score_node(
            pod, node, cluster.pods_on(node), BALANCED_RESOURCES
        )
        for node in feasible
    ]
    images = [image_locality.score_node(pod, node, cluster.nodes) for node in feasible]
    listed = [
        ("TaintToleration", 3, taint_toleration.scores(pod, feasible)),
        ("NodeAffinity", 2, node_affinity.scores(pod, feasible, {})),
        ("NodeResourcesFit", 1, fit),
        ("InterPodAffinity", 2, inter_pod_affinity.scores(cluster, pod, feasible)),
        ("NodeResourcesBalancedAllocation", 1, [score or 0 for score in balanced]),
        ("ImageLocality", 1, images),
    ]
    if spread:
        own = bool(pod["spec"].get("topologySpreadConstraints"))
        spreading = pod_topology_spread.scores(cluster, pod, feasible, spread, needs_labels=own)
        listed.append(("PodTopologySpread", 2, spreading))
    return listed


def _preemption(cluster: Cluster, pod: Object, found: Preemption) -> Json:
    candidates = [
        {
            "node": candidate.node_name,
            "victims": [key(victim) for victim in candidate.victims],
            "pdbViolations": candidate.violations,
        }
        for candidate in found.candidates
    ]
    left = selected(found.candidates) if found.candidates else []
    nominated = min((candidate.node_name for candidate in left), default="")
    nominations = cluster.nominated.get(nominated, [])
    return {
        "eligible": found.eligible,
        "message": found.message,
        "candidates": candidates,
        "selected": [candidate.node_name for candidate in left],
        "nominated": nominated,
        "rejected": {name: _json(refusal) for name, refusal in found.rejected.items()},
        "clearsNomination": found.eligible and not candidates,
        "clearedPods": [key(other) for other in nominations if priority(other) < priority(pod)],
    }


def _json(refusal: tuple[str, str, Sequence[str]]) -> Json:
    plugin, code, reasons = refusal
    return {"plugin": plugin, "code": code, "reasons": list(reasons)}
