"""All obstacles to a pod on each node, not only the first filter's reason."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from podium.api.documents.report import Report
from podium.scheduler.explain.details import details_of
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.status import Status
from podium.scheduler.scheduler import Scheduler

# Of nodes that are refused for the same reasons no more are looked at closely.
_DETAILED_MAX = 20
_RESOURCES = "NodeResourcesFit"


@dataclass(frozen=True, slots=True)
class Obstacle(Report):
    """One filter's objection to one node.

    |

    Attributes:
        node: the node.
        plugin: the filter.
        code: Unschedulable, or UnschedulableAndUnresolvable where removing pods doesn't help.
        reasons: in Kubernetes' words.
        details: the amounts, taints, labels and pods behind it; empty where Podium knows of none,
            and after the first twenty nodes with equal reasons.
    """

    node: str
    plugin: str
    code: str
    reasons: tuple[str, ...]
    details: tuple[str, ...] = ()


def obstacles(
    decision: Decision, scheduler: Scheduler, refused: Mapping[str, Status]
) -> tuple[Obstacle, ...]:
    """Return the objections of each filter to nodes, by node name, then in the order of filters.

    | Empty if PreFilter refused all nodes. `refused` has the nodes to look at with the status of
    the first objecting filter; only that is returned for nodes with room kept for nominated pods.
    """
    evaluation = decision.evaluation
    if evaluation is None or decision.pre_filter is not None:
        return ()
    found: list[Obstacle] = []
    alike: Counter[tuple[Status, ...]] = Counter()
    for node_name, first in sorted(refused.items()):
        row = scheduler.snapshot.row_of[node_name]
        own = tuple(evaluation.filtering.objections(row))
        alike[own] += 1
        for status in own or (first,):
            details: tuple[str, ...] = ()
            if own and alike[own] <= _DETAILED_MAX:
                details = details_of(
                    status, scheduler.snapshot, scheduler.listers, decision.pod, row
                )
            if not own or (details and status.plugin == _RESOURCES):
                rivals = scheduler.nominator.rivals_on(decision.pod, node_name)
                if rivals:
                    named = ", ".join(f"{pod.key} (priority {pod.priority})" for pod in rivals)
                    details = (*details, f"room is kept for {named}")
            plugin, code = status.plugin, str(status.code)
            found.append(Obstacle(node_name, plugin, code, status.reasons, details))
    return tuple(found)
