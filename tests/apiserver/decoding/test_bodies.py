"""Bodies become objects, or refusals in the words of the API server."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.apiserver.decoding.bodies import decode
from podium.apiserver.decoding.typed import DecodedObject
from podium.apiserver.schema.struct_types import DELETE_OPTIONS, EVICTION

JSON, YAML = "application/json", "application/yaml"
POD = KINDS["Pod"]
HEADER = {"apiVersion": "v1", "kind": "Pod"}


def pod(spec: Any = None, **fields: Any) -> dict[str, Any]:
    return {**HEADER, "metadata": {"name": "p"}, "spec": spec or {}, **fields}


def read(body: Any, kind: Kind = POD, **options: Any) -> DecodedObject:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return decode(sent, JSON, kind, **options)


def refusal(body: Any, kind: Kind = POD, **options: Any) -> tuple[int, str, str]:
    with pytest.raises(RefusedError) as found:
        read(body, kind, **options)
    return found.value.code, found.value.reason, found.value.message


def outcome(body: bytes, media_type: str) -> Any:
    """The object, or the answer that refuses it."""
    try:
        return decode(body, media_type, POD).obj
    except RefusedError as refused:
        return refused.status()


def bad_request(message: str) -> tuple[int, str, str]:
    return 400, "BadRequest", message


def unfit(why: str, kind: str = "Pod", version: str = "v1") -> tuple[int, str, str]:
    return bad_request(f'{kind} in version "{version}" cannot be handled as a Pod: {why}')


def container(**fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "c", **fields}]}


def test_what_is_right_stays_as_it_is() -> None:
    body = pod(container(image="i", ports=[{"containerPort": 80}], resources={}))
    assert read(body) == DecodedObject(body)


def test_texts_that_are_required_are_there_if_only_empty() -> None:
    condition = {"status": "True"}
    body = {"metadata": {"name": "n"}, "status": {"conditions": [condition, {"type": None}]}}
    found = decode(json.dumps(body).encode(), JSON, KINDS["Node"]).obj
    assert found["status"]["conditions"] == [
        {"status": "True", "type": ""},
        {"type": "", "status": ""},
    ]


def test_a_time_that_is_none_is_left_out() -> None:
    zero = "0001-01-01T00:00:00Z"
    pod = {"metadata": {"name": "n"}, "status": {"startTime": zero}}
    assert decode(json.dumps(pod).encode(), JSON, POD).obj["status"] == {}
    status = {"status": {"disruptedPods": {"a": zero, "b": None}}}
    budget = decode(json.dumps(status).encode(), JSON, KINDS["PodDisruptionBudget"]).obj
    assert budget["status"]["disruptedPods"] == {"a": zero, "b": zero}


def test_header_is_filled_in() -> None:
    assert read({"metadata": {"name": "p"}}).obj == {**HEADER, "metadata": {"name": "p"}}
    assert read(b"null").obj == HEADER


@pytest.mark.parametrize(
    ("spec", "stored"),
    [
        ({"nodeName": None, "containers": None}, {}),
        ({"nodeSelector": {"a": None}}, {"nodeSelector": {"a": ""}}),
        ({"containers": [None]}, {"containers": [{}]}),
        ({"overhead": {"cpu": "1000m", "memory": 5}}, {"overhead": {"cpu": "1", "memory": "5"}}),
        ({"overhead": {"cpu": None}}, {"overhead": {"cpu": "0"}}),
        ({"nodeName": "", "hostNetwork": False, "tolerations": [], "nodeSelector": {}}, {}),
        ({"priority": 0, "hostUsers": False}, {"priority": 0, "hostUsers": False}),
        ({"terminationGracePeriodSeconds": 0}, {"terminationGracePeriodSeconds": 0}),
        ({"securityContext": {}, "containers": []}, {"securityContext": {}, "containers": []}),
        ({"volumes": [{"emptyDir": {"medium": ""}}]}, {"volumes": [{"name": "", "emptyDir": {}}]}),
    ],
)
def test_stored_form(spec: dict[str, Any], stored: dict[str, Any]) -> None:
    assert read(pod(spec)).obj["spec"] == stored


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"priority": "1"}, "spec.priority: expected an integer of 32 bits, got a string"),
        ({"priority": 1.5}, "spec.priority: expected an integer of 32 bits, got 1.5"),
        ({"priority": 2**31}, "spec.priority: expected an integer of 32 bits, got 2147483648"),
        ({"restartPolicy": 5}, "spec.restartPolicy: expected a string, got 5"),
        ({"hostNetwork": "yes"}, "spec.hostNetwork: expected true or false, got a string"),
        ({"containers": {}}, "spec.containers: expected a list, got an object"),
        ({"nodeSelector": ["a"]}, "spec.nodeSelector: expected an object, got a list"),
        ({"nodeSelector": {"a": True}}, "spec.nodeSelector.a: expected a string, got true"),
        (
            container(env=[{"name": "A", "value": 1}]),
            "spec.containers[0].env[0].value: expected a string, got 1",
        ),
        (
            container(resources={"requests": "lots"}),
            "spec.containers[0].resources.requests: expected an object, got a string",
        ),
        (
            container(livenessProbe={"httpGet": {"port": True}}),
            "spec.containers[0].livenessProbe.httpGet.port: expected an integer of 32 bits"
            " or a string, got true",
        ),
    ],
)
def test_wrong_types(spec: dict[str, Any], why: str) -> None:
    assert refusal(pod(spec)) == unfit(why)


def test_refusals_name_the_field_as_a_cause() -> None:
    with pytest.raises(RefusedError) as found:
        read(pod({"overhead": {"cpu": "a lot"}}))
    (cause,) = found.value.causes
    assert (cause.reason, cause.field) == ("FieldValueInvalid", "spec.overhead.cpu")


def test_numbers_are_quoted_as_they_were_written() -> None:
    body = b'{"apiVersion":"v1","kind":"Pod","spec":{"priority":1e3}}'
    assert refusal(body) == unfit("spec.priority: expected an integer of 32 bits, got 1e3")
    long = b"9" * 5000
    assert refusal(body.replace(b"1e3", long))[2].count("9") == 5000


def test_the_first_wrong_type_is_told_unless_something_cannot_be_parsed() -> None:
    wrong = {"hostname": 1, "subdomain": 2}
    assert "spec.hostname: expected a string, got 1" in refusal(pod(wrong))[2]
    malformed = {**wrong, "overhead": {"cpu": "a lot"}}
    assert "quantities must match" in refusal(pod(malformed))[2]


def test_times_and_bytes() -> None:
    deleted = {**HEADER, "metadata": {"deletionTimestamp": "soon"}}
    assert "metadata.deletionTimestamp: expected a time such as" in refusal(deleted)[2]
    deleted["metadata"]["deletionTimestamp"] = 7
    assert refusal(deleted) == unfit("metadata.deletionTimestamp: expected a time, got 7")
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"a": "%%"}}
    _, _, message = refusal(secret, KINDS["Secret"])
    assert "as a Secret: illegal base64 data" in message


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        (b'{"spec":{"x":1}}', ['unknown field "spec.x"']),
        (b'{"spec":{"containers":[{"x":1}]}}', ['unknown field "spec.containers[0].x"']),
        (b'{"x":1,"x":2}', ['unknown field "x"']),
        (b'{"spec":{},"spec":{"y":1}}', ['duplicate field "spec"', 'unknown field "spec.y"']),
        (b'{"metadata":{"labels":{"a":"1","a":"2"}}}', ['duplicate field "metadata.labels.a"']),
    ],
)
def test_unknown_and_repeated_fields(body: bytes, faults: list[str]) -> None:
    assert sorted(read(body).warnings) == sorted(faults)
    assert read(body, field_validation="Ignore").warnings == ()
    code, _, message = refusal(body, field_validation="Strict")
    assert code == 400
    assert "as a Pod: strict decoding error: " in message
    assert all(fault in message for fault in faults)


@pytest.mark.parametrize("strictness", ["Warn", "Ignore"])
def test_unknown_fields_are_not_stored_and_the_last_repetition_counts(strictness) -> None:
    body = b'{"x":{"y":[1.50,null]},"spec":{"nodeName":"a","nodeName":"b","typ":1}}'
    assert read(body, field_validation=strictness).obj == {**HEADER, "spec": {"nodeName": "b"}}


def test_a_container_and_a_field_of_resources_have_what_is_always_written() -> None:
    source = {"resourceFieldRef": {"resource": "limits.cpu"}}
    spec = read(pod(container(env=[{"name": "CPU", "valueFrom": source}]))).obj["spec"]
    assert spec["containers"][0]["resources"] == {}
    (variable,) = spec["containers"][0]["env"]
    assert variable["valueFrom"]["resourceFieldRef"] == {"resource": "limits.cpu", "divisor": "0"}


def test_there_is_an_end_to_what_is_told() -> None:
    body = pod({f"x{number}": 1 for number in range(300)})
    assert len(read(body).warnings) == 100


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ({"kind": "Prod"}, unfit('no kind "Prod" is registered for version "v1"', "Prod")),
        (
            {"apiVersion": "apps/v1", "kind": "Deployment"},
            unfit("kind: expected Pod, got Deployment of apps/v1", "Deployment"),
        ),
        (
            {"apiVersion": "apps/v1", "kind": "Deployment", "spec": 1},
            unfit("spec: expected an object, got 1", "Deployment"),
        ),
        (
            {"kind": 5},
            bad_request(
                "the object provided is unrecognized (must be of type Pod): couldn't get"
                ' version/kind; json parse error: kind: expected a string, got 5 ({"kind": 5})'
            ),
        ),
        (
            {"apiVersion": "a/b/c"},
            bad_request(
                "the object provided is unrecognized (must be of type Pod): unexpected"
                ' GroupVersion string: a/b/c ({"apiVersion": "a/b/c"})'
            ),
        ),
    ],
)
def test_objects_of_another_kind(header: dict[str, Any], expected: tuple[int, str, str]) -> None:
    assert refusal(header) == expected


def test_versions_of_one_kind() -> None:
    event = {"apiVersion": "v1", "kind": "Event"}
    assert refusal(event, KINDS["Event"], api_version="events.k8s.io/v1") == bad_request(
        "the API version in the data (v1) does not match the expected API version"
        " (events.k8s.io/v1)"
    )
    old = {"apiVersion": "policy/v1beta1", "kind": "Eviction"}
    assert read(old, EVICTION).obj == old


@pytest.mark.parametrize("api_version", ["v1", "policy/v1", "meta.k8s.io/v1"])
def test_delete_options_come_in_any_version(api_version: str) -> None:
    options = {"apiVersion": api_version, "kind": "DeleteOptions", "gracePeriodSeconds": 0}
    assert read(options, DELETE_OPTIONS).obj == options
    assert read({"gracePeriodSeconds": 5}, DELETE_OPTIONS).obj["gracePeriodSeconds"] == 5


def test_delete_options_that_nobody_understands() -> None:
    why = "gracePeriodSeconds: expected an integer of 64 bits, got a string"
    expected = (400, "BadRequest", why)
    assert refusal({"gracePeriodSeconds": "1"}, DELETE_OPTIONS) == expected
    other = (400, "BadRequest", 'no kind "Pod" is registered for version "v1"')
    assert refusal({"kind": "Pod", "apiVersion": "v1"}, DELETE_OPTIONS) == other


@pytest.mark.parametrize("body", [b'{"x":' * 4000, b'{"x":' + b"[" * 4000 + b"]" * 4000 + b"}"])
def test_deep_nesting_is_refused(body: bytes) -> None:
    assert refusal(body)[0] == 400
    assert "exceeded max depth" in refusal(body)[2] or "unexpected end" in refusal(body)[2]


def test_nesting_that_only_walking_would_mind() -> None:
    body = b'{"spec":{"x":' + b"[" * 200 + b"]" * 200 + b"}}"
    assert refusal(body) == unfit("exceeded max depth")


@pytest.mark.parametrize("number", [b"1e999", b"9" * 400])
def test_numbers_beyond_all_bounds(number: bytes) -> None:
    body = b'{"spec":{"x":[' + number + b"]}}"
    shown = number.decode()
    assert refusal(body) == unfit(f"the number {shown} is too large")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "unexpected end of JSON input"),
        (b'{"a', "unexpected end of JSON input"),
        (b"{not json", "invalid character 'n' looking for beginning of object key string"),
        (b'{"a" 1}', "invalid character '1' after object key"),
        (b"[1 2]", "invalid character '2' after a value"),
        (b"{} x", "invalid character 'x' after top-level value"),
        (b'"\\x"', "invalid character '\\\\' in string escape code"),
        (b"[NaN]", "NaN is no number in JSON"),
    ],
)
def test_texts_that_are_not_json(body: bytes, why: str) -> None:
    assert f"json parse error: {why} (" in refusal(body)[2]


def test_odd_characters() -> None:
    assert read(b'{"metadata":{"name":"\xff"}}').obj["metadata"]["name"] == "\ufffd"
    assert read(b'{"metadata":{"name":"\\ud800"}}').obj["metadata"]["name"] == "\ufffd"
    assert read(b'{"metadata":{"name":"\\ud83d\\ude00"}}').obj["metadata"]["name"] == "😀"
    assert read(rb'{"metadata":{"name":"\\ud800"}}').obj["metadata"]["name"] == r"\ud800"
    assert read(rb'{"metadata":{"name":"\udc00\ud83d\ude00\ud83d"}}').obj["metadata"]["name"] == (
        "\ufffd😀\ufffd"
    )


def test_refusals_quote_odd_characters_as_they_are_read() -> None:
    with pytest.raises(RefusedError) as refused:
        decode(rb'{"apiVersion":"\ud800","kind":"Pod"}', JSON, POD)
    assert "\ufffd" in refused.value.message


def test_yaml() -> None:
    text = (
        b"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  priority: 5\n---\nkind: Node\n"
    )
    assert decode(text, YAML, POD).obj == pod({"priority": 5})


def test_yaml_that_repeats_itself() -> None:
    text = b"kind: Pod\nspec:\n  nodeName: a\n  nodeName: b\n  x: 1\n"
    found = decode(text, YAML, POD)
    assert found.warnings == (
        'line 4: the key "nodeName" stands twice in the same mapping',
        'unknown field "spec.x"',
    )
    assert found.obj["spec"]["nodeName"] == "b"
    with pytest.raises(RefusedError) as strict:
        decode(text, YAML, POD, field_validation="Strict")
    assert (
        strict.value.message
        == unfit(
            'strict decoding error: line 4: the key "nodeName" stands twice in the same mapping, '
            'unknown field "spec.x"'
        )[2]
    )


def test_yaml_that_is_none() -> None:
    with pytest.raises(RefusedError, match=r"line 2: not valid YAML: .* node content"):
        decode(b"a: [", YAML, POD)


@given(
    st.binary(max_size=60)
    | st.text(alphabet='{}[]:,"\\apiVersonkd0 .-', max_size=40).map(str.encode)
)
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    for media_type in (JSON, YAML):
        assert outcome(body, media_type)["kind"] in ("Pod", "Status")


SPECS = st.fixed_dictionaries(
    {},
    optional={
        "nodeName": st.text(max_size=5) | st.none() | st.integers(),
        "priority": st.integers(-(2**33), 2**33) | st.floats(allow_nan=False),
        "nodeSelector": st.dictionaries(st.text(max_size=3), st.text(max_size=3) | st.none()),
        "overhead": st.dictionaries(st.just("cpu"), st.sampled_from(["1", "0.5", "x", 2, 1.5])),
        "containers": st.lists(st.fixed_dictionaries({"name": st.text(max_size=3) | st.none()})),
        "y": st.none() | st.integers() | st.just([]),
    },
)


@given(SPECS)
def test_the_quick_way_and_the_careful_one_agree(spec: dict[str, Any]) -> None:
    quick = json.dumps(pod(spec), separators=(",", ":")).encode()
    careful = quick.replace(b'"name":"p"', b'"name":"\\u0070"')
    assert outcome(quick, JSON) == outcome(careful, JSON)


@given(SPECS)
def test_reading_the_stored_form_changes_nothing(spec: dict[str, Any]) -> None:
    once = outcome(json.dumps(pod(spec)).encode(), JSON)
    if once["kind"] == "Pod":
        assert read(once).obj == once
