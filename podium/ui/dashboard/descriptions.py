"""Objects of the API as the dashboard shows them."""

from functools import lru_cache
from typing import Any

import msgspec

from podium.api.nodes import allocatable_of, is_cordoned, taints_of
from podium.api.objects import (
    Object,
    condition_of,
    controller_of,
    holds,
    is_terminating,
    labels,
    spec_of,
    status_of,
)
from podium.api.pod_specs import containers_of, init_containers_of
from podium.api.pods import (
    is_finished,
    node_name_of,
    nominated_node_of,
    phase_of,
    priority_class_of,
)
from podium.api.priority import pod_priority
from podium.api.resources import pod_requests
from podium.api.values.quantity import QuantityError, ceil_milli, ceil_value, milli_value, value
from podium.api.well_known import HASH_LABEL, ZONE_LABEL
from podium.simulation.timeline.facts import WARNING_CONDITIONS, taint_text
from podium.ui.dashboard.views import Budget, Node, Pod, PriorityClass

_POOLS = (
    "node.kubernetes.io/instance-type",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "agentpool",
    "karpenter.sh/nodepool",
)


def described_node(obj: Object) -> Node:
    """A node."""
    said, allocatable = labels(obj), allocatable_of(obj)
    return Node(
        name=obj["metadata"]["name"],
        zone=said.get(ZONE_LABEL) or "",
        pool=next((said[label] for label in _POOLS if said.get(label)), ""),
        ready=holds(obj, "Ready"),
        cordoned=is_cordoned(obj),
        taints=[taint_text(taint) for taint in taints_of(obj)],
        pressure=[kind for kind in WARNING_CONDITIONS if holds(obj, kind)],
        cpu_milli=milli_value(allocatable.get("cpu") or 0),
        memory_bytes=value(allocatable.get("memory") or 0),
        pods_max=value(allocatable.get("pods") or 0),
    )


def described_pod(obj: Object) -> Pod:
    """A pod; where it waits to be scheduled isn't said by the object."""
    metadata, status, spec = obj["metadata"], status_of(obj), spec_of(obj)
    asked = {
        "containers": [{"resources": one.get("resources")} for one in containers_of(spec)],
        "initContainers": [
            {"resources": one.get("resources"), "restartPolicy": one.get("restartPolicy")}
            for one in init_containers_of(spec)
        ],
        "overhead": spec.get("overhead"),
        "resources": spec.get("resources"),
    }
    cpu_milli, memory_bytes = _summed(msgspec.json.encode(asked))
    if is_finished(obj):
        state = "finished"
    elif is_terminating(obj):
        state = "terminating"
    elif phase_of(obj) == "Running":
        state = "running"
    else:
        state = "bound" if node_name_of(obj) else "pending"
    return Pod(
        uid=metadata.get("uid") or "",
        namespace=metadata.get("namespace") or "",
        name=metadata["name"],
        node=node_name_of(obj),
        nominated_node=nominated_node_of(obj),
        phase=phase_of(obj),
        priority=pod_priority(obj),
        priority_class=priority_class_of(obj),
        owner=_owner(obj),
        cpu_milli=cpu_milli,
        memory_bytes=memory_bytes,
        state=state,
        queue="",
        message=_message(obj, status, state),
    )


def described_budget(obj: Object) -> Budget:
    """A PodDisruptionBudget."""
    metadata, status = obj["metadata"], status_of(obj)
    return Budget(
        namespace=metadata.get("namespace") or "",
        name=metadata["name"],
        allowed=status.get("disruptionsAllowed") or 0,
        healthy=status.get("currentHealthy") or 0,
        desired=status.get("desiredHealthy") or 0,
        expected=status.get("expectedPods") or 0,
    )


def described_class(obj: Object) -> PriorityClass:
    """A PriorityClass."""
    return PriorityClass(name=obj["metadata"]["name"], value=obj.get("value") or 0)


@lru_cache(maxsize=4096)
def _summed(asked: bytes) -> tuple[int, int]:
    """Sum the CPU and memory requests of an encoded pod spec; cached, as most pods are alike."""
    try:
        amounts = pod_requests({"spec": msgspec.json.decode(asked)})
    except QuantityError:
        # What an export or an old API server has let through counts for nothing here.
        return 0, 0
    return ceil_milli(amounts.get("cpu", 0)), ceil_value(amounts.get("memory", 0))


def _owner(pod: Object) -> str:
    """The workload, told from the controller alone: a Deployment's ReplicaSet has its hash."""
    owner = controller_of(pod)
    if owner is None:
        return ""
    kind, called = str(owner.get("kind")), str(owner.get("name"))
    stamp = labels(pod).get(HASH_LABEL)
    if kind == "ReplicaSet" and stamp and called.endswith(f"-{stamp}"):
        return f"Deployment/{called.removesuffix(f'-{stamp}')}"
    return f"{kind}/{called}"


def _message(pod: Object, status: Any, state: str) -> str:
    if state == "pending":
        condition = condition_of(pod, "PodScheduled") or {}
        if condition.get("status") == "False":
            return str(condition.get("message") or "")
    return str(status.get("message") or status.get("reason") or "")
