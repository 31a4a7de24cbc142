"""Binding: a node for a pod, once."""

from typing import Any

import pytest

from podium.api.refused import RefusedError
from podium.apiserver.subresources.pod_binding import bind, check_binding

Obj = dict[str, Any]

NOW_S = 1_767_225_600.9


def pod(metadata: Obj | None = None, status: Obj | None = None, **spec: Any) -> Obj:
    own = {"name": "p", "namespace": "ns", "uid": "u", "resourceVersion": "7"}
    return {"metadata": {**own, **(metadata or {})}, "spec": spec, "status": status or {}}


def binding(node: str = "n", **metadata: Any) -> Obj:
    return {"metadata": {"name": "p", **metadata}, "target": {"kind": "Node", "name": node}}


def test_a_pod_is_bound() -> None:
    given = pod(status={"phase": "Pending", "nominatedNodeName": "m"}, schedulerName="s")
    before = repr(given)
    assert bind(given, binding(), NOW_S) == {
        "metadata": given["metadata"],
        "spec": {"schedulerName": "s", "nodeName": "n"},
        "status": {
            "phase": "Pending",
            "conditions": [
                {
                    "type": "PodScheduled",
                    "status": "True",
                    "lastProbeTime": None,
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }
            ],
        },
    }
    assert repr(given) == before


def test_what_was_said_of_scheduling_is_replaced() -> None:
    conditions = [
        {"type": "Initialized", "status": "True"},
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "m"},
    ]
    bound = bind(pod(status={"conditions": conditions}), binding(), NOW_S)
    first, second = bound["status"]["conditions"]
    assert first == conditions[0]
    assert {**second, "lastTransitionTime": None} == {
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": None,
    }


def test_annotations_and_labels_go_over() -> None:
    given = pod({"annotations": {"a": "1", "b": "1"}, "labels": {"l": "1"}})
    bound = bind(given, binding(annotations={"b": "2"}, labels={"l": "2", "m": "2"}), NOW_S)
    assert bound["metadata"]["annotations"] == {"a": "1", "b": "2"}
    assert bound["metadata"]["labels"] == {"l": "2", "m": "2"}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            pod({"deletionTimestamp": "2026-01-01T00:00:00Z"}),
            "pod p is being deleted, cannot be assigned to a host",
        ),
        (pod(nodeName="m"), 'pod p is already assigned to node "m"'),
        (pod(schedulingGates=[{"name": "g"}]), "pod p has non-empty .spec.schedulingGates"),
    ],
)
def test_obstacles(given: Obj, why: str) -> None:
    with pytest.raises(RefusedError) as refused:
        bind(given, binding(), NOW_S)
    assert refused.value.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'Operation cannot be fulfilled on pods/binding "p": {why}',
        "reason": "Conflict",
        "details": {"name": "p", "kind": "pods/binding"},
        "code": 409,
    }


@pytest.mark.parametrize(
    ("metadata", "text"),
    [
        ({"uid": "v"}, "UID in precondition: v, UID in object meta: u"),
        (
            {"resourceVersion": "6"},
            "ResourceVersion in precondition: 6, ResourceVersion in object meta: 7",
        ),
    ],
)
def test_preconditions(metadata: Obj, text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        bind(pod(nodeName="bound"), binding(**metadata), NOW_S)
    assert refused.value.message == (
        'Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, '
        "Key: /registry/pods/ns/p, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: {text}"
    )
    assert bind(pod(), binding(uid="u", resourceVersion="7"), NOW_S)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            {"kind": "Pod", "name": "n"},
            'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
        ),
        ({"kind": "Node"}, "target.name: Required value"),
        (
            {"kind": "Pod"},
            '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", '
            "target.name: Required value]",
        ),
    ],
)
def test_bindings_that_are_none(target: Obj, message: str) -> None:
    with pytest.raises(RefusedError) as refused:
        check_binding({"target": target})
    assert (refused.value.code, refused.value.message) == (500, message)


def test_a_node_is_meant_where_nothing_is_said() -> None:
    check_binding({"target": {"name": "n"}})
