"""Whole requests: what is answered, with which code and headers."""

import pytest
import yaml

from podium.apiserver.requests import Response
from podium.apiserver.requests.request_handler import BODY_LENGTH_MAX
from tests.apiserver.requests.client import (
    DEPLOYMENTS,
    MERGE,
    PODS,
    TABLE,
    deployment,
    pod,
)


def test_an_object_begins_with_what_it_is(client):
    client.create_pod("a")
    assert list(client.get(f"{PODS}/a"))[:3] == ["kind", "apiVersion", "metadata"]


def test_items_of_a_list_do_not_repeat_what_they_are(client):
    client.create_pod("a")
    found = client.get(PODS)
    assert (found["kind"], found["apiVersion"]) == ("PodList", "v1")
    assert list(found["items"][0]) == ["metadata", "spec", "status"]


def test_pages(client):
    for name in "abc":
        client.create_pod(name)
    first = client.get(f"{PODS}?limit=2")
    assert first["metadata"]["remainingItemCount"] == 1
    rest = client.get(f"{PODS}?limit=2&continue={first['metadata']['continue']}")
    assert [item["metadata"]["name"] for item in rest["items"]] == ["c"]
    assert "continue" not in rest["metadata"]


def test_a_pod_through_its_life(client):
    client.create_pod("a")
    patched = client.ask(
        "PATCH", f"{PODS}/a", {"metadata": {"labels": {"x": "1"}}}, content_type=MERGE
    )
    assert patched.body["metadata"]["labels"] == {"x": "1"}
    replaced = client.ask("PUT", f"{PODS}/a", {**patched.body, "metadata": {"name": "a"}})
    assert "labels" not in replaced.body["metadata"]
    target = {"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n"}}
    assert client.ask("POST", f"{PODS}/a/binding", target).code == 201
    assert client.get(f"{PODS}/a")["spec"]["nodeName"] == "n"
    status = {"status": {"phase": "Running"}}
    reported = client.ask("PATCH", f"{PODS}/a/status", status, content_type=MERGE)
    assert reported.body["status"]["phase"] == "Running"
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}}
    assert client.ask("POST", f"{PODS}/a/eviction", eviction).body["status"] == "Success"
    assert client.get(f"{PODS}/a")["metadata"]["deletionGracePeriodSeconds"] == 30
    assert client.ask("DELETE", f"{PODS}/a?gracePeriodSeconds=0").code == 200
    assert client.ask("GET", f"{PODS}/a").code == 404


def test_a_binding_may_name_its_pod_itself(client):
    client.create_pod("a")
    target = {"metadata": {"name": "a"}, "target": {"name": "n"}}
    assert client.ask("POST", "/api/v1/namespaces/default/bindings", target).code == 201
    assert client.get(f"{PODS}/a")["spec"]["nodeName"] == "n"


@pytest.mark.parametrize("name", ["a", "missing"])
def test_an_eviction_is_for_the_pod_that_the_path_names(client, name):
    client.create_pod("a")
    refused = client.ask("POST", f"{PODS}/{name}/eviction", {"metadata": {"name": "other"}})
    assert refused.code == 400
    assert refused.body["message"] == "name in URL does not match name in Eviction object"


def test_an_eviction_in_its_old_version(client):
    client.create_pod("a")
    eviction = {"apiVersion": "policy/v1beta1", "kind": "Eviction", "metadata": {"name": "a"}}
    assert client.ask("POST", f"{PODS}/a/eviction", eviction).code == 201


def test_a_workload_is_scaled(client):
    client.ask("POST", DEPLOYMENTS, deployment("d", 2))
    scale = client.get(f"{DEPLOYMENTS}/d/scale")
    assert (scale["kind"], scale["apiVersion"]) == ("Scale", "autoscaling/v1")
    change = {"spec": {"replicas": 5}}
    patched = client.ask("PATCH", f"{DEPLOYMENTS}/d/scale", change, content_type=MERGE)
    assert patched.body["spec"] == {"replicas": 5}
    wanted = {"metadata": {"name": "d"}, "spec": {"replicas": 1}}
    assert client.ask("PUT", f"{DEPLOYMENTS}/d/scale", wanted).body["spec"] == {"replicas": 1}
    assert client.get(f"{DEPLOYMENTS}/d")["spec"]["replicas"] == 1
    cells = client.get(f"{DEPLOYMENTS}/d/scale", accept=TABLE)["rows"][0]["cells"]
    assert cells == ["d", 1, 0, "0s"]


def test_a_scale_is_applied_by_whoever_owns_it(client):
    client.ask("POST", f"{DEPLOYMENTS}?fieldManager=user", deployment("d", 2))

    def apply(replicas: int, query: str) -> Response:
        scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": replicas}}
        path = f"{DEPLOYMENTS}/d/scale?{query}"
        return client.ask("PATCH", path, scale, content_type="application/apply-patch+yaml")

    refused = apply(5, "fieldManager=scaler")
    (cause,) = refused.body["details"]["causes"]
    assert (refused.code, cause["field"]) == (409, ".spec.replicas")
    assert cause["message"].startswith('conflict with "user"')
    assert apply(5, "fieldManager=scaler&force=1").body["spec"] == {"replicas": 5}
    assert apply(6, "fieldManager=scaler").code == 200
    found = client.get(f"{DEPLOYMENTS}/d")
    assert found["spec"]["replicas"] == 6
    owners = [
        one["subresource"] for one in found["metadata"]["managedFields"] if "subresource" in one
    ]
    assert owners == ["scale"]


