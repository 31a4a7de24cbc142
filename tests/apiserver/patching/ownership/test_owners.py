"""What ordinary writes leave in managedFields."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes, WriteOptions
from podium.apiserver.patching import track

POD = KINDS["Pod"]
NOW_S = 1_800_000_000.0

Object = dict[str, Any]


def pod(spec: Object | None = None, **metadata: Any) -> Object:
    made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "u", **metadata}}
    return made if spec is None else {**made, "spec": spec}


def tracked(
    before: Any, after: Object, manager: str = "one", subresource: str = "", now_s: float = NOW_S
) -> Any:
    options = WriteOptions(field_manager=manager)
    return track(Attributes(POD, "", "p", now_s, subresource, options), before, after)


def owned(obj: Any) -> dict[str, Any]:
    return {entry["manager"]: entry["fieldsV1"] for entry in obj["metadata"]["managedFields"]}


def changed(obj: Any, **fields: Any) -> Any:
    return {**obj, **fields}


def test_a_creator_owns_all_but_what_the_server_writes() -> None:
    created = tracked(None, pod({"containers": [{"name": "c"}]}, labels={"a": "1"}))
    assert created["metadata"]["managedFields"] == [
        {
            "manager": "one",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2027-01-15T08:00:00Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
                "f:spec": {
                    ".": {},
                    "f:containers": {".": {}, 'k:{"name":"c"}': {".": {}, "f:name": {}}},
                },
            },
        }
    ]


def test_whoever_changes_a_field_owns_it() -> None:
    created = tracked(None, pod({"nodeName": "a", "hostname": "h"}))
    updated = tracked(created, changed(created, spec={"nodeName": "b", "hostname": "h"}), "two")
    assert owned(updated) == {
        "one": {"f:spec": {".": {}, "f:hostname": {}}},
        "two": {"f:spec": {"f:nodeName": {}}},
    }


def test_what_is_gone_is_nobodys() -> None:
    created = tracked(None, pod({"nodeName": "a"}))
    assert "managedFields" not in tracked(created, pod(None), "two")["metadata"]


def test_nothing_changes_if_nothing_has_changed() -> None:
    created = tracked(None, pod({"nodeName": "a"}))
    assert tracked(created, created, "two", now_s=NOW_S + 9) == created


def test_objects_that_nobody_tracked_stay_so() -> None:
    before = pod({"nodeName": "a"})
    after = pod({"nodeName": "b"})
    assert tracked(before, after) == after


def test_one_manager_has_an_entry_for_each_way_of_writing() -> None:
    created = tracked(None, pod({"nodeName": "a"}))
    status = tracked(created, changed(created, status={"phase": "Running"}), subresource="status")
    entries = status["metadata"]["managedFields"]
    assert [entry.get("subresource") for entry in entries] == [None, "status"]
    assert entries[1]["fieldsV1"] == {"f:status": {".": {}, "f:phase": {}}}


def test_a_status_is_not_owned_through_the_object() -> None:
    created = tracked(None, pod({"nodeName": "a"}))
    after = changed(created, status={"phase": "Running"})
    assert owned(tracked(created, after, "two")) == owned(created)


def test_clients_that_know_nothing_of_owners_do_not_lose_them() -> None:
    created = tracked(None, pod({"nodeName": "a"}))
    assert owned(tracked(created, pod({"nodeName": "a", "hostname": "h"}), "two")) == {
        "one": {"f:spec": {".": {}, "f:nodeName": {}}},
        "two": {"f:spec": {"f:hostname": {}}},
    }


@pytest.mark.parametrize("sent", [[], [{}]])
def test_an_empty_list_makes_a_new_start(sent: list[Any]) -> None:
    created = tracked(None, pod({"nodeName": "a"}))
    assert (
        "managedFields"
        not in tracked(created, pod({"nodeName": "a"}, managedFields=sent))["metadata"]
    )


def test_owners_may_be_written_themselves() -> None:
    created = tracked(None, pod({"nodeName": "a"}))
    entry = {**created["metadata"]["managedFields"][0], "manager": "renamed"}
    renamed = tracked(created, pod({"nodeName": "a"}, managedFields=[entry]), "two")
    assert renamed["metadata"]["managedFields"] == [entry]
    nonsense = pod({"nodeName": "a"}, managedFields=[{"operation": "Guess"}])
    assert owned(tracked(created, nonsense, "two")) == owned(created)
    through_status = tracked(
        created, pod({"nodeName": "a"}, managedFields=[entry]), "two", subresource="status"
    )
    assert owned(through_status) == owned(created)


def test_lists_that_cannot_be_told_apart_are_not_tracked() -> None:
    created = tracked(None, pod({"nodeName": "a"}))
    after = changed(created, spec={"containers": [{"image": "no name"}]})
    assert owned(tracked(created, after, "two")) == owned(created)


def test_repeated_entries_are_owned_together() -> None:
    ports = [{"containerPort": 1, "hostPort": 1}, {"containerPort": 1, "hostPort": 2}]
    created = tracked(None, pod({"containers": [{"name": "c", "ports": ports}]}))
    other = [{**ports[0], "hostPort": 3}, ports[1]]
    updated = tracked(
        created, changed(created, spec={"containers": [{"name": "c", "ports": other}]}), "two"
    )
    step = 'k:{"containerPort":1,"protocol":"TCP"}'
    found = owned(updated)["two"]["f:spec"]["f:containers"]['k:{"name":"c"}']["f:ports"]
    assert found == {step: {}}


def test_the_oldest_updaters_become_one() -> None:
    live: Any = None
    for number in range(13):
        labels = {f"l{one}": "x" for one in range(number + 1)}
        after = pod(None, labels=labels)
        live = tracked(live, after, f"m{number}", now_s=NOW_S + number)
    entries = live["metadata"]["managedFields"]
    assert len(entries) == 10
    assert entries[0]["manager"] == "ancient-changes"
    assert entries[0]["time"] == "2027-01-15T08:00:03Z"
    assert set(entries[0]["fieldsV1"]["f:metadata"]["f:labels"]) == {
        ".",
        "f:l0",
        "f:l1",
        "f:l2",
        "f:l3",
    }


def test_what_one_creator_owns_is_remembered_for_equal_objects_only() -> None:
    spec = {"containers": [{"name": "c", "image": "i"}]}
    first = tracked(None, pod(spec, name="a"), "one")
    again = tracked(None, pod(spec, name="b"), "two", now_s=NOW_S + 1)
    assert owned(again)["two"] == owned(first)["one"]
    assert again["metadata"]["managedFields"][0]["time"] == "2027-01-15T08:00:01Z"
    other = tracked(None, pod({"containers": [{"name": "d", "image": "i"}]}, name="c"))
    assert owned(other) != owned(first)
    labelled = pod(spec, labels={"a": "1"})
    assert "f:spec" in owned(tracked(None, labelled))["one"]
    assert "f:spec" not in owned(tracked(None, labelled, subresource="status"))["one"]


@pytest.mark.parametrize("odd", [2**70, "\ud800"])
def test_what_json_cant_hold_is_owned_all_the_same(odd: Any) -> None:
    made = pod({"schedulerName": odd})
    for _ in range(2):
        assert "f:schedulerName" in owned(tracked(None, made))["one"]["f:spec"]
