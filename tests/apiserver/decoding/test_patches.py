"""The bodies of patches."""

import pytest

from podium.api.errors import RefusedError
from podium.apiserver.decoding.bodies import OPERATIONS_MAX, PatchType, decode_patch
from podium.apiserver.decoding.typed import DecodedObject


def refusal(body: bytes, patch_type: PatchType, strictness: str = "Warn") -> tuple[int, str]:
    with pytest.raises(RefusedError) as found:
        decode_patch(body, patch_type, field_validation=strictness)
    return found.value.code, found.value.message


def test_nulls_are_kept() -> None:
    for patch_type in (PatchType.MERGE, PatchType.STRATEGIC, PatchType.APPLY):
        assert decode_patch(b'{"a":null}', patch_type) == DecodedObject({"a": None})
    operation = b'[{"op":"add","path":"/a","value":null}]'
    assert decode_patch(operation, PatchType.JSON).obj == [
        {"op": "add", "path": "/a", "value": None}
    ]


def test_an_operation_that_is_null_says_nothing() -> None:
    assert decode_patch(b"[null]", PatchType.JSON).obj == [{}]


@pytest.mark.parametrize(
    ("body", "patch_type", "message"),
    [
        (b'{"op":"x"}', PatchType.JSON, "error decoding patch: expected a list, got an object"),
        (b"[1]", PatchType.JSON, "error decoding patch: [0]: expected an object, got 1"),
        (b'[{"op":1}]', PatchType.JSON, "error decoding patch: [0].op: expected a string, got 1"),
        (b"", PatchType.JSON, "error decoding patch: unexpected end of JSON input"),
        (b"[]", PatchType.MERGE, "error decoding patch: expected an object, got a list"),
        (b'"a"', PatchType.STRATEGIC, "expected an object, got a string"),
        (
            b"{x",
            PatchType.STRATEGIC,
            "invalid character 'x' looking for beginning of object key string",
        ),
        (b"[]", PatchType.APPLY, "error decoding YAML: expected an object, got a list"),
    ],
)
def test_what_is_no_patch(body: bytes, patch_type: PatchType, message: str) -> None:
    assert refusal(body, patch_type) == (400, message)


def test_number_of_operations() -> None:
    one = b'{"op":"remove","path":"/a"}'
    body = b"[" + b",".join([one] * (OPERATIONS_MAX + 1)) + b"]"
    assert refusal(body, PatchType.JSON) == (
        413,
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000,"
        " got 10001",
    )


def test_unknown_fields_of_operations() -> None:
    body = b'[{"op":"remove","path":"/a","x":1}]'
    assert decode_patch(body, PatchType.JSON).warnings == ('json patch unknown field "[0].x"',)
    assert decode_patch(body, PatchType.JSON, field_validation="Ignore").warnings == ()
    assert refusal(body, PatchType.JSON, "Strict")[0] == 422


def test_repeated_fields() -> None:
    body = b'{"a":{"b":1,"b":2}}'
    for patch_type in (PatchType.MERGE, PatchType.STRATEGIC):
        found = decode_patch(body, patch_type)
        assert found == DecodedObject({"a": {"b": 2}}, ('duplicate field "a.b"',))
        assert refusal(body, patch_type, "Strict")[0] == 422


def test_configurations_are_yaml() -> None:
    assert decode_patch(b"a: {b: 1}", PatchType.APPLY) == DecodedObject({"a": {"b": 1}})
    repeated = b"a: 1\na: 2\n"
    fault = 'line 2: the key "a" stands twice in the same mapping'
    assert decode_patch(repeated, PatchType.APPLY) == DecodedObject({"a": 2}, (fault,))
    code, message = refusal(repeated, PatchType.APPLY, "Strict")
    assert (code, message) == (400, f"error strict decoding YAML: {fault}")


@pytest.mark.parametrize("patch_type", PatchType)
def test_deep_nesting_is_refused(patch_type: PatchType) -> None:
    deep = b'{"a":' * 300 + b"1" + b"}" * 300
    body = (
        b'[{"op":"add","path":"/a","value":' + deep + b"}]"
        if patch_type == PatchType.JSON
        else deep
    )
    code, message = refusal(body, patch_type)
    assert code == 400
    assert "exceeded max depth" in message