def test_what_a_server_side_apply_creates_is_new(client):
    path, kind = f"{PODS}/a?fieldManager=me", "application/apply-patch+yaml"
    body = yaml.safe_dump(pod("a")).encode()
    assert client.ask("PATCH", path, body, content_type=kind).code == 201
    assert client.ask("PATCH", path, body, content_type=kind).code == 200


def test_the_user_agent_is_the_field_manager_unless_one_is_named(client):
    client.ask("POST", PODS, pod("a"), user_agent="kubectl-create/v1.36.2 (linux)")
    client.ask("POST", f"{PODS}?fieldManager=me", pod("b"), user_agent="kubectl-create/v1")
    managers = [
        item["metadata"]["managedFields"][0]["manager"] for item in client.get(PODS)["items"]
    ]
    assert managers == ["kubectl-create", "me"]


def test_all_pods_of_a_list_are_deleted(client):
    client.create_pod("a", metadata={"labels": {"x": "1"}})
    client.create_pod("b")
    deleted = client.ask("DELETE", f"{PODS}?labelSelector=x%3D1")
    assert [item["metadata"]["name"] for item in deleted.body["items"]] == ["a"]
    assert [item["metadata"]["name"] for item in client.get(PODS)["items"]] == ["b"]


def test_a_dry_run_leaves_everything_as_it_is(client):
    assert client.ask("POST", f"{PODS}?dryRun=All", pod("a")).code == 201
    assert client.ask("GET", f"{PODS}/a").code == 404
    client.create_pod("a")
    assert client.ask("DELETE", f"{PODS}/a", {"dryRun": ["All"]}).code == 200
    assert client.ask("DELETE", f"{PODS}?dryRun=All").code == 200
    assert client.ask("PATCH", f"{PODS}/a?dryRun=All", {"metadata": {"labels": {"x": "1"}}},
                      content_type=MERGE).body["metadata"]["labels"] == {"x": "1"}  # fmt: skip
    assert "labels" not in client.get(f"{PODS}/a")["metadata"]


def test_a_deletion_that_goes_on_is_accepted_if_it_was_asked_for_in_the_old_way(client):
    held = {"finalizers": ["example.com/hold"]}
    client.create_pod("a", metadata=held)
    assert client.ask("DELETE", f"{PODS}/a", {"orphanDependents": False}).code == 202
    assert client.ask("DELETE", f"{PODS}/a").code == 200


def test_delete_options_in_a_body_go_before_those_in_the_query(client):
    client.create_pod("a", spec={"nodeName": "n"})
    deleted = client.ask("DELETE", f"{PODS}/a?gracePeriodSeconds=0", {"gracePeriodSeconds": 7})
    assert deleted.body["metadata"]["deletionGracePeriodSeconds"] == 7


def test_warnings(client):
    response = client.ask("POST", PODS, pod("a", spec={"wrong": 1, "w\u00e4rong": 2}))
    assert response.header("Warning") == (
        '299 - "unknown field \\"spec.wrong\\"", 299 - "unknown field \\"spec.w\u00e4rong\\""'
    )
    endpoints = client.ask("GET", "/api/v1/endpoints")
    assert "v1 Endpoints is deprecated" in endpoints.header("Warning")
    assert client.ask("GET", PODS).header("Warning") == ""


def test_bodies_that_are_too_large(client):
    response = client.ask("POST", PODS, b" " * (BODY_LENGTH_MAX + 1))
    assert (response.code, response.body["reason"]) == (413, "RequestEntityTooLarge")


def test_a_log_is_empty_before_a_pod_is_on_a_node(client):
    client.create_pod("a")
    two = [{"name": one, "image": "i"} for one in ("x", "y")]
    client.create_pod(
        "b", spec={"containers": two, "initContainers": [{"name": "z", "image": "i"}]}
    )
    for path in (f"{PODS}/a/log", f"{PODS}/b/log?container=z"):
        answer = client.ask("GET", path)
        assert (answer.code, answer.body) == (204, "")
    assert client.ask("GET", f"{PODS}/a/log?container=x").body["message"] == (
        "container x is not valid for pod a"
    )
    assert client.ask("GET", f"{PODS}/b/log").body["message"] == (
        "a container name must be specified for pod b, choose one of: [z x y]"
    )
    assert client.ask("GET", f"{PODS}/c/log").code == 404


def test_an_object_as_new_as_the_client_has_seen_it(client):
    version = client.create_pod("a")["metadata"]["resourceVersion"]
    assert client.ask("GET", f"{PODS}/a?resourceVersion={version}").code == 200
    later = client.ask("GET", f"{PODS}/a?resourceVersion=9{version}")
    assert (later.code, later.body["reason"]) == (504, "Timeout")
    assert client.ask("GET", f"{PODS}/a?resourceVersion=x").code == 500


def test_nothing_runs_in_pods(client):
    client.create_pod("p")
    for path in ("exec?command=ls", "attach", "portforward", "proxy/", "proxy/a/b"):
        refused = client.ask("GET", f"{PODS}/p/{path}")
        assert refused.code == 501
        assert refused.body["message"].startswith("pod p is simulated, and nothing runs in it for")
    assert client.ask("POST", f"{PODS}/p/exec").code == 501
    assert client.ask("POST", f"{PODS}/x/exec").code == 404
    assert client.ask("DELETE", f"{PODS}/p/exec").code == 405
    assert client.ask("GET", "/api/v1/nodes/n/proxy").code == 404


def test_what_is_not_there_has_empty_details(client):
    """By which kubectl tells a path that isn't there from an object that isn't."""
    assert client.ask("PATCH", f"{PODS}/p/nonsense").body["details"] == {}
    assert client.ask("GET", f"{PODS}/p").body["details"] == {"name": "p", "kind": "pods"}
