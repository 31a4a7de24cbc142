"""Ephemeral containers: they may be added to a pod, and never changed or removed."""

from typing import Any

import pytest

from tests.apiserver.requests.client import PODS, Client, pod

STRATEGIC = "application/strategic-merge-patch+json"
PATH = f"{PODS}/p/ephemeralcontainers"
OLD = {"name": "old", "image": "busybox"}


def add(client: Client, *containers: dict[str, Any]) -> Any:
    body = {"spec": {"ephemeralContainers": [*containers]}}
    return client.ask("PATCH", PATH, body, content_type=STRATEGIC)


@pytest.fixture
def debugged(client: Client) -> Client:
    client.create_pod("p")
    assert add(client, OLD).code == 200
    return client


def names(client: Client) -> list[str]:
    return [one["name"] for one in client.get(PATH)["spec"].get("ephemeralContainers") or ()]


def test_they_are_added(debugged: Client) -> None:
    added = add(debugged, {"name": "new", "image": "busybox", "targetContainerName": "c"})
    assert added.code == 200
    assert sorted(names(debugged)) == ["new", "old"]
    assert added.body["metadata"]["generation"] == 3
    filled = debugged.get(PATH)["spec"]["ephemeralContainers"][0]
    assert filled["terminationMessagePolicy"] == "File"


def test_nothing_else_changes(debugged: Client) -> None:
    found = debugged.get(PATH)
    sent = {**found, "metadata": {"name": "p", "labels": {"a": "b"}}}
    sent["spec"] = {**found["spec"], "containers": [{"name": "x", "image": "y"}]}
    assert debugged.ask("PUT", PATH, sent).code == 200
    after = debugged.get(PATH)
    assert after["spec"] == found["spec"]
    assert "labels" not in after["metadata"]


@pytest.mark.parametrize(
    ("container", "said"),
    [
        ({**OLD, "image": "other"}, '"old" may not be changed\n@@'),
        ({"name": "c", "image": "i"}, '[1].name: Duplicate value: "c"'),
        ({"name": "n", "image": " i"}, "[1].image: Invalid value"),
        (
            {"name": "n", "image": "i", "stdin": True, "ports": [{"containerPort": 1}]},
            "[1].ports: ",
        ),
        ({"name": "n", "image": "i", "resources": {"limits": {"cpu": "1"}}}, "[1].resources: "),
        ({"name": "n", "image": "i", "targetContainerName": "old"}, "[1].targetContainerName: Not"),
        (
            {"name": "n", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/"}]},
            "Not found",
        ),
        ({"name": "", "image": "i"}, "[1].name: Required value"),
    ],
)
def test_what_is_refused(debugged: Client, container: dict[str, Any], said: str) -> None:
    there = () if container["name"] == "old" else (OLD,)
    spec = {**debugged.get(PATH)["spec"], "ephemeralContainers": [*there, container]}
    refused = debugged.ask("PUT", PATH, {**pod("p"), "spec": spec})
    assert refused.code == 422
    assert said in refused.body["message"]
    assert names(debugged) == ["old"]


def test_they_are_not_removed(debugged: Client) -> None:
    refused = debugged.ask("PUT", PATH, pod("p"))
    assert 'existing ephemeral containers "old" may not be removed' in refused.body["message"]


def test_the_pod_itself_neither_brings_nor_changes_them(debugged: Client) -> None:
    spec = {**pod("p")["spec"], "ephemeralContainers": [OLD]}
    refused = debugged.ask("POST", PODS, {**pod("q"), "spec": spec})
    assert refused.body["message"].endswith(
        "spec.ephemeralContainers: Forbidden: cannot be set on create"
    )
    stored = debugged.get(f"{PODS}/p")
    more = [*stored["spec"]["ephemeralContainers"], {"name": "new", "image": "i"}]
    sent = {**stored, "spec": {**stored["spec"], "ephemeralContainers": more}}
    refused = debugged.ask("PUT", f"{PODS}/p", sent)
    assert "pod updates may not change fields other than" in refused.body["message"]
