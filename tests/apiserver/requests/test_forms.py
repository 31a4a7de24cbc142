"""Answers as text, JSON and YAML."""

import json

import pytest
import yaml

from podium.apiserver.requests.negotiation import JSON
from podium.apiserver.requests.request_handler import BODY_LENGTH_MAX
from tests.apiserver.requests.client import PODS, pod

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


def test_bodies_that_are_too_large_are_refused(client):
    response = client.ask("POST", PODS, b" " * (BODY_LENGTH_MAX + 1))
    assert (response.code, response.body["reason"]) == (413, "RequestEntityTooLarge")
