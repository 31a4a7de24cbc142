"""Patches from outside: their results are checked, and refused in the API server's words."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.decoding import PatchType
from podium.apiserver.patching import Patched, PatchRequest, apply_patch

POD = KINDS["Pod"]
LIVE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "labels": {"a": "1"}},
    "spec": {"nodeName": "n"},
}


def patched(patch_type: PatchType, body: Any, strictness: str | None = "Warn") -> Patched:
    return apply_patch(POD, LIVE, PatchRequest(patch_type, body, "", strictness))


def refusal(patch_type: PatchType, body: Any, strictness: str = "Warn") -> dict[str, Any]:
    with pytest.raises(RefusedError) as found:
        patched(patch_type, body, strictness)
    return found.value.status()


@pytest.mark.parametrize(
    ("patch_type", "body"),
    [
        (PatchType.JSON, [{"op": "replace", "path": "/spec/nodeName", "value": "m"}]),
        (PatchType.MERGE, {"spec": {"nodeName": "m"}}),
        (PatchType.STRATEGIC, {"spec": {"nodeName": "m"}}),
    ],
)
def test_all_kinds_of_patches(patch_type: PatchType, body: Any) -> None:
    result = patched(patch_type, body)
    assert result == Patched({**LIVE, "spec": {"nodeName": "m"}})
    assert result.obj["metadata"] is LIVE["metadata"]


def test_json_patches_that_do_not_apply() -> None:
    assert refusal(
        PatchType.JSON, [{"op": "test", "path": "/metadata/labels/a", "value": "2"}]
    ) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "the server rejected our request due to an error in our request",
        "reason": "Invalid",
        "code": 422,
    }


def test_unknown_fields() -> None:
    result = patched(PatchType.MERGE, {"spec": {"x": 1}})
    assert result.warnings == ('unknown field "spec.x"',)
    assert patched(PatchType.MERGE, {"spec": {"x": 1}}, "Ignore").warnings == ()
    message = refusal(PatchType.STRATEGIC, {"spec": {"x": 1}}, "Strict")["message"]
    assert message == (
        ' "" is invalid: patch: Invalid value: "{\\"spec\\":{\\"x\\":1}}":'
        ' strict decoding error: unknown field "spec.x"'
    )


def test_unknown_fields_that_were_there_are_nothing_new() -> None:
    live = {**LIVE, "spec": {**LIVE["spec"], "x": 1}}
    for strictness in ("Warn", "Strict"):
        hostname = PatchRequest(PatchType.MERGE, {"spec": {"hostname": "h"}}, "", strictness)
        result = apply_patch(POD, live, hostname)
        assert result == Patched({**LIVE, "spec": {**LIVE["spec"], "hostname": "h"}})


def test_results_are_in_their_stored_form() -> None:
    result = patched(PatchType.JSON, [{"op": "add", "path": "/spec/overhead", "value": {"cpu": 1}}])
    assert result.obj["spec"]["overhead"] == {"cpu": "1"}
    nulled = patched(PatchType.JSON, [{"op": "add", "path": "/spec/nodeName", "value": None}])
    assert nulled.obj["spec"] == {}


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ({"containers": 1}, "spec.containers: expected a list, got 1"),
        ({"nodeSelector": []}, "spec.nodeSelector: expected an object, got a list"),
        ({"securityContext": "x"}, "spec.securityContext: expected an object, got a string"),
        ({"nodeName": 1}, "spec.nodeName: expected a string, got 1"),
        ({"nodeName": True}, "spec.nodeName: expected a string, got true"),
        ({"priority": "1"}, "spec.priority: expected an integer of 32 bits, got a string"),
        ({"priority": 1.5}, "spec.priority: expected an integer of 32 bits, got 1.5"),
        ({"hostNetwork": "x"}, "spec.hostNetwork: expected true or false, got a string"),
        (
            {"overhead": {"cpu": "x"}},
            "quantities must match the regular expression"
            " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
    ],
)
def test_wrong_types_in_strategic_merge_patches(spec: dict[str, Any], fault: str) -> None:
    status = refusal(PatchType.STRATEGIC, {"spec": spec})
    assert (status["code"], status["reason"]) == (422, "Invalid")
    assert status["message"].startswith(' "" is invalid: patch: Invalid value: "{')
    assert status["message"].endswith(f'": {fault}')
    (cause,) = status["details"]["causes"]
    assert (cause["reason"], cause["field"]) == ("FieldValueInvalid", "patch")


def test_wrong_types_in_other_patches() -> None:
    message = refusal(PatchType.MERGE, {"spec": {"priority": "1"}})["message"]
    assert message.endswith('": spec.priority: expected an integer of 32 bits, got a string')


def test_patches_of_podiums_own_are_trusted() -> None:
    assert patched(PatchType.STRATEGIC, {"spec": {"x": 1}}, None).obj["spec"]["x"] == 1
    assert patched(PatchType.MERGE, {"spec": {"x": 1}}, None).warnings == ()


def test_an_object_stays_of_its_kind() -> None:
    assert patched(PatchType.STRATEGIC, {"kind": "Node"}).obj["kind"] == "Pod"
    for body, fault in [
        ({"kind": "Node"}, "unable to decode v1, Kind=Node into Pod"),
        ({"kind": "Prod"}, 'no kind "Prod" is registered for version "v1"'),
        ({"kind": None}, "Object 'Kind' is missing in"),
    ]:
        assert fault in refusal(PatchType.MERGE, body)["message"].replace('\\"', '"')


def test_events_have_two_shapes() -> None:
    live = {"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "e"}}
    body = {"note": "n", "message": "m"}
    patch = PatchRequest(PatchType.STRATEGIC, body, "events.k8s.io/v1", "Warn")
    result = apply_patch(KINDS["Event"], live, patch)
    assert result.warnings == ('unknown field "message"',)
