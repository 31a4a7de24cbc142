"""Managed fields and server-side apply of objects that requests reach only by detours."""

import copy
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes, WriteOptions
from podium.apiserver.patching.ownership.owners import apply_configuration, track

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


def config(*containers: str, **metadata: Any) -> Object:
    spec = {"containers": [{"name": name} for name in containers], "nodeName": "n"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", **metadata}, "spec": spec}


def apply(current: Any, wanted: Object, manager: str = "one") -> Any:
    options = WriteOptions(field_manager=manager)
    request = Attributes(KINDS["Pod"], "", "p", 1_800_000_000.0, options=options)
    return apply_configuration(request, current, wanted)


def test_what_has_no_owner_stays_unless_its_entry_is_removed() -> None:
    live = copy.deepcopy(apply(None, config("c", "d", annotations={"mine": "1"})))
    live["metadata"]["annotations"]["other"] = "2"
    live["spec"]["containers"][0]["volumeMounts"] = [{"name": "v", "mountPath": "/v"}]
    applied = apply(live, config("d"))
    assert applied["metadata"]["annotations"] == {"other": "2"}
    assert applied["spec"]["containers"] == [{"name": "d", "resources": {}}]


def test_nothing_is_changed_in_place_and_the_rest_is_shared() -> None:
    live = apply(None, config("c"))
    before = copy.deepcopy(live)
    labelled = config(labels={"a": "1"})
    del labelled["spec"]
    applied = apply(live, labelled, "two")
    assert live == before
    assert applied["spec"] is live["spec"]
