"""Autoscalers in autoscaling/v1: what reads and writes them there, and what is kept meanwhile."""

import json
from typing import Any

import pytest

from podium.api.refused import RefusedError
from podium.apiserver.autoscalers import shown_in_v1, stored_from_v1
from tests.apiserver.requests.client import Client

REFERENCE = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
PATH = "/apis/autoscaling/{}/namespaces/default/horizontalpodautoscalers"
METRICS = "autoscaling.alpha.kubernetes.io/metrics"


def cpu(percent: int) -> dict[str, Any]:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


SELECTED = {"name": "rps", "selector": {"matchLabels": {"a": "b"}}}
OTHERS = [
    {
        "type": "Resource",
        "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}},
    },
    {
        "type": "Pods",
        "pods": {"metric": SELECTED, "target": {"type": "AverageValue", "averageValue": "5"}},
    },
    {
        "type": "Object",
        "object": {
            "metric": {"name": "q"},
            "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "s"},
            "target": {"type": "Value", "value": "7"},
        },
    },
    {
        "type": "External",
        "external": {"metric": SELECTED, "target": {"type": "AverageValue", "averageValue": "3"}},
    },
    {
        "type": "ContainerResource",
        "containerResource": {
            "name": "cpu",
            "container": "c",
            "target": {"type": "Utilization", "averageUtilization": 40},
        },
    },
]
FULL = {
    "metadata": {"name": "h", "annotations": {"mine": "kept"}},
    "spec": {
        "scaleTargetRef": REFERENCE,
        "minReplicas": 2,
        "maxReplicas": 9,
        "metrics": [cpu(60), *OTHERS],
        "behavior": {
            "scaleDown": {
                "stabilizationWindowSeconds": 5,
                "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}],
            }
        },
    },
    "status": {
        "currentReplicas": 2,
        "desiredReplicas": 3,
        "conditions": [{"type": "AbleToScale", "status": "True"}],
        "currentMetrics": [
            {
                "type": "Resource",
                "resource": {
                    "name": "cpu",
                    "current": {"averageUtilization": 55, "averageValue": "100m"},
                },
            }
        ],
    },
}


def test_version_1_has_a_field_for_cpu_and_annotations_for_the_rest() -> None:
    shown = shown_in_v1(FULL)
    assert shown["spec"] == {
        "scaleTargetRef": REFERENCE,
        "minReplicas": 2,
        "maxReplicas": 9,
        "targetCPUUtilizationPercentage": 60,
    }
    assert shown["status"] == {
        "currentReplicas": 2,
        "desiredReplicas": 3,
        "currentCPUUtilizationPercentage": 55,
    }
    noted = json.loads(shown["metadata"]["annotations"][METRICS])
    # As kube-apiserver v1.36.2 writes them.
    assert noted[1] == {
        "type": "Pods",
        "pods": {
            "metricName": "rps",
            "targetAverageValue": "5",
            "selector": {"matchLabels": {"a": "b"}},
        },
    }
    assert noted[2]["object"]["target"]["name"] == "s"
    assert noted[3]["external"]["metricSelector"] == {"matchLabels": {"a": "b"}}


def test_nothing_is_lost_on_the_way_to_version_1_and_back() -> None:
    assert stored_from_v1(shown_in_v1(FULL)) == FULL


@pytest.mark.parametrize(
    "text", ["{", '{"a":1}', "[1]", '[{"type":"Resource","resource":5}]', "[" * 5_000]
)
def test_annotations_that_hold_no_metrics_are_refused(text: str) -> None:
    broken = {"metadata": {"annotations": {METRICS: text}}, "spec": {}}
    with pytest.raises(RefusedError, match=METRICS):
        stored_from_v1(broken)


def test_both_versions_are_served() -> None:
    client = Client()
    group = client.get("/apis/autoscaling")
    assert [one["version"] for one in group["versions"]] == ["v2", "v1"]
    body = {
        "apiVersion": "autoscaling/v1",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "one"},
        "spec": {
            "scaleTargetRef": REFERENCE,
            "maxReplicas": 4,
            "targetCPUUtilizationPercentage": 50,
        },
    }
    created = client.ask("POST", PATH.format("v1"), body)
    assert created.code == 201
    stored = client.get(PATH.format("v2") + "/one")
    assert (stored["apiVersion"], stored["spec"]["metrics"]) == ("autoscaling/v2", [cpu(50)])
    shown = client.get(PATH.format("v1") + "/one")
    assert shown["spec"]["targetCPUUtilizationPercentage"] == 50
    listed = client.get(PATH.format("v1"))
    assert [one["spec"]["maxReplicas"] for one in listed["items"]] == [4]


def test_fields_of_version_2_mean_nothing_in_version_1() -> None:
    spec = {"scaleTargetRef": REFERENCE, "maxReplicas": 3}
    unknown = {"spec": {**spec, "metrics": ["x"], "behavior": 5}, "status": {"conditions": 5}}
    assert stored_from_v1({"metadata": {"name": "h"}, **unknown}) == {
        "metadata": {"name": "h"},
        "spec": spec,
        "status": {},
    }
