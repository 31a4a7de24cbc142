"""What changes of a pod are refused with, word by word as the real API server says it."""

import json
from typing import Any

import pytest
import yaml

from tests.apiserver.requests.client import Client
from tests.cluster.real.world import PODS, World
from tests.objects import near, pod, required

POD_SPEC = """
tolerations: [{key: x, operator: Exists, effect: NoSchedule}]
topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]
volumes: [{name: v, emptyDir: {}}]
containers:
- name: c
  image: i
  ports: [{containerPort: 80}]
  env: [{name: E, value: "1"}]
  resources: {requests: {cpu: "1"}}
  volumeMounts: [{name: v, mountPath: /v}]
  readinessProbe: {httpGet: {path: /, port: 80}}
"""
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


@pytest.mark.parametrize("gates", [[], [{"name": "a.b/c"}]], ids=["open", "gated"])
def test_a_refused_change_is_told_as_the_real_server_tells_it(
    world: World, gates: list[dict[str, str]]
) -> None:
    apart = required("podAntiAffinity", near("a", "zone"))
    made = pod("p", affinity=apart, schedulingGates=gates, **yaml.safe_load(POD_SPEC))
    world.create(made)
    ours = Client()
    ours.ask_plainly("POST", PODS, made, {"Content-Type": "application/json"})
    headers = {"Content-Type": "application/strategic-merge-patch+json"}
    for name, change in CHANGES.items():
        body = {"spec": change}
        code, found = ours.ask_plainly("PATCH", f"{PODS}/p", body, headers)
        response = world.plane.client.request(
            "PATCH", f"{PODS}/p", content=json.dumps(body), headers=headers
        )
        assert (code, found["message"]) == (response.status_code, response.json()["message"]), name
