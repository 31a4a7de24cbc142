"""Who owns which fields, as requests tell it."""

import pytest

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"


def managers(obj):
    return [one["manager"] for one in obj["metadata"].get("managedFields", ())]


@pytest.mark.parametrize("nothing", [[], [{}]])
def test_owners_are_taken_off_by_a_list_of_nothing(client, nothing):
    made = client.ask("POST", CONFIG_MAPS, {"metadata": {"name": "a"}}, user_agent="me/1")
    assert managers(made.body) == []
    data = {"data": {"b": "c"}}
    client.ask("PATCH", f"{CONFIG_MAPS}/a", data, content_type=MERGE, user_agent="me/1")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, **data}
    applied = client.ask("PATCH", f"{CONFIG_MAPS}/a?fieldManager=x", body, content_type=APPLY)
    assert "x" in managers(applied.body)
    reset = {"metadata": {"managedFields": nothing}}
    answer = client.ask("PATCH", f"{CONFIG_MAPS}/a", reset, content_type=MERGE)
    assert (answer.code, managers(answer.body)) == (200, [])
    assert managers(client.get(f"{CONFIG_MAPS}/a")) == []


def test_owners_that_nobody_can_read_are_passed_over(client):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"b": "c"}}
    client.ask("POST", CONFIG_MAPS, body)
    odd = [{"manager": "x", "operation": "Sing", "fieldsType": "FieldsV1", "fieldsV1": {}}]
    metadata = {"metadata": {"managedFields": odd}}
    told = client.ask("PATCH", f"{CONFIG_MAPS}/a", metadata, content_type=MERGE)
    assert managers(told.body) == ["unknown"]
    applied = client.ask("PATCH", f"{CONFIG_MAPS}/a?fieldManager=x", body, content_type=APPLY)
    assert (applied.code, managers(applied.body)) == (200, ["x", "unknown"])
