"""The way from `kubectl apply` by the client to `kubectl apply --server-side`, and back."""

import json
from typing import Any

import pytest

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.well_known import LAST_APPLIED
from podium.apiserver.attributes import Attributes, WriteOptions
from podium.apiserver.patching.ownership.owners import apply_configuration, track
from podium.apiserver.validation.names import ANNOTATIONS_SIZE_MAX_BYTES

KIND = KINDS["ConfigMap"]
NOW_S = 1_800_000_000.0

Object = dict[str, Any]


def config(data: Object, **metadata: Any) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "m", **metadata},
        "data": data,
    }


def write(manager: str) -> Attributes:
    return Attributes(KIND, "", "m", NOW_S, options=WriteOptions(field_manager=manager))


def noted(data: Object, note: object = None) -> Any:
    """What the client of kubectl has applied, and noted so unless it is said otherwise."""
    text = json.dumps(config(data) if note is None else note)
    made = config(data, annotations={LAST_APPLIED: text})
    return track(write("kubectl-client-side-apply"), None, made)


def edited(current: Any, data: Object) -> Any:
    return track(write("editor"), current, {**current, "data": data})


def apply(current: Any, wanted: Object, manager: str = "kubectl") -> Any:
    return apply_configuration(write(manager), current, wanted)


def conflict(current: Any, wanted: Object, manager: str = "kubectl") -> str:
    with pytest.raises(RefusedError) as found:
        apply(current, wanted, manager)
    return found.value.message


def note_of(obj: Any) -> Any:
    return obj["metadata"]["annotations"].get(LAST_APPLIED)


def test_what_kubectl_applied_from_the_client_is_no_conflict_on_the_server() -> None:
    applied = apply(noted({"a": "1", "b": "2"}), config({"a": "3", "b": "2"}))
    assert applied["data"] == {"a": "3", "b": "2"}
    owners = {one["manager"]: one["fieldsV1"] for one in applied["metadata"]["managedFields"]}
    assert owners["kubectl"] == {"f:data": {"f:a": {}, "f:b": {}}}
    assert owners["kubectl-client-side-apply"]["f:data"] == {".": {}, "f:b": {}}


def test_other_managers_meet_the_conflict() -> None:
    said = conflict(noted({"a": "1"}), config({"a": "3"}), "helm")
    assert said.endswith('conflict with "kubectl-client-side-apply" using v1: .data.a')


def test_what_was_changed_since_is_a_conflict_and_the_only_one_told() -> None:
    current = edited(noted({"a": "1", "b": "2"}), {"a": "1", "b": "4"})
    said = conflict(current, config({"a": "3", "b": "5"}))
    assert said == 'Apply failed with 1 conflict: conflict with "editor" using v1: .data.b'


@pytest.mark.parametrize(
    "note",
    [
        pytest.param("", id="no object"),
        pytest.param({**config({"a": "1"}), "apiVersion": "v2"}, id="another version"),
        pytest.param({**config({"a": "1"}), "spec": {}}, id="a field that the kind lacks"),
        pytest.param(config({"b": "1"}), id="another field"),
    ],
)
def test_a_note_that_does_not_tell_of_the_field_allows_nothing(note: object) -> None:
    assert "1 conflict" in conflict(noted({"a": "1"}, note), config({"a": "3"}))


def test_the_note_is_brought_up_to_date_as_go_writes_it() -> None:
    before = noted({"a": "1"})
    exported = {"x": "y", LAST_APPLIED: note_of(before)}
    applied = apply(before, config({"b": "<&>é", "a": "1"}, annotations=exported))
    assert note_of(applied) == (
        '{"apiVersion":"v1","data":{"a":"1","b":"\\u003c\\u0026\\u003eé"},"kind":"ConfigMap",'
        '"metadata":{"annotations":{"x":"y"},"name":"m"}}\n'
    )


def test_others_leave_the_note_and_objects_without_one_get_none() -> None:
    before = noted({"a": "1"})
    assert note_of(apply(before, config({"b": "2"}), "helm")) == note_of(before)
    assert "annotations" not in apply(None, config({"b": "2"}))["metadata"]


def test_the_note_goes_if_the_annotations_would_be_too_large_with_it() -> None:
    data = {"a": "1", "b": "x" * ANNOTATIONS_SIZE_MAX_BYTES}
    assert note_of(apply(noted({"a": "1"}), config(data))) is None
