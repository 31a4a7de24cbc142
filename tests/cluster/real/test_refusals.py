"""What changes of a pod are refused with, word by word as the real API server says it."""

import json
from typing import Any

import pytest

from tests.apiserver.requests.client import Client
from tests.cluster.real.world import PODS, World

_APART = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "zone"}
POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "default"},
    "spec": {
        "affinity": {
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_APART]}
        },
        "tolerations": [{"key": "x", "operator": "Exists", "effect": "NoSchedule"}],
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
        ],
        "volumes": [{"name": "v", "emptyDir": {}}],
        "containers": [
            {
                "name": "c",
                "image": "i",
                "ports": [{"containerPort": 80}],
                "env": [{"name": "E", "value": "1"}],
                "resources": {"requests": {"cpu": "1"}},
                "volumeMounts": [{"name": "v", "mountPath": "/v"}],
                "readinessProbe": {"httpGet": {"path": "/", "port": 80}},
            }
        ],
    },
}
CHANGES: dict[str, dict[str, Any]] = {
    "scheduler": {"schedulerName": "other"},
    "priority": {"priority": 5},
    "class": {"priorityClassName": "system-node-critical"},
    "policy": {"preemptionPolicy": "Never"},
    "node": {"nodeName": "z"},
    "network": {"hostNetwork": True},
    "resources": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]},
    "environment": {"containers": [{"name": "c", "env": [{"name": "E", "value": "2"}]}]},
    "spreading": {"topologySpreadConstraints": None},
    "affinity": {"affinity": None},
}


@pytest.fixture(params=["open", "gated"])
def pod(request: pytest.FixtureRequest) -> dict[str, Any]:
    gates = [{"name": "a.b/c"}] if request.param == "gated" else []
    return {**POD, "spec": {**POD["spec"], "schedulingGates": gates}}


def test_a_refused_change_is_told_as_the_real_server_tells_it(
    world: World, pod: dict[str, Any]
) -> None:
    world.create(pod)
    ours = Client()
    ours.ask_plainly("POST", PODS, pod, {"Content-Type": "application/json"})
    headers = {"Content-Type": "application/strategic-merge-patch+json"}
    for name, change in CHANGES.items():
        body = {"spec": change}
        code, found = ours.ask_plainly("PATCH", f"{PODS}/p", body, headers)
        response = world.plane.client.request(
            "PATCH", f"{PODS}/p", content=json.dumps(body), headers=headers
        )
        assert (code, found["message"]) == (response.status_code, response.json()["message"]), name
