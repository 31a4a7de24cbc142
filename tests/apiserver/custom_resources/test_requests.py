"""What requests find of a kind that a definition brings; the answers are a real server's."""

from typing import Any

import msgspec
import pytest

from tests.apiserver.custom_resources.crontabs import (
    CRONTABS,
    DEFINITION,
    DEFINITIONS,
    Obj,
    crontab,
    definition,
    serving,
)
from tests.apiserver.requests.client import MERGE, TABLE, Client, events_of

STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
A = f"{CRONTABS}/a"


@pytest.fixture
def client() -> Client:
    made = serving()
    assert made.ask("POST", CRONTABS, crontab("a"), user_agent="me/1").code == 201
    return made


def conditions(client: Client, path: str = DEFINITION) -> dict[str, tuple[str, str]]:
    found = client.get(path)["status"]["conditions"]
    return {one["type"]: (one["status"], one["reason"]) for one in found}


def patched(client: Client, path: str, body: Obj, kind: str = MERGE) -> Any:
    return client.ask("PATCH", path, body, content_type=kind, user_agent="me/1")


def test_a_kind_is_served_as_soon_as_it_is_defined() -> None:
    client = serving()
    assert conditions(client) == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }
    status = client.get(DEFINITION)["status"]
    assert status["storedVersions"] == ["v1"]
    assert status["acceptedNames"]["listKind"] == "CronTabList"
    assert client.get(CRONTABS)["kind"] == "CronTabList"


def test_discovery_tells_of_it(client: Client) -> None:
    groups = [group["name"] for group in client.get("/apis")["groups"]]
    assert groups[-1] == "stable.example.com"
    found = client.get("/apis/stable.example.com/v1")["resources"]
    assert [one["name"] for one in found] == ["crontabs", "crontabs/scale", "crontabs/status"]
    assert found[0]["shortNames"] == ["ct"]
    assert found[0]["storageVersionHash"] == "EdX2FP+L0js="
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    items = client.get("/apis", accept=accept)["items"]
    assert items[-1]["versions"][0]["resources"][0]["responseKind"]["kind"] == "CronTab"


def test_openapi_has_its_schema(client: Client) -> None:
    content = client.ask("GET", "/openapi/v3/apis/stable.example.com/v1").content()
    document = msgspec.json.decode(content)
    schema = document["components"]["schemas"]["com.example.stable.v1.CronTab"]
    assert schema["description"] == "A CronTab runs things."
    assert schema["properties"]["spec"]["properties"]["image"]["maxLength"] == 20
    assert f"{CRONTABS.replace('default', '{namespace}')}/{{name}}/scale" in document["paths"]


def test_objects_are_pruned_and_completed(client: Client) -> None:
    sent = crontab("b", extra=1, any={"q": [1]}, list=[{"name": "x"}])
    answer = client.ask("POST", CRONTABS, {**sent, "status": {"replicas": 3}})
    assert answer.body["spec"] == {
        "image": "nginx",
        "any": {"q": [1]},
        "list": [{"name": "x", "value": "x"}],
        "replicas": 1,
    }
    assert "status" not in answer.body
    assert answer.header("Warning") == '299 - "unknown field \\"spec.extra\\""'


def test_strict_requests_are_refused_for_unknown_fields(client: Client) -> None:
    answer = client.ask("POST", f"{CRONTABS}?fieldValidation=Strict", crontab("b", extra=1))
    assert answer.body["message"] == (
        'CronTab in version "v1" cannot be handled as a CronTab: strict decoding error: '
        'unknown field "spec.extra"'
    )


def test_a_table_has_the_columns_of_the_definition(client: Client) -> None:
    status = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    patched(client, f"{A}/status", status)
    table = client.get(CRONTABS, accept=TABLE)
    names = [column["name"] for column in table["columnDefinitions"]]
    assert names == ["Name", "Spec", "Replicas", "Ready", "Age"]
    assert table["rows"][0]["cells"] == ["a", None, 1, "True", "0s"]


def test_strategic_merge_patches_are_not_taken(client: Client) -> None:
    answer = patched(client, A, {"spec": {"image": "zz"}}, STRATEGIC)
    assert (answer.code, answer.body["reason"]) == (415, "UnsupportedMediaType")
    assert "application/merge-patch+json" in answer.body["message"]


