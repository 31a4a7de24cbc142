"""Server-side apply, step by step, with what managedFields say after each."""

import copy
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.attributes import Attributes, WriteOptions
from podium.apiserver.patching import apply_configuration, track

POD = KINDS["Pod"]
NOW_S = 1_800_000_000.0
NOW, LATER = "2027-01-15T08:00:00Z", "2027-01-15T08:00:01Z"
HEADER = {"apiVersion": "v1", "kind": "Pod"}

Object = dict[str, Any]


def config(spec: Object | None = None, **metadata: Any) -> Object:
    made: Object = {**HEADER, "metadata": {"name": "p", **metadata}}
    return made if spec is None else {**made, "spec": spec}


def container(name: str, **fields: Any) -> Object:
    return {"name": name, **fields}


def write(
    manager: str, *, later_s: float = 0.0, force: bool = False, subresource: str = ""
) -> Attributes:
    options = WriteOptions(field_manager=manager, force=force)
    return Attributes(POD, "", "p", NOW_S + later_s, subresource, options)


def apply(
    current: Any, wanted: Object, manager: str = "one", *, later_s: float = 0.0, **options: Any
) -> Any:
    return apply_configuration(write(manager, later_s=later_s, **options), current, wanted)


def refusal(current: Any, wanted: Object, manager: str = "two", **options: Any) -> RefusedError:
    with pytest.raises(RefusedError) as found:
        apply(current, wanted, manager, **options)
    return found.value


def owned(obj: Any) -> dict[str, Any]:
    """What each manager owns, by its name."""
    return {
        entry["manager"]: entry["fieldsV1"] for entry in obj["metadata"].get("managedFields", [])
    }


def content(obj: Any) -> Any:
    metadata = {k: v for k, v in obj["metadata"].items() if k != "managedFields"}
    return {**obj, "metadata": metadata}


def test_an_object_is_created_and_owned() -> None:
    labels = {"a": "1"}
    created = apply(None, config({"containers": [container("c", image="i")]}, labels=labels))
    stored = [container("c", image="i", resources={})]
    assert content(created) == config({"containers": stored}, labels=labels)
    assert created["metadata"]["managedFields"] == [
        {
            "manager": "one",
            "operation": "Apply",
            "apiVersion": "v1",
            "time": NOW,
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {"f:labels": {"f:a": {}}},
                "f:spec": {
                    "f:containers": {'k:{"name":"c"}': {".": {}, "f:image": {}, "f:name": {}}}
                },
            },
        }
    ]


def test_others_may_agree_but_not_change() -> None:
    created = apply(None, config(labels={"a": "1"}))
    agreed = apply(created, config(labels={"a": "1"}), "two")
    assert owned(agreed)["one"] == owned(agreed)["two"]
    refused = refusal(created, config(labels={"a": "2"}))
    assert (refused.code, refused.message) == (
        409,
        'Apply failed with 1 conflict: conflict with "one": .metadata.labels.a',
    )


def test_force_takes_fields_over() -> None:
    created = apply(None, config(labels={"a": "1", "b": "1"}))
    forced = apply(created, config(labels={"a": "2"}), "two", force=True)
    assert forced["metadata"]["labels"] == {"a": "2", "b": "1"}
    assert owned(forced) == {
        "one": {"f:metadata": {"f:labels": {"f:b": {}}}},
        "two": {"f:metadata": {"f:labels": {"f:a": {}}}},
    }
    again = apply(forced, config(labels={"b": "3"}))
    assert again["metadata"]["labels"] == {"a": "2", "b": "3"}


def test_what_is_not_applied_any_more_goes_unless_another_applier_has_it() -> None:
    created = apply(None, config(labels={"mine": "1", "both": "1"}))
    shared = apply(created, config(labels={"both": "1"}), "two")
    less = apply(shared, config())
    assert less["metadata"]["labels"] == {"both": "1"}
    assert owned(less) == {"two": {"f:metadata": {"f:labels": {"f:both": {}}}}}
    nothing = apply(less, config(), "two")
    assert "labels" not in nothing["metadata"]


def test_what_an_update_has_set_stays() -> None:
    created = apply(None, config(labels={"a": "1"}))
    labelled = {**created, "metadata": {**created["metadata"], "labels": {"a": "1", "b": "2"}}}
    updated = track(write("kubectl"), created, labelled)
    assert apply(updated, config())["metadata"]["labels"] == {"b": "2"}


def test_what_nobody_owns_stays_unless_it_is_a_default() -> None:
    probe = {"httpGet": {"port": 80}}
    wanted = {"containers": [container("c", livenessProbe=probe)]}
    created = apply(None, config(wanted, annotations={"mine": "1"}))
    live = copy.deepcopy(created)
    live["metadata"]["annotations"]["untold"] = "2"
    live["spec"]["containers"][0]["livenessProbe"]["periodSeconds"] = 10
    applied = apply(live, config({"containers": [container("c")]}))
    assert applied["metadata"]["annotations"] == {"untold": "2"}
    assert applied["spec"]["containers"] == [{"name": "c", "resources": {}}]


def test_an_entry_goes_with_all_that_was_put_into_it() -> None:
    created = apply(None, config({"containers": [container("c"), container("d")]}))
    live = copy.deepcopy(created)
    live["spec"]["containers"][0]["volumeMounts"] = [{"name": "v", "mountPath": "/v"}]
    applied = apply(live, config({"containers": [container("d")]}))
    assert applied["spec"]["containers"] == [{"name": "d", "resources": {}}]


