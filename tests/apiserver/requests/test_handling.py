"""Whole requests: what is answered, with which code and headers."""

import json

import pytest
import yaml

from podium.apiserver.requests import Response, Watching, encoded
from podium.apiserver.requests.handling import BODY_LENGTH_MAX
from podium.apiserver.requests.negotiation import JSON
from tests.apiserver.requests.client import (
    DEPLOYMENTS,
    EVENTS,
    MERGE,
    PODS,
    TABLE,
    Client,
    deployment,
    event,
    pod,
)


@pytest.fixture
def client() -> Client:
    return Client()


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


def test_events_in_both_versions(client):
    assert client.ask("POST", EVENTS, event("e")).body["regarding"]["name"] == "p"
    core = client.get("/api/v1/namespaces/default/events/e")
    assert (core["apiVersion"], core["message"]) == ("v1", "once")
    assert core["involvedObject"]["name"] == "p"
    (item,) = client.get(EVENTS)["items"]
    assert item["note"] == "once"
    row = client.get(f"{EVENTS}?includeObject=Object", accept=TABLE)["rows"][0]
    assert row["cells"][3] == "pod/p"
    assert row["object"]["apiVersion"] == "events.k8s.io/v1"


def test_tables(client):
    client.create_pod("a")
    client.now_s += 65
    found = client.get(PODS, accept=TABLE)
    assert (found["kind"], found["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert found["metadata"]["resourceVersion"]
    assert found["rows"][0]["cells"][:5] == ["a", "0/1", "Pending", "0", "65s"]
    assert found["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
    assert client.get(f"{PODS}?includeObject=None", accept=TABLE)["rows"][0]["object"] is None
    old = client.get(PODS, accept=TABLE.replace("v=v1", "v=v1beta1"))
    assert old["rows"][0]["object"]["apiVersion"] == "meta.k8s.io/v1beta1"
    refused = client.ask("GET", f"{PODS}?includeObject=All", accept=TABLE)
    assert (refused.code, refused.body["message"]) == (
        400,
        "Unable to convert to Table as requested: includeObject: "
        "Invalid value: \"All\": must be 'Metadata', 'Object', 'None', or empty",
    )


@pytest.mark.parametrize(
    ("path", "shape", "message"),
    [
        (
            PODS,
            "PartialObjectMetadata",
            "you requested PartialObjectMetadata, but the requested object is a list "
            "(*core.PodList)",
        ),
        (
            "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
            "PartialObjectMetadataList",
            "you requested PartialObjectMetadataList, but the requested object is not a list "
            "(*scheduling.PriorityClass)",
        ),
    ],
)
def test_a_list_is_no_object_and_an_object_no_list(client, path, shape, message):
    response = client.ask("GET", path, accept=f"application/json;as={shape};v=v1;g=meta.k8s.io")
    assert (response.code, response.body["message"]) == (406, message)


def test_metadata_alone(client):
    client.create_pod("a")
    accept = "application/json;as=PartialObjectMetadata{};v=v1;g=meta.k8s.io"
    one = client.get(f"{PODS}/a", accept=accept.format(""))
    assert set(one) == {"kind", "apiVersion", "metadata"}
    listed = client.get(PODS, accept=accept.format("List"))
    assert (listed["kind"], listed["items"]) == ("PartialObjectMetadataList", [one])


def test_a_watch(client):
    client.create_pod("a")
    watch = client.ask("GET", f"{PODS}?watch=1&timeoutSeconds=9&allowWatchBookmarks=1").body
    assert isinstance(watch, Watching)
    assert watch.timeout_s == 9
    first = watch.take(client.now_s)
    assert [one["type"] for one in first] == ["ADDED", "BOOKMARK"]
    assert first[0]["object"]["kind"] == "Pod"
    client.create_pod("b")
    last = watch.finish(client.now_s)
    assert [one["type"] for one in last] == ["ADDED", "BOOKMARK"]
    version = client.get(PODS)["metadata"]["resourceVersion"]
    assert last[1]["object"]["metadata"] == {"resourceVersion": version}
    assert not watch.has_ended


def test_no_bookmarks_for_those_who_do_not_understand_them(client):
    watch = client.ask("GET", f"{PODS}?watch=1").body
    assert watch.timeout_s is None
    assert watch.finish(client.now_s) == []


def test_a_watch_of_tables_describes_the_columns_once(client):
    client.create_pod("a")
    client.create_pod("b")
    watch = client.ask("GET", f"{PODS}?watch=1", accept=TABLE).body
    tables = [one["object"] for one in watch.take(client.now_s)]
    assert [len(table["columnDefinitions"]) > 0 for table in tables] == [True, False]
    assert [table["rows"][0]["cells"][0] for table in tables] == ["a", "b"]


def test_a_watch_of_one_object_by_its_old_path(client):
    client.create_pod("a")
    client.create_pod("b")
    path = "/api/v1/watch/namespaces/default/pods/b"
    (found,) = client.ask("GET", path).body.take(client.now_s)
    assert found["object"]["metadata"]["name"] == "b"
    both = client.ask("GET", f"{path}?fieldSelector=metadata.name%3Db,status.phase%3DPending")
    assert both.code == 200
    other = client.ask("GET", f"{path}?fieldSelector=metadata.name%3Da")
    assert other.body["message"] == "fieldSelector metadata.name doesn't match requested name"


def test_a_watch_of_what_is_still_to_come_is_asked_to_wait(client):
    response = client.ask("GET", f"{PODS}?watch=1&resourceVersion=99999")
    assert (response.code, response.header("Retry-After")) == (504, "1")


def test_a_watch_of_what_is_forgotten_ends_at_once():
    client = Client(history_max=2)
    first = client.create_pod("a")["metadata"]["resourceVersion"]
    for name in "bcd":
        client.create_pod(name)
    response = client.ask("GET", f"{PODS}?watch=1&resourceVersion={first}&allowWatchBookmarks=1")
    (event,) = response.body.finish(client.now_s)
    assert (response.code, event["type"], event["object"]["code"]) == (200, "ERROR", 410)
    assert response.body.has_ended


@pytest.mark.parametrize("path", ["/nothing/here", "/apis/none.example/v1", "/apis/none.example"])
def test_paths_outside_of_all_groups(client, path):
    response = client.ask("GET", path)
    assert (response.code, response.body) == (404, "404 page not found\n")
    assert response.header("Content-Type") == "text/plain; charset=utf-8"


def test_paths_within_a_group_are_refused_as_objects_are(client):
    response = client.ask("GET", "/api/v1/podz")
    assert response.code == response.body["code"] == 404
    assert response.body["message"] == "the server could not find the requested resource"


def test_slashes_and_escapes(client):
    client.create_pod("a")
    assert client.get("//api/v1/namespaces/default/pods/%61/")["metadata"]["name"] == "a"


def test_bodies_that_are_too_large(client):
    response = client.ask("POST", PODS, b" " * (BODY_LENGTH_MAX + 1))
    assert (response.code, response.body["reason"]) == (413, "RequestEntityTooLarge")


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/readyz/ping"])
def test_all_is_well(client, path):
    assert client.get(path) == "ok"


def test_each_check_is_told_to_those_who_ask(client):
    assert client.get("/livez?verbose") == "[+]ping ok\nlivez check passed\n"


def test_what_the_server_is(client):
    version = client.get("/version")
    assert (version["major"], version["minor"]) == ("1", "36")
    assert version["gitVersion"].startswith("v1.36.")
    assert "/apis/policy/v1" in client.get("/")["paths"]
    assert client.ask("POST", "/version").code == 405


def test_a_log_is_empty(client):
    client.create_pod("a")
    two = [{"name": one, "image": "i"} for one in ("x", "y")]
    client.create_pod(
        "b", spec={"containers": two, "initContainers": [{"name": "z", "image": "i"}]}
    )
    assert client.get(f"{PODS}/a/log") == client.get(f"{PODS}/b/log?container=z") == ""
    assert client.ask("GET", f"{PODS}/a/log?container=x").body["message"] == (
        "container x is not valid for pod a"
    )
    assert client.ask("GET", f"{PODS}/b/log").body["message"] == (
        "a container name must be specified for pod b, choose one of: [x y] "
        "or one of the init containers: [z]"
    )
    assert client.ask("GET", f"{PODS}/c/log").code == 404


def test_yaml_both_ways(client):
    body = yaml.safe_dump(pod("a")).encode()
    made = client.ask(
        "POST", PODS, body, content_type="application/yaml", accept="application/yaml"
    )
    assert made.header("Content-Type") == "application/yaml"
    assert yaml.safe_load(made.content())["metadata"]["name"] == "a"


def test_refusals_come_in_yaml_too(client):
    refused = client.ask("GET", f"{PODS}/a", accept="application/yaml")
    assert refused.header("Content-Type") == "application/yaml"
    assert yaml.safe_load(refused.content())["code"] == 404
    assert client.ask("GET", f"{PODS}/a", accept="text/html").header("Content-Type") == JSON


def test_what_stands_in_several_places_is_written_out_in_each(client):
    written = client.ask("GET", "/apis/policy", accept="application/yaml").content()
    assert b"&id" not in written
    assert written.count(b"groupVersion: policy/v1") == 2


def test_an_object_as_new_as_the_client_has_seen_it(client):
    version = client.create_pod("a")["metadata"]["resourceVersion"]
    assert client.ask("GET", f"{PODS}/a?resourceVersion={version}").code == 200
    later = client.ask("GET", f"{PODS}/a?resourceVersion=9{version}")
    assert (later.code, later.body["reason"]) == (504, "Timeout")
    assert client.ask("GET", f"{PODS}/a?resourceVersion=x").code == 500


def test_json_is_indented_for_people(client):
    assert client.ask("GET", "/version?pretty=1").content().startswith(b'{\n  "major"')
    assert client.ask("GET", "/version", user_agent="curl/8.5.0").content().endswith(b"\n}\n")
    plain = client.ask("GET", "/version").content()
    assert json.loads(plain)["minor"] == "36"
    assert plain.count(b"\n") == 1


def test_a_watch_goes_over_the_wire_event_by_event(client):
    client.create_pod("a")
    response = client.ask("GET", f"{PODS}?watch=1")
    with pytest.raises(TypeError, match="event by event"):
        response.content()
    (line,) = map(encoded, response.body.take(client.now_s))
    assert json.loads(line)["type"] == "ADDED"
    assert line.endswith(b"}\n")