def test_the_status_and_the_rest_are_written_apart(client: Client) -> None:
    answer = patched(client, A, {"spec": {"image": "zz"}, "status": {"replicas": 9}})
    assert answer.body["metadata"]["generation"] == 2
    assert "status" not in answer.body
    answer = patched(client, f"{A}/status", {"spec": {"image": "no"}, "status": {"replicas": 2}})
    assert answer.body["metadata"]["generation"] == 2
    assert (answer.body["spec"]["image"], answer.body["status"]) == ("zz", {"replicas": 2})


def test_it_is_scaled_where_the_definition_says(client: Client) -> None:
    patched(client, f"{A}/status", {"status": {"replicas": 2, "labelSelector": "a=b"}})
    scale = client.get(f"{A}/scale")
    assert (scale["spec"], scale["status"]) == ({"replicas": 1}, {"replicas": 2, "selector": "a=b"})
    assert patched(client, f"{A}/scale", {"spec": {"replicas": 5}}).body["spec"]["replicas"] == 5
    assert client.get(A)["spec"]["replicas"] == 5
    refused = patched(client, f"{A}/scale", {"spec": {"replicas": 50}})
    assert refused.body["details"]["causes"][0]["message"] == (
        "Invalid value: 50: spec.replicas in body should be less than or equal to 10"
    )


def test_server_side_apply_merges_lists_by_their_keys(client: Client) -> None:
    for manager in ("one", "two"):
        sent = {**crontab("s", list=[{"name": manager}]), "spec": {"list": [{"name": manager}]}}
        if manager == "one":
            sent["spec"]["image"] = "nginx"
        path = f"{CRONTABS}/s?fieldManager={manager}"
        assert client.ask("PATCH", path, sent, content_type=APPLY).code in (200, 201)
    found = client.get(f"{CRONTABS}/s")
    assert [one["name"] for one in found["spec"]["list"]] == ["one", "two"]
    owned = found["metadata"]["managedFields"][1]["fieldsV1"]
    assert owned == {"f:spec": {"f:list": {'k:{"name":"two"}': {".": {}, "f:name": {}}}}}


def test_an_update_names_the_version_that_it_changes(client: Client) -> None:
    refused = client.ask("PUT", A, crontab("a"))
    why = "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
    assert refused.body["message"].endswith(why)


def test_objects_are_selected_by_the_fields_of_the_definition(client: Client) -> None:
    assert len(client.get(f"{CRONTABS}?fieldSelector=spec.image=nginx")["items"]) == 1
    assert client.get(f"{CRONTABS}?fieldSelector=spec.image=other")["items"] == []
    refused = client.ask("GET", f"{CRONTABS}?fieldSelector=spec.foo=x")
    assert refused.body["message"] == "field label not supported: spec.foo"


def test_what_was_wrong_before_may_stay(client: Client) -> None:
    client.ask("DELETE", A)
    lax = definition()
    version = lax["spec"]["versions"][0]
    del version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["image"][
        "minLength"
    ]
    lax["metadata"]["resourceVersion"] = client.get(DEFINITION)["metadata"]["resourceVersion"]
    assert client.ask("PUT", DEFINITION, lax).code == 200
    assert client.ask("POST", CRONTABS, crontab("a", image="x")).code == 201
    strict = definition()
    strict["metadata"]["resourceVersion"] = client.get(DEFINITION)["metadata"]["resourceVersion"]
    assert client.ask("PUT", DEFINITION, strict).code == 200
    assert patched(client, A, {"spec": {"mode": "a"}}).code == 200
    assert patched(client, A, {"spec": {"image": "y"}}).code == 422


def test_a_watch_tells_of_objects(client: Client) -> None:
    watch = client.ask("GET", f"{CRONTABS}?watch=true").body
    client.ask("POST", CRONTABS, crontab("b"))
    told = [*events_of(watch, client.now_s), *events_of(watch, client.now_s)]
    events = [(event["type"], event["object"]["metadata"]["name"]) for event in told]
    assert events == [("ADDED", "a"), ("ADDED", "b")]


