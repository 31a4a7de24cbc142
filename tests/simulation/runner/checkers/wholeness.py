"""What lacks until all is well: each workload has its pods, neither fewer nor more, ready."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from podium.apiserver.store.store import Store
from tests.simulation.runner.checkers.checker import (
    Object,
    is_ready,
    is_terminating,
    node_of,
    uid_of,
)

_WORKLOADS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")


def lacking(store: Store) -> list[str]:
    """What isn't well, in plain sentences."""
    pods = [pod for pod in store.list("Pod").items if _phase(pod) not in ("Succeeded", "Failed")]
    return [*_lingering(store, pods), *_replicas(store, pods), *_finished_jobs(store)]


def _lingering(store: Store, pods: list[Object]) -> Iterator[str]:
    owners = {uid_of(obj) for kind in _WORKLOADS for obj in store.list(kind).items}
    for pod in pods:
        called = pod["metadata"]["name"]
        if not node_of(pod):
            yield f"{called} has no node"
        elif store.get("Node", "", node_of(pod)) is None:
            yield f"{called} is on {node_of(pod)}, which is gone"
        if is_terminating(pod):
            yield f"{called} is terminating"
        elif not is_ready(pod):
            yield f"{called} isn't ready"
        if _owner(pod) not in owners:
            yield f"{called} has lost its owner"


def _replicas(store: Store, pods: list[Object]) -> Iterator[str]:
    counts = Counter(_owner(pod) for pod in pods)
    for kind in ("ReplicaSet", "StatefulSet"):
        for workload in store.list(kind).items:
            yield from _compared(workload, counts[uid_of(workload)], workload["spec"]["replicas"])
    for deployment in store.list("Deployment").items:
        sets = [one for one in store.list("ReplicaSet").items if _owner(one) == uid_of(deployment)]
        count = sum(counts[uid_of(one)] for one in sets)
        yield from _compared(deployment, count, deployment["spec"]["replicas"])
        if sum(bool(counts[uid_of(one)]) for one in sets) > 1:
            yield f"{deployment['metadata']['name']} has pods of several revisions"
    for daemon_set in store.list("DaemonSet").items:
        nodes = {node["metadata"]["name"] for node in store.list("Node").items}
        of_it = Counter(node_of(pod) for pod in pods if _owner(pod) == uid_of(daemon_set))
        if of_it != Counter(nodes):
            yield f"{daemon_set['metadata']['name']} has pods on {dict(of_it)}"


def _compared(workload: Mapping[str, Any], count: int, wanted: int) -> Iterator[str]:
    if count != wanted:
        yield f"{workload['metadata']['name']} has {count} pods instead of {wanted}"


def _finished_jobs(store: Store) -> Iterator[str]:
    for job in store.list("Job").items:
        done = (job.get("status") or {}).get("succeeded") or 0
        if done != job["spec"]["completions"]:
            yield f"{job['metadata']['name']} has been completed {done} times"


def _owner(obj: Object) -> str:
    references = obj["metadata"].get("ownerReferences") or ()
    return next((str(one["uid"]) for one in references if one.get("controller")), "")


def _phase(pod: Object) -> str:
    return str((pod.get("status") or {}).get("phase") or "Pending")
