"""What is announced, in both forms."""

import pytest

from podium.apiserver.registry import BUILT_IN
from podium.apiserver.requests.discovery import aggregated, document
from podium.apiserver.requests.routes import api_version
from tests.apiserver.requests.client import Client

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def paths() -> list[list[str]]:
    return [
        ["apis", group, version] if group else ["api", version]
        for group, version in BUILT_IN.by_plural
    ]


def resources(path: list[str]) -> dict[str, dict[str, object]]:
    found = document(path, "")
    assert found is not None
    return {one["name"]: one for one in found["resources"]}


def test_resources_of_a_version():
    pods = resources(["api", "v1"])
    assert pods["pods"] == {
        "name": "pods",
        "singularName": "pod",
        "namespaced": True,
        "kind": "Pod",
        "verbs": [
            "create",
            "delete",
            "deletecollection",
            "get",
            "list",
            "patch",
            "update",
            "watch",
        ],
        "shortNames": ["po"],
        "categories": ["all"],
        "storageVersionHash": "xPOwRZ+Yhw8=",
    }
    assert pods["pods/eviction"] == {
        "name": "pods/eviction",
        "singularName": "",
        "namespaced": True,
        "group": "policy",
        "version": "v1",
        "kind": "Eviction",
        "verbs": ["create"],
    }
    assert pods["bindings"]["verbs"] == ["create"]
    assert list(pods) == sorted(pods)
    verbs = pods["namespaces"]["verbs"]
    assert isinstance(verbs, list)
    assert "deletecollection" not in verbs


def test_a_kind_that_is_served_twice_is_announced_twice():
    assert (
        resources(["api", "v1"])["events"] == resources(["apis", "events.k8s.io", "v1"])["events"]
    )


def test_both_forms_say_the_same():
    one_for_all = {
        (group["metadata"].get("name", ""), version["version"]): version["resources"]
        for root in (["api"], ["apis"])
        for group in aggregated(root)["items"]
        for version in group["versions"]
    }
    for path in paths():
        group, version = (path[1], path[2]) if path[0] == "apis" else ("", path[1])
        flat = {}
        for resource in one_for_all[group, version]:
            flat[resource["resource"]] = resource["verbs"]
            for subresource in resource.get("subresources", ()):
                flat[f"{resource['resource']}/{subresource['subresource']}"] = subresource["verbs"]
        assert flat == {name: one["verbs"] for name, one in resources(path).items()}


def test_kinds_of_subresources_in_the_one_document():
    (core,) = aggregated(["api"])["items"]
    (pods,) = (one for one in core["versions"][0]["resources"] if one["resource"] == "pods")
    kinds = {one["subresource"]: one["responseKind"] for one in pods["subresources"]}
    assert kinds["eviction"] == {"group": "policy", "version": "v1", "kind": "Eviction"}
    assert kinds["status"] == {"group": "", "version": "v1", "kind": "Pod"}


def test_the_form_is_negotiated():
    client = Client()
    response = client.ask("GET", "/apis", accept=f"{AGGREGATED},application/json")
    assert response.header("content-type") == AGGREGATED
    assert client.get("/apis")["kind"] == "APIGroupList"
    assert client.get("/apis/apps", accept=f"{AGGREGATED},application/json")["kind"] == "APIGroup"


@pytest.mark.parametrize("path", paths(), ids=lambda path: api_version(*path[-2:]))
def test_whatever_can_be_listed_is_listed(path):
    client = Client()
    for name, resource in resources(path).items():
        verbs = resource["verbs"]
        assert isinstance(verbs, list)
        if "list" in verbs:
            found = client.get(f"/{'/'.join(path)}/{name}")
            assert found["kind"] == f"{resource['kind']}List"
