"""Scale, and resizing."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.kinds.pods.pod_resize import resized
from podium.apiserver.subresources.scale import scale_of, scaled, selector_text

Obj = dict[str, Any]

DEPLOYMENT: Obj = {
    "metadata": {
        "name": "d",
        "namespace": "ns",
        "uid": "u",
        "resourceVersion": "7",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {"a": "b"},
    },
    "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}},
    "status": {"replicas": 2},
}
KIND = KINDS["Deployment"]


def test_the_scale_of_a_deployment() -> None:
    metadata = {field: v for field, v in DEPLOYMENT["metadata"].items() if field != "labels"}
    assert scale_of(KINDS["Deployment"], DEPLOYMENT) == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": 1},
        "status": {"replicas": 2, "selector": "app=a"},
    }


def test_a_deployment_is_scaled() -> None:
    scale = {"metadata": {"name": "d", "resourceVersion": "6"}, "spec": {"replicas": 3}}
    new = scaled(KIND, DEPLOYMENT, scale)
    assert new["spec"] == {**DEPLOYMENT["spec"], "replicas": 3}
    assert new["metadata"]["resourceVersion"] == "6"
    assert scaled(KIND, DEPLOYMENT, {"spec": {}})["metadata"]["resourceVersion"] == "7"
    assert scaled(KIND, DEPLOYMENT, {"spec": {}})["spec"]["replicas"] == 0


def test_a_number_below_zero() -> None:
    with pytest.raises(RefusedError) as refused:
        scaled(KIND, DEPLOYMENT, {"spec": {"replicas": -1}})
    assert refused.value.message == (
        'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: '
        "must be greater than or equal to 0"
    )


def test_the_scale_of_another() -> None:
    with pytest.raises(RefusedError) as refused:
        scaled(KIND, DEPLOYMENT, {"metadata": {"uid": "v"}, "spec": {"replicas": 1}})
    assert refused.value.message == (
        'Operation cannot be fulfilled on deployments/scale.apps "d": '
        "Precondition failed: UID in precondition: v, UID in object meta: u"
    )


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ({}, ""),
        ({"b": "2", "a": "1"}, "a=1,b=2"),
        ({"matchLabels": {"b": "2", "a": "1"}}, "a=1,b=2"),
        (
            {
                "matchLabels": {"m": "1"},
                "matchExpressions": [
                    {"key": "z", "operator": "In", "values": ["b", "a"]},
                    {"key": "c", "operator": "NotIn", "values": ["x"]},
                    {"key": "y", "operator": "Exists"},
                    {"key": "d", "operator": "DoesNotExist"},
                ],
            },
            "c notin (x),!d,m=1,y,z in (a,b)",
        ),
    ],
)
def test_selectors(selector: Obj, text: str) -> None:
    assert selector_text(selector) == text


def container(cpu: str, name: str = "c", **fields: Any) -> Obj:
    return {"name": name, "image": "i", "resources": {"requests": {"cpu": cpu}}, **fields}


def test_only_resources_are_taken_from_a_resize() -> None:
    old = {
        "metadata": {"name": "p", "resourceVersion": "7", "labels": {"a": "b"}},
        "spec": {
            "containers": [container("1"), container("1", "d")],
            "initContainers": [container("1", "i")],
        },
        "status": {"phase": "Running"},
    }
    policy = [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]
    new = {
        "metadata": {"name": "p", "resourceVersion": "6", "labels": {}},
        "spec": {
            "nodeName": "elsewhere",
            "containers": [container("2", "d", image="j", resizePolicy=policy)],
        },
        "status": {},
    }
    assert resized(new, old) == {
        **old,
        "metadata": {**old["metadata"], "resourceVersion": "6"},
        "spec": {
            "containers": [container("1"), container("2", "d", resizePolicy=policy)],
            "initContainers": [container("1", "i")],
        },
    }