def test_objects_go_with_their_definition(client: Client) -> None:
    patched(client, A, {"metadata": {"finalizers": ["example.com/x"]}})
    client.ask("POST", CRONTABS, crontab("b"))
    assert client.ask("DELETE", DEFINITION).code == 200
    assert conditions(client)["Terminating"] == ("True", "InstanceDeletionInProgress")
    assert [one["metadata"]["name"] for one in client.get(CRONTABS)["items"]] == ["a"]
    refused = client.ask("POST", CRONTABS, crontab("c"))
    assert refused.body["message"] == (
        'crontabs.stable.example.com "c" is forbidden: create not allowed while custom resource '
        "definition is terminating"
    )
    patched(client, A, {"metadata": {"finalizers": None}})
    assert client.ask("GET", DEFINITION).code == 404
    assert client.ask("GET", CRONTABS).code == 404
    assert "stable.example.com" not in str(client.get("/apis"))


def test_names_that_another_has_are_not_given() -> None:
    client = serving()
    other = definition()
    other["metadata"]["name"] = "ctabs.stable.example.com"
    other["spec"]["names"]["plural"] = "ctabs"
    assert client.ask("POST", DEFINITIONS, other).code == 201
    path = f"{DEFINITIONS}/ctabs.stable.example.com"
    assert conditions(client, path) == {
        "NamesAccepted": ("False", "ListKindConflict"),
        "Established": ("False", "NotAccepted"),
    }
    assert client.get(path)["status"]["acceptedNames"] == {
        "categories": ["all"],
        "kind": "",
        "plural": "ctabs",
    }
    client.ask("DELETE", DEFINITION)
    assert conditions(client, path)["Established"] == ("True", "InitialNamesAccepted")


def test_another_version_shows_the_same_objects() -> None:
    client, two = Client(), definition()
    alpha = {**two["spec"]["versions"][0], "name": "v1alpha1", "storage": False}
    two["spec"]["versions"].insert(0, {**alpha, "deprecated": True})
    assert client.ask("POST", DEFINITIONS, two).code == 201
    old = CRONTABS.replace("v1", "v1alpha1")
    sent = {**crontab("a"), "apiVersion": "stable.example.com/v1alpha1"}
    answer = client.ask("POST", old, sent)
    assert answer.body["apiVersion"] == "stable.example.com/v1alpha1"
    assert "v1alpha1 CronTab is deprecated" in answer.header("Warning")
    assert client.get(f"{CRONTABS}/a")["apiVersion"] == "stable.example.com/v1"
    preferred = client.get("/apis/stable.example.com")["preferredVersion"]["version"]
    assert preferred == "v1"


def test_without_its_conversion_webhook_only_the_stored_version_is_served() -> None:
    client, wanted = Client(), definition()
    first = wanted["spec"]["versions"][0]
    wanted["spec"]["versions"].append({**first, "name": "v2", "storage": False, "served": True})
    service = {"namespace": "n", "name": "s"}
    wanted["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}},
    }
    made = client.ask("POST", DEFINITIONS, wanted)
    assert made.code == 201, made.body
    assert "only the version that objects are stored in is served" in str(made.headers)
    assert client.ask("POST", CRONTABS, crontab("a")).code == 201
    assert client.ask("GET", CRONTABS.replace("/v1/", "/v2/")).code == 404


def test_rules_in_cel_are_warned_of() -> None:
    client, ruled = Client(), definition()
    schema = ruled["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["x-kubernetes-validations"] = [{"rule": "true"}]
    answer = client.ask("POST", DEFINITIONS, ruled)
    assert "doesn't evaluate the rules in x-kubernetes-validations" in answer.header("Warning")


def test_a_kind_may_be_called_as_one_that_is_built_in() -> None:
    client, services = Client(), definition()
    services["metadata"]["name"] = "services.stable.example.com"
    services["spec"]["names"] = {"plural": "services", "kind": "Service"}
    assert client.ask("POST", DEFINITIONS, services).code == 201
    path = CRONTABS.replace("crontabs", "services")
    assert client.ask("POST", path, {**crontab("a"), "kind": "Service"}).code == 201
    assert client.get(f"{path}/a")["spec"]["replicas"] == 1
    assert client.get("/api/v1/namespaces/default/services")["items"] == []
