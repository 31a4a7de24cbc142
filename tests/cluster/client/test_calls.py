"""From effects to requests, and from answers to what they mean."""

import json

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.cluster.client.http_api import CallFailedError, WatchDecoder, call_of, error_of
from podium.machines.effects import Bind, Create, Delete, Effect, Evict, Patch, Record, Replace

POD = {"metadata": {"name": "a", "namespace": "shop"}}
PODS = "/api/v1/namespaces/shop/pods"
EVENT = {"apiVersion": "events.k8s.io/v1", **POD}


@pytest.mark.parametrize(
    ("effect", "method", "path"),
    [
        (Create(kind="Pod", obj=POD), "POST", PODS),
        (Create(kind="Event", obj=EVENT), "POST", "/apis/events.k8s.io/v1/namespaces/shop/events"),
        (Replace(kind="Pod", obj=POD, subresource="status"), "PUT", f"{PODS}/a/status"),
        (Patch(kind="Node", name="n", body={}), "PATCH", "/api/v1/nodes/n"),
        (Delete(kind="Pod", name="a", namespace="shop"), "DELETE", f"{PODS}/a"),
        (Bind(namespace="shop", name="a", uid="u", node_name="n"), "POST", f"{PODS}/a/binding"),
        (Evict(namespace="shop", name="a"), "POST", f"{PODS}/a/eviction"),
        (
            Patch(kind="Deployment", name="d/e", namespace="shop", body={}, subresource="scale"),
            "PATCH",
            "/apis/apps/v1/namespaces/shop/deployments/d%2Fe/scale",
        ),
    ],
)
def test_effects_have_their_paths(effect: Effect, method: str, path: str) -> None:
    call = call_of(effect)
    assert (call.method, call.path) == (method, path)


def test_a_deletion_says_what_it_depends_on() -> None:
    effect = Delete(kind="Pod", name="a", namespace="shop", uid="u", grace_period_s=0)
    assert call_of(effect).body == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "gracePeriodSeconds": 0,
        "preconditions": {"uid": "u"},
    }


def test_a_record_is_no_call() -> None:
    record = Record(
        regarding=POD, reporting_controller="c", type="Normal", reason="R", action="", note=""
    )
    with pytest.raises(KeyError):
        call_of(record)


def test_a_status_says_why() -> None:
    details = {"retryAfterSeconds": 3}
    status = {"kind": "Status", "reason": "TooManyRequests", "message": "m", "details": details}
    content = json.dumps(status).encode()
    error = error_of(429, content, None)
    assert (error.reason, error.message, error.retry_after_s) == ("TooManyRequests", "m", 3.0)
    assert error_of(429, content, "7").retry_after_s == 7.0


@pytest.mark.parametrize(("code", "is_unknown"), [(502, True), (504, True), (500, False)])
def test_what_a_gateway_says_leaves_open_what_happened(code: int, is_unknown: bool) -> None:
    assert error_of(code, b"<html>Bad gateway</html>", None).is_unknown is is_unknown


def test_a_server_that_says_timeout_leaves_it_open_too() -> None:
    content = b'{"kind":"Status","reason":"Timeout","message":"m"}'
    assert error_of(504, content, None).is_unknown


def test_events_are_told_once_they_are_complete() -> None:
    stream = WatchDecoder(KINDS["Pod"])
    line = b'{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"7"}}}\n'
    assert stream.take(line[:20]) == []
    (told,) = stream.take(line[20:] + line[:5])
    assert (told.type, told.revision, told.obj["kind"]) == ("ADDED", 7, "Pod")
    assert len(stream.take(line[5:])) == 1


def test_an_error_in_a_watch_ends_it() -> None:
    stream = WatchDecoder(KINDS["Pod"])
    with pytest.raises(CallFailedError) as raised:
        stream.take(b'{"type":"ERROR","object":{"kind":"Status","code":410,"message":"old"}}\n')
    assert raised.value.error.code == 410
