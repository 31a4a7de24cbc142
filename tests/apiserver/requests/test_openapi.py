"""OpenAPI: whole documents, true to what is served, in the forms that clients ask for."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from podium.apiserver.protobuf.messages import as_bytes, fields
from podium.apiserver.registry import BUILT_IN
from podium.apiserver.requests.openapi.schemas import descriptions, reachable
from podium.apiserver.requests.routes import verbs
from podium.apiserver.schema.struct_types import meta_struct, struct_of
from tests.apiserver.requests.client import Client

PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
KUBECTLS_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"


@pytest.fixture(scope="module")
def documents() -> dict[str, Any]:
    """All documents by their paths."""
    client = Client()
    index = json.loads(client.get("/openapi/v3"))["paths"]
    found = {path: client.get(entry["serverRelativeURL"]) for path, entry in index.items()}
    found["v2"] = client.get("/openapi/v2")
    return {path: json.loads(content) for path, content in found.items()}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def operations(document: Any) -> Iterator[Any]:
    for item in document["paths"].values():
        yield from (item[method] for method in item if method != "parameters")


def pod_spec(document: Any) -> Any:
    schemas = document.get("definitions") or document["components"]["schemas"]
    return schemas["io.k8s.api.core.v1.PodSpec"]["properties"]


def test_every_group_has_a_document(documents):
    wanted = {f"apis/{group}/{version}" for group, version in BUILT_IN.by_plural if group}
    assert documents.keys() == wanted | {"api/v1", "v2"}


def test_references_lead_somewhere(documents):
    for document in documents.values():
        for reference in set(references(document)):
            found = document
            for part in reference.removeprefix("#/").split("/"):
                found = found[part]
            assert found.keys() & {"type", "oneOf"}


def test_operations_are_what_is_served(documents):
    served = 0
    for kinds in BUILT_IN.by_plural.values():
        for kind in kinds.values():
            served += len(set(verbs(kind)) - {"watch"})
            served += sum(len(verbs(kind, subresource)) for subresource in kind.subresources)
            # Namespaced kinds are listed in namespaces and across them.
            served += kind.namespaced and "list" in verbs(kind)
    found = list(operations(documents["v2"]))
    assert len(found) == served
    assert len({one["operationId"] for one in found}) == served
    assert sum(len(list(operations(one))) for one in documents.values()) == 2 * served


def test_patches_tell_their_options_and_what_they_are_about(documents):
    patch = documents["api/v1"]["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"]
    named = {parameter["name"] for parameter in patch["parameters"]}
    assert {"dryRun", "fieldManager", "fieldValidation", "force"} <= named
    about = {"group": "", "kind": "Pod", "version": "v1"}
    assert patch["x-kubernetes-group-version-kind"] == about
    paths = documents["v2"]["paths"]
    scale = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"]["get"]
    about = {"group": "autoscaling", "kind": "Scale", "version": "v1"}
    assert scale["x-kubernetes-group-version-kind"] == about


@pytest.mark.parametrize("path", ["v2", "api/v1", "apis/apps/v1"])
def test_how_fields_merge(documents, path):
    spec = pod_spec(documents[path])
    containers = spec["containers"]
    assert containers["x-kubernetes-patch-strategy"] == "merge"
    assert containers["x-kubernetes-patch-merge-key"] == "name"
    assert containers["x-kubernetes-list-type"] == "map"
    assert containers["x-kubernetes-list-map-keys"] == ["name"]
    assert spec["volumes"]["x-kubernetes-patch-strategy"] == "merge,retainKeys"
    assert spec["tolerations"]["x-kubernetes-list-type"] == "atomic"
    assert "x-kubernetes-patch-strategy" not in spec["tolerations"]
    assert spec["nodeSelector"]["x-kubernetes-map-type"] == "atomic"
    assert spec["priority"]["type"] == "integer"


def test_references_with_something_beside_them(documents):
    """OpenAPI 3 ignores what stands beside a reference."""
    assert "$ref" in pod_spec(documents["v2"])["affinity"]
    affinity = pod_spec(documents["api/v1"])["affinity"]
    assert "$ref" not in affinity
    (reference,) = references(affinity)
    assert reference.endswith("core.v1.Affinity")
    for document in documents.values():
        if "openapi" in document:
            for schema in document["components"]["schemas"].values():
                for found in schema.get("properties", {}).values():
                    assert "$ref" not in found or len(found) == 1


def test_kinds_say_what_they_are(documents):
    schemas = documents["apis/policy/v1"]["components"]["schemas"]
    budget = schemas["io.k8s.api.policy.v1.PodDisruptionBudget"]
    about = {"group": "policy", "kind": "PodDisruptionBudget", "version": "v1"}
    assert budget["x-kubernetes-group-version-kind"] == [about]
    spec = schemas["io.k8s.api.policy.v1.PodDisruptionBudgetSpec"]
    assert "x-kubernetes-group-version-kind" not in spec


def test_descriptions_are_about_what_there_is():
    kinds = [
        struct_of(f"{group}/{version}" if group else version, kind.name)
        for (group, version), found in BUILT_IN.by_plural.items()
        for kind in found.values()
    ]
    others = [struct_of("policy/v1", "Eviction"), struct_of("v1", "Binding")]
    structs = reachable([*kinds, *others, meta_struct("DeleteOptions")])
    names = {struct.name for struct in structs}
    names |= {f"{struct.name}.{field}" for struct in structs for field in struct.fields}
    assert descriptions().keys() <= names


def test_documents_are_kept(client):
    """Under an address with its digest, a document is never asked for twice."""
    index = client.ask("GET", "/openapi/v3")
    address = json.loads(index.body)["paths"]["apis/apps/v1"]["serverRelativeURL"]
    found = client.ask("GET", address)
    assert "immutable" in found.header("Cache-Control")
    assert found.header("ETag").strip('"') in address
    assert client.ask("GET", "/openapi/v3/apis/apps/v1").header("Cache-Control") == "no-cache"
    again = client.ask("GET", "/openapi/v3", if_none_match=index.header("ETag"))
    assert (again.code, again.content()) == (304, b"")


def test_what_is_not_there(client):
    assert client.ask("GET", "/openapi/v3/apis/apps/v2").code == 404
    assert client.ask("GET", "/openapi/v3/api/v2").code == 404
    assert client.ask("GET", "/openapi").code == 404
    assert client.ask("POST", "/openapi/v2").code == 405
    assert client.ask("GET", "/openapi/v3/api/v1", accept=PROTOBUF).code == 406
    assert client.ask("GET", "/openapi/v2", accept="text/html").code == 406


@pytest.mark.parametrize("accept", [PROTOBUF, KUBECTLS_PROTOBUF])
def test_the_schemas_of_version_2_are_told_in_protobuf(client, documents, accept):
    answer = client.ask("GET", "/openapi/v2", accept=accept)
    assert answer.header("Content-Type") == PROTOBUF
    (definitions,) = (value for number, value in fields(answer.content()) if number == 9)
    told = by_name(definitions)
    assert list(told) == list(documents["v2"]["definitions"])
    ((_, properties),) = (one for one in fields(told["io.k8s.api.core.v1.PodSpec"]) if one[0] == 25)
    spec = by_name(properties)
    assert list(spec) == list(pod_spec(documents["v2"]))
    values = [as_bytes(value) for number, value in fields(spec["containers"]) if number == 31]
    extensions = {key.decode(): json.loads(dict(fields(value))[2]) for key, value in pairs(values)}
    assert extensions["x-kubernetes-patch-merge-key"] == "name"
    # The type `array`, and the items: a reference.
    assert dict(fields(dict(fields(spec["containers"]))[22])) == {1: b"array"}
    items = dict(fields(dict(fields(spec["containers"]))[23]))[1]
    assert dict(fields(items)) == {1: b"#/definitions/io.k8s.api.core.v1.Container"}


def by_name(message: bytes) -> dict[str, bytes]:
    return {name.decode(): value for name, value in pairs(value for _, value in fields(message))}


def pairs(messages: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    for message in messages:
        found = dict(fields(message))
        yield as_bytes(found[1]), as_bytes(found.get(2, b""))