def test_a_value_that_an_update_has_changed_is_not_taken_away() -> None:
    created = apply(None, config(labels={"a": "1"}))
    relabelled = {**created, "metadata": {**created["metadata"], "labels": {"a": "2"}}}
    updated = track(write("kubectl"), created, relabelled)
    assert owned(updated) == {"kubectl": {"f:metadata": {"f:labels": {"f:a": {}}}}}
    assert apply(updated, config())["metadata"]["labels"] == {"a": "2"}


def test_entries_of_lists_have_owners() -> None:
    first = apply(None, config({"containers": [container("a", image="1")]}))
    both = apply(first, config({"containers": [container("b", image="2")]}), "two")
    assert [one["name"] for one in both["spec"]["containers"]] == ["a", "b"]
    completed = apply(both, config({"containers": [container("a", command=["x"])]}), "three")
    entry = {"name": "a", "image": "1", "command": ["x"], "resources": {}}
    assert completed["spec"]["containers"][0] == entry
    without_first = apply(completed, config())
    assert without_first["spec"]["containers"] == [
        {"name": "a", "command": ["x"], "resources": {}},
        {"name": "b", "image": "2", "resources": {}},
    ]


def test_order_of_entries() -> None:
    def names(obj: Any) -> list[str]:
        return [one["name"] for one in obj["spec"]["containers"]]

    def listed(*wanted: str) -> Object:
        return config({"containers": [container(name) for name in wanted]})

    live = apply(None, listed("x", "s", "y", "t"))
    assert names(apply(live, listed("n", "s", "m", "t"), "two")) == ["x", "n", "s", "y", "m", "t"]
    assert names(apply(live, listed("t", "s"), "two")) == ["x", "y", "t", "s"]


def test_keys_with_defaults() -> None:
    ports = [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]
    wanted = config({"containers": [container("c", ports=ports)]})
    created = apply(None, wanted)
    entries = owned(created)["one"]["f:spec"]["f:containers"]['k:{"name":"c"}']["f:ports"]
    assert set(entries) == {
        'k:{"containerPort":80,"protocol":"TCP"}',
        'k:{"containerPort":80,"protocol":"UDP"}',
    }
    defaulted = copy.deepcopy(created)
    defaulted["spec"]["containers"][0]["ports"][0]["protocol"] = "TCP"
    assert content(apply(defaulted, wanted)) == content(defaulted)


def test_sets_and_atomic_parts() -> None:
    created = apply(None, config({"nodeSelector": {"a": "1"}}, finalizers=["x/a"]))
    fields = owned(created)["one"]
    assert fields["f:metadata"]["f:finalizers"] == {'v:"x/a"': {}}
    assert fields["f:spec"] == {"f:nodeSelector": {}}
    more = apply(created, config(finalizers=["x/b"]), "two")
    assert more["metadata"]["finalizers"] == ["x/a", "x/b"]
    conflict = refusal(created, config({"nodeSelector": {"b": "1"}}))
    assert [cause.field for cause in conflict.causes] == [".spec.nodeSelector"]
    replaced = apply(created, config({"nodeSelector": {"b": "1"}}), "two", force=True)
    assert replaced["spec"]["nodeSelector"] == {"b": "1"}


def test_first_apply_to_an_object_that_nobody_tracked() -> None:
    live = config({"nodeName": "n"}, labels={"a": "1"}, uid="u", resourceVersion="7")
    refused = refusal(live, config(labels={"a": "2"}))
    assert refused.message == (
        'Apply failed with 1 conflict: conflict with "before-first-apply" using v1:'
        " .metadata.labels.a"
    )
    applied = apply(live, config(labels={"a": "1"}))
    assert owned(applied)["before-first-apply"] == {
        "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
        "f:spec": {".": {}, "f:nodeName": {}},
    }


def test_time_tells_the_last_change() -> None:
    def time(obj: Any) -> str:
        return str(obj["metadata"]["managedFields"][0]["time"])

    created = apply(None, config(labels={"a": "1"}))
    unchanged = apply(created, config(labels={"a": "1"}), later_s=1)
    assert time(unchanged) == NOW
    assert time(apply(created, config(labels={"a": "2"}), later_s=1)) == LATER
    amounts = apply(None, config({"overhead": {"cpu": "0.5"}}))
    assert time(apply(amounts, config({"overhead": {"cpu": "0.5"}}), later_s=1)) == NOW


def test_subresources_own_apart_and_leave_the_rest() -> None:
    created = apply(None, config({"nodeName": "n"}))
    wanted = {**config({"nodeName": "other"}), "status": {"phase": "Running"}}
    status = apply(created, wanted, "two", subresource="status")
    entry = next(e for e in status["metadata"]["managedFields"] if e["manager"] == "two")
    assert entry["subresource"] == "status"
    assert entry["fieldsV1"] == {"f:status": {"f:phase": {}}}
    again = apply(created, {**config({"nodeName": "n"}), "status": {"phase": "Running"}})
    assert owned(again) == owned(created)


def test_nothing_is_changed_in_place_and_the_rest_is_shared() -> None:
    live = apply(None, config({"containers": [container("c")], "nodeName": "n"}))
    before = copy.deepcopy(live)
    applied = apply(live, config(labels={"a": "1"}), "two")
    assert live == before
    assert applied["spec"] is live["spec"]


def test_amounts_are_stored_in_canonical_form() -> None:
    assert apply(None, config({"overhead": {"cpu": 1}}))["spec"]["overhead"] == {"cpu": "1"}
