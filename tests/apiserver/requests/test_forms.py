"""The forms of answers: tables, metadata alone, lists, YAML, text."""

import json

import pytest
import yaml

from podium.apiserver.requests.negotiation import JSON
from tests.apiserver.requests.client import (
    EVENTS,
    PODS,
    TABLE,
    event,
    pod,
)


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
            "you requested PartialObjectMetadata, but the requested object is a list (PodList)",
        ),
        (
            "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
            "PartialObjectMetadataList",
            "you requested PartialObjectMetadataList, but the requested object is not a list "
            "(PriorityClass)",
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


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/readyz/ping"])
def test_all_is_well(client, path):
    assert client.get(path) == "ok"


def test_each_check_is_told_to_those_who_ask(client):
    assert client.get("/livez?verbose") == "[+]ping ok\nlivez check passed\n"


CHECKS = {"machine/a": "", "machine/b": "TypeError, tried again soon"}


@pytest.mark.parametrize(
    ("path", "code", "text"),
    [
        ("/livez", 200, "ok"),
        ("/readyz/machine/a", 200, "ok"),
        ("/readyz/machine/b", 500, "internal server error: TypeError, tried again soon\n"),
        ("/readyz/machine/c", 404, "404 page not found\n"),
        ("/livez/machine/b", 404, "404 page not found\n"),
        (
            "/readyz",
            500,
            "[+]ping ok\n[+]machine/a ok\n"
            "[-]machine/b failed: TypeError, tried again soon\nreadyz check failed\n",
        ),
    ],
)
def test_what_fails_is_told(client, path, code, text):
    client.checks = CHECKS
    response = client.ask("GET", path)
    assert (response.code, response.body) == (code, text)


def test_what_the_server_is(client):
    version = client.get("/version")
    assert (version["major"], version["minor"]) == ("1", "36")
    assert version["gitVersion"].startswith("v1.36.")
    assert "/apis/policy/v1" in client.get("/")["paths"]
    assert client.ask("POST", "/version").code == 405


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


def test_json_is_indented_for_people(client):
    assert client.ask("GET", "/version?pretty=1").content().startswith(b'{\n  "major"')
    assert client.ask("GET", "/version", user_agent="curl/8.5.0").content().endswith(b"\n}\n")
    plain = client.ask("GET", "/version").content()
    assert json.loads(plain)["minor"] == "36"
    assert plain.count(b"\n") == 1
