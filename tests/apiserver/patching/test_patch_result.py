"""Results of patches, where requests don't reach."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.decoding.typed import DecodedObject
from podium.apiserver.patching.patch_result import PatchRequest, apply_patch

POD = KINDS["Pod"]
LIVE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "labels": {"a": "1"}},
    "spec": {"nodeName": "n"},
}


def patched(patch_type: PatchType, body: Any, strictness: str | None = "Warn") -> DecodedObject:
    return apply_patch(POD, LIVE, PatchRequest(patch_type, body, "", strictness))


@pytest.mark.parametrize(
    ("patch_type", "body"),
    [
        (PatchType.JSON, [{"op": "replace", "path": "/spec/nodeName", "value": "m"}]),
        (PatchType.MERGE, {"spec": {"nodeName": "m"}}),
        (PatchType.STRATEGIC, {"spec": {"nodeName": "m"}}),
    ],
)
def test_unchanged_parts_are_shared(patch_type: PatchType, body: Any) -> None:
    result = patched(patch_type, body)
    assert result == DecodedObject({**LIVE, "spec": {"nodeName": "m"}})
    assert result.obj["metadata"] is LIVE["metadata"]


@pytest.mark.parametrize("strictness", ["Warn", "Strict"])
def test_unknown_fields_of_the_object_cause_no_warnings(strictness: str) -> None:
    live = {**LIVE, "spec": {**LIVE["spec"], "x": 1}}
    hostname = PatchRequest(PatchType.MERGE, {"spec": {"hostname": "h"}}, "", strictness)
    expected = DecodedObject({**LIVE, "spec": {**LIVE["spec"], "hostname": "h"}})
    assert apply_patch(POD, live, hostname) == expected


def test_results_are_in_their_stored_form() -> None:
    result = patched(PatchType.JSON, [{"op": "add", "path": "/spec/overhead", "value": {"cpu": 1}}])
    assert result.obj["spec"]["overhead"] == {"cpu": "1"}
    nulled = patched(PatchType.JSON, [{"op": "add", "path": "/spec/nodeName", "value": None}])
    assert nulled.obj["spec"] == {}


def test_podiums_own_patches_are_not_checked() -> None:
    assert patched(PatchType.STRATEGIC, {"spec": {"x": 1}}, None).obj["spec"]["x"] == 1
    assert patched(PatchType.MERGE, {"spec": {"x": 1}}, None).warnings == ()
