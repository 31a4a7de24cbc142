"""Objects as they are stored, from request to answer: what is dropped, filled in and counted."""

from typing import Any

import pytest

from tests.apiserver.requests.client import MERGE, Client

Obj = dict[str, Any]
NETWORKING = "/apis/networking.k8s.io/v1/namespaces/default"
AUTOSCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"


@pytest.mark.parametrize(
    ("path", "spec", "status"),
    [
        (f"{NETWORKING}/ingresses", {"defaultBackend": {}}, {"loadBalancer": {}}),
        (
            AUTOSCALERS,
            {"scaleTargetRef": {"kind": "Deployment", "name": "a"}, "maxReplicas": 2},
            {"desiredReplicas": 0, "currentMetrics": None},
        ),
    ],
)
def test_a_new_object_has_the_status_that_is_always_written(path: str, spec: Obj, status: Obj):
    given = {"metadata": {"name": "a"}, "spec": spec, "status": {"loadBalancer": {"ingress": []}}}
    made = Client().ask("POST", path, given)
    assert (made.code, made.body["status"]) == (201, status)


def test_empty_rules_of_a_network_policy_are_dropped_and_add_no_policy_type() -> None:
    client, path = Client(), f"{NETWORKING}/networkpolicies"
    spec = {"podSelector": {}, "ingress": [], "egress": []}
    made = client.ask("POST", path, {"metadata": {"name": "a"}, "spec": spec})
    assert made.body["spec"] == {"podSelector": {}, "policyTypes": ["Ingress"]}
    assert made.body["metadata"]["generation"] == 1
    again = client.ask("PATCH", f"{path}/a", {"spec": spec}, content_type=MERGE)
    assert again.body["metadata"] == made.body["metadata"]
    changed = {"spec": {"policyTypes": ["Egress"]}}
    answer = client.ask("PATCH", f"{path}/a", changed, content_type=MERGE)
    assert answer.body["metadata"]["generation"] == 2


def test_a_balancer_that_needs_no_ports_of_nodes_gets_none() -> None:
    client, path = Client(), "/api/v1/namespaces/default/services"
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}], "selector": {"a": "b"}}
    with_ports = client.ask("POST", path, {"metadata": {"name": "a"}, "spec": spec})
    assert with_ports.body["spec"]["ports"][0]["nodePort"] >= 30_000
    spec = {**spec, "allocateLoadBalancerNodePorts": False}
    without = client.ask("POST", path, {"metadata": {"name": "b"}, "spec": spec})
    assert without.body["spec"]["allocateLoadBalancerNodePorts"] is False
    assert "nodePort" not in without.body["spec"]["ports"][0]


@pytest.mark.parametrize(
    ("spec", "warning"),
    [
        ({"clusterIP": "None", "sessionAffinity": "ClientIP"}, "spec.SessionAffinity is ignored"),
        ({"clusterIP": "None", "externalIPs": ["1.2.3.4"]}, "spec.externalIPs is ignored for"),
        ({"externalName": "a.b"}, "spec.externalName is ignored when spec.type is not"),
        ({"trafficDistribution": "PreferClose"}, "is deprecated; use"),
        ({}, None),
    ],
)
def test_a_new_service_is_warned_of_what_it_ignores(spec: Obj, warning: str | None) -> None:
    body = {"metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}], **spec}}
    made = Client().ask("POST", "/api/v1/namespaces/default/services", body)
    warnings = [text for name, text in made.headers if name == "Warning"]
    assert made.code == 201
    assert len(warnings) == (warning is not None)
    assert all(warning in text for text in warnings)
