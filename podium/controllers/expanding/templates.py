"""From workloads to pods: what the controllers of each kind would create and delete.

Each kind has a file of its own; this one chooses. Names are made up, but always the same way: see
`naming`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from podium.controllers.expanding.daemon_sets import expand_daemon_set
from podium.controllers.expanding.deployments import expand_deployment
from podium.controllers.expanding.expansion import Expansion
from podium.controllers.expanding.jobs import expand_job
from podium.controllers.expanding.replica_sets import expand_replica_set
from podium.controllers.expanding.stateful_sets import expand_stateful_set
from podium.controllers.expanding.view import ClusterView

__all__ = ["WORKLOADS", "ClusterView", "Expansion", "expand"]

Object = Mapping[str, Any]

_EXPANDERS: Mapping[str, Callable[[Object, ClusterView, int | None], Expansion]] = {
    "Deployment": expand_deployment,
    "ReplicaSet": expand_replica_set,
    "ReplicationController": expand_replica_set,
    "StatefulSet": expand_stateful_set,
    "DaemonSet": expand_daemon_set,
    "Job": expand_job,
}

WORKLOADS = frozenset(_EXPANDERS)
"""The kinds that can be expanded."""


def expand(workload: Object, view: ClusterView, *, now: int | None = None) -> Expansion:
    """What a workload's controllers would do in a cluster until they are content.

    What exists counts: only what is missing is created, and what is too much is deleted. A
    ReplicaSet that a Deployment owns is expanded with it, and needn't be on its own. Neither
    the workload nor the view is changed; created objects share parts with the workload.

    Args:
        workload: a valid object of a kind in `WORKLOADS`, with its defaults filled in, else a
            rollout is seen where only a default was spelt out. Its uid, if it has one, must be
            that of the owner of its pods.
        view: the cluster that it is in.
        now: nanoseconds since the epoch; plays a part only in which pods go first.

    Raises:
        ValueError: objects of that kind have no pods.
    """
    kind = str(workload.get("kind"))
    if kind not in _EXPANDERS:
        raise ValueError(f"a {kind} has no pods; {', '.join(sorted(WORKLOADS))} have")
    return _EXPANDERS[kind](workload, view, now)
