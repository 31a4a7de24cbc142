"""What updates of pods and nodes amount to."""

from typing import Any

import pytest

from podium.scheduler.framework.cluster_events import Action
from podium.scheduler.queue.queue_events import NOTHING, events_of_node_update, events_of_pod_update
from tests.objects import Obj


def pod(labels: Obj | None = None, cpu: str = "1", status: Obj | None = None, **spec: Any) -> Obj:
    containers = [{"name": "c", "resources": {"requests": {"cpu": cpu} if cpu else {}}}]
    return {
        "metadata": {"name": "p", "labels": labels or {}},
        "spec": {"containers": containers, **spec},
        "status": status or {},
    }


def resized(cpu: str) -> Obj:
    return {"containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]}


CLAIM = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "p-gpu-x"}]}
TOLERATION = {"key": "a", "operator": "Exists"}
GATE = {"name": "g"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (pod(), pod(), Action.UPDATE_OTHER),
        (pod(), pod(status={"phase": "Running"}), Action.UPDATE_OTHER),
        (pod(), pod({"a": "b"}), Action.UPDATE_POD_LABEL),
        (pod(cpu="2"), pod(cpu="1500m"), Action.UPDATE_POD_SCALE_DOWN),
        (pod(cpu="2"), pod(cpu=""), Action.UPDATE_POD_SCALE_DOWN),
        (pod(cpu="1"), pod(cpu="2"), Action.UPDATE_OTHER),
        (pod(cpu="1"), pod(cpu="1000m"), Action.UPDATE_OTHER),
        (pod(overhead={"cpu": "1"}), pod(overhead={"cpu": "100m"}), Action.UPDATE_POD_SCALE_DOWN),
        # The node has yet to give the cpu back.
        (pod(cpu="2", status=resized("2")), pod(status=resized("2")), Action.UPDATE_OTHER),
        (pod(status=resized("2")), pod(status=resized("1")), Action.UPDATE_POD_SCALE_DOWN),
        (pod(), pod(tolerations=[TOLERATION]), Action.UPDATE_POD_TOLERATION),
        (
            pod(schedulingGates=[GATE]),
            pod(schedulingGates=[]),
            Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
        ),
        (pod(schedulingGates=[GATE]), pod(), Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED),
        (pod(schedulingGates=[GATE, GATE]), pod(schedulingGates=[GATE]), Action.UPDATE_OTHER),
        (pod(), pod(status=CLAIM), Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM),
        (pod(status=CLAIM), pod(status=dict(CLAIM)), Action.UPDATE_OTHER),
        (
            pod(status={"extendedResourceClaimStatus": {"resourceClaimName": "x"}}),
            pod(status={"extendedResourceClaimStatus": {"resourceClaimName": "y"}}),
            Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM,
        ),
        (
            pod(cpu="2"),
            pod({"a": "b"}, tolerations=[TOLERATION]),
            Action.UPDATE_POD_LABEL | Action.UPDATE_POD_SCALE_DOWN | Action.UPDATE_POD_TOLERATION,
        ),
    ],
)
def test_pods(old: Obj, new: Obj, expected: Action) -> None:
    assert events_of_pod_update(old, new) == expected


def node(metadata: Obj | None = None, spec: Obj | None = None, **status: Any) -> Obj:
    return {
        "metadata": {"name": "n", **(metadata or {})},
        "spec": spec or {},
        "status": {"allocatable": {"cpu": "4"}, **status},
    }


def ready(status: str, heartbeat: str = "") -> list[Obj]:
    return [{"type": "Ready", "status": status, "lastHeartbeatTime": heartbeat}]


TAINT = {"key": "a", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (node(), node(), NOTHING),
        (node(), node(allocatable={"cpu": "8"}), Action.UPDATE_NODE_ALLOCATABLE),
        (node(), node(allocatable={"cpu": "4", "x.io/gpu": "1"}), Action.UPDATE_NODE_ALLOCATABLE),
        (node(), node(allocatable={"cpu": "4000m"}), NOTHING),
        (node(), node({"labels": {"a": "b"}}), Action.UPDATE_NODE_LABEL),
        (node({"labels": {}}), node(), NOTHING),
        (node(), node(spec={"taints": [TAINT]}), Action.UPDATE_NODE_TAINT),
        (node(spec={"taints": []}), node(), NOTHING),
        (node(spec={"unschedulable": True}), node(), Action.UPDATE_NODE_TAINT),
        (node(), node(spec={"unschedulable": True}), NOTHING),
        (
            node(conditions=ready("False")),
            node(conditions=ready("True")),
            Action.UPDATE_NODE_CONDITION,
        ),
        (node(conditions=ready("True", "1")), node(conditions=ready("True", "2")), NOTHING),
        (node(), node({"annotations": {"a": "b"}}), Action.UPDATE_NODE_ANNOTATION),
        (node(), node(declaredFeatures=["F"]), Action.UPDATE_NODE_DECLARED_FEATURE),
        (
            node(),
            node({"labels": {"a": "b"}}, allocatable={"cpu": "3"}),
            Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_ALLOCATABLE,
        ),
    ],
)
def test_nodes(old: Obj, new: Obj, expected: Action) -> None:
    assert events_of_node_update(old, new) == expected
