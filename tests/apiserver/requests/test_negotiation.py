"""The forms that answers are wanted in, and the bodies that are understood."""

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.requests.negotiation import (
    JSON,
    PROTOBUF,
    YAML,
    Output,
    accepts_aggregated,
    input_type,
    is_pretty,
    output,
    patch_type,
)

KUBECTL = (
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("", Output(JSON)),
        ("*/*", Output(JSON)),
        ("application/*", Output(JSON)),
        ("application/yaml", Output(YAML)),
        ("application/yaml, application/json;q=0.5", Output(YAML)),
        ("*/*, application/yaml", Output(YAML)),
        ("application/yaml;q=0.1, application/json", Output(JSON)),
        (f"{PROTOBUF},application/json", Output(JSON)),
        ("text/html, application/json", Output(JSON)),
        ("APPLICATION/JSON; charset=utf-8", Output(JSON)),
        (KUBECTL, Output(JSON, "Table", "v1")),
        ("application/json;as=Table;v=v1beta1;g=meta.k8s.io", Output(JSON, "Table", "v1beta1")),
        ("application/json;as=Table;v=v9;g=meta.k8s.io,application/json", Output(JSON)),
        (f"{AGGREGATED},application/json", Output(JSON)),
        (
            "application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
            Output(YAML, "PartialObjectMetadata", "v1"),
        ),
    ],
)
def test_what_is_answered(accept, wanted):
    assert output(accept) == wanted


@pytest.mark.parametrize(
    ("accept", "streams", "message"),
    [
        (
            "text/html",
            False,
            "406: Not Acceptable\n\nAvailable representations: application/json, "
            "application/yaml, application/vnd.kubernetes.protobuf",
        ),
        (
            "text/html",
            True,
            "406: Not Acceptable\n\nAvailable representations: application/json, "
            "application/yaml, application/vnd.kubernetes.protobuf, "
            "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
        ),
        (
            PROTOBUF,
            False,
            "only the following media types are accepted: application/json, application/yaml",
        ),
        (
            "application/json;as=Chart;v=v1;g=meta.k8s.io",
            False,
            "only the following media types are accepted: application/json, application/yaml",
        ),
    ],
)
def test_nothing_acceptable(accept, streams, message):
    with pytest.raises(RefusedError) as refusal:
        output(accept, streams=streams)
    assert (refusal.value.code, refusal.value.reason) == (406, "NotAcceptable")
    assert refusal.value.message == message


@pytest.mark.parametrize(
    ("accept", "accepted"),
    [(AGGREGATED, True), (AGGREGATED.replace("v2", "v2beta1"), False), (JSON, False)],
)
def test_who_accepts_discovery_in_one_document(accept, accepted):
    assert accepts_aggregated(accept) is accepted


@pytest.mark.parametrize(
    ("content_type", "read_as"),
    [("", JSON), ("application/json; charset=utf-8", JSON), ("application/yaml", YAML)],
)
def test_bodies_that_are_understood(content_type, read_as):
    assert input_type(content_type, b"{}", KINDS["Pod"]) == read_as


@pytest.mark.parametrize(
    ("content_type", "body", "code", "message"),
    [
        (
            "text/plain",
            b"x",
            415,
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml, application/vnd.kubernetes.protobuf",
        ),
        (
            PROTOBUF,
            b"k8s\0\1\2",
            415,
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml",
        ),
    ],
)
def test_bodies_that_are_not_understood(content_type, body, code, message):
    with pytest.raises(RefusedError) as refusal:
        input_type(content_type, body, KINDS["Node"])
    assert (refusal.value.code, refusal.value.message) == (code, message)


def test_types_of_patches():
    pods = KINDS["Pod"]
    assert (
        patch_type("application/json-patch+json; charset=utf-8", pods)
        == "application/json-patch+json"
    )
    with pytest.raises(RefusedError, match="415: Unsupported Media Type"):
        patch_type("application/json", pods)


@pytest.mark.parametrize(
    ("wanted", "user_agent", "pretty"),
    [
        ("", "kubectl/v1.36.2", False),
        ("", "curl/8.5.0", True),
        ("0", "curl/8.5.0", False),
        ("true", "kubectl/v1.36.2", True),
        ("yes", "curl/8.5.0", False),
    ],
)
def test_who_gets_indented_answers(wanted, user_agent, pretty):
    assert is_pretty(wanted, user_agent) is pretty
