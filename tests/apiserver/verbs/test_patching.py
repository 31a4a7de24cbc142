"""Patch: from the patch to what is stored."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding import PatchType
from podium.apiserver.server import ApiServer, PatchRequest, WriteOptions
from tests.apiserver.verbs.helpers import NOW_S, a_pod, create, refusal, replace

POD = KINDS["Pod"]


def patch(
    server: ApiServer,
    body: Any,
    patch_type: str = PatchType.STRATEGIC,
    subresource: str = "",
    **options: Any,
) -> Any:
    request = PatchRequest(patch_type, body, **options)
    written = server.patch(Attributes(POD, "default", "p", NOW_S, subresource), request)
    assert not written.created
    return written.obj


def test_a_patch_changes_what_it_says(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    labelled = patch(server, {"metadata": {"labels": {"a": "b"}}})
    assert labelled["metadata"]["labels"] == {"a": "b"}
    assert labelled["metadata"]["generation"] == 1
    assert labelled["spec"] is pod["spec"]
    imaged = patch(server, {"spec": {"containers": [{"name": "c", "image": "new"}]}})
    assert imaged["spec"]["containers"][0]["image"] == "new"
    assert imaged["metadata"]["generation"] == 2
    assert server.get(POD, "default", "p") is imaged


def test_conditions_are_merged_by_type(server: ApiServer) -> None:
    create(server, "Pod", a_pod())
    for kind in ("Ready", "Initialized"):
        conditions = [{"type": kind, "status": "True"}]
        pod = patch(server, {"status": {"conditions": conditions}}, subresource="status")
    assert {one["type"] for one in pod["status"]["conditions"]} == {"Ready", "Initialized"}
    assert pod["status"]["phase"] == "Pending"


def test_the_status_is_not_patched_with_the_rest(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    body = {"status": {"nominatedNodeName": "n"}}
    assert patch(server, body, PatchType.MERGE) is pod
    assert patch(server, body, PatchType.MERGE, "status")["status"]["nominatedNodeName"] == "n"


def test_a_version_in_the_patch_must_be_current(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    replace(server, "Pod", {**pod, "metadata": {**pod["metadata"], "labels": {"a": "b"}}})
    version = pod["metadata"]["resourceVersion"]
    body = {"metadata": {"resourceVersion": version, "labels": {"a": "c"}}}
    assert refusal(lambda: patch(server, body, PatchType.MERGE))[:2] == (409, "Conflict")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"metadata": {"name": "q"}},
            (400, "the name of the object (q) does not match the name on the URL (p)"),
        ),
        (
            {"metadata": {"uid": "x"}},
            (422, 'Pod "p" is invalid: metadata.uid: Invalid value: "x": field is immutable'),
        ),
    ],
)
def test_what_a_patch_may_not_change(
    server: ApiServer, body: dict[str, Any], expected: tuple[int, str]
) -> None:
    create(server, "Pod", a_pod())
    code, _, message = refusal(lambda: patch(server, body, PatchType.MERGE))
    assert (code, message) == expected


def test_a_terminating_pod_takes_no_new_finalizers(server: ApiServer) -> None:
    create(server, "Pod", a_pod(metadata={"finalizers": ["a.b/c"]}))
    server.delete(Attributes(POD, "default", "p", NOW_S))
    more = {"metadata": {"finalizers": ["a.b/c", "a.b/d"]}}
    assert refusal(lambda: patch(server, more, PatchType.MERGE)) == (
        422,
        "Invalid",
        'Pod "p" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if '
        'the object is being deleted, found new finalizers []string{"a.b/d"}',
    )
    last = patch(server, {"metadata": {"finalizers": None}}, PatchType.MERGE)
    assert "finalizers" not in last["metadata"]
    assert server.store.get("Pod", "default", "p") is None


@pytest.mark.parametrize(
    ("kind", "sent", "body"),
    [
        ("Namespace", {}, {"metadata": {"labels": None}}),
        ("PriorityClass", {"value": 5}, {"preemptionPolicy": None}),
        ("Node", {"status": {"capacity": {"cpu": "4"}}}, {"status": {"allocatable": None}}),
    ],
)
def test_defaults_come_back(
    server: ApiServer, kind: str, sent: dict[str, Any], body: dict[str, Any]
) -> None:
    obj = create(server, kind, {"metadata": {"name": "x"}, **sent})
    request = PatchRequest(PatchType.MERGE, body)
    subresource = "status" if "status" in body else ""
    patched = server.patch(Attributes(KINDS[kind], "", "x", NOW_S, subresource), request)
    assert patched.obj == obj


def test_selectors_keep_the_labels_that_a_pod_was_created_with(server: ApiServer) -> None:
    constraint = {
        "maxSkew": 1,
        "topologyKey": "z",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {},
        "matchLabelKeys": ["rev"],
    }
    sent = a_pod(
        metadata={"labels": {"rev": "1"}}, spec={"topologySpreadConstraints": [constraint]}
    )
    pod = create(server, "Pod", sent)
    (merged,) = pod["spec"]["topologySpreadConstraints"]
    (condition,) = merged["labelSelector"]["matchExpressions"]
    assert condition == {"key": "rev", "operator": "In", "values": ["1"]}
    assert patch(server, {"metadata": {"labels": {"rev": "2"}}})["spec"] == pod["spec"]


def test_json_patches(server: ApiServer) -> None:
    create(server, "Pod", a_pod(metadata={"labels": {"a": "b"}}))
    operations = [{"op": "copy", "from": "/metadata/labels/a", "path": "/metadata/labels/c"}]
    assert patch(server, operations, PatchType.JSON)["metadata"]["labels"] == {"a": "b", "c": "b"}


def test_what_is_not_there(server: ApiServer) -> None:
    assert refusal(lambda: patch(server, {})) == (404, "NotFound", 'pods "p" not found')


def test_a_dry_run_changes_nothing(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    request = PatchRequest(PatchType.MERGE, {"metadata": {"labels": {"a": "b"}}})
    written = server.patch(
        Attributes(POD, "default", "p", NOW_S, options=WriteOptions(dry_run=True)), request
    )
    assert written.obj["metadata"]["labels"] == {"a": "b"}
    assert server.get(POD, "default", "p") is pod


def test_unknown_fields_are_warned_of(server: ApiServer) -> None:
    create(server, "Pod", a_pod())
    request = PatchRequest(PatchType.MERGE, {"spec": {"x": 1}}, field_validation="Warn")
    written = server.patch(Attributes(POD, "default", "p", NOW_S), request)
    assert written.warnings == ('unknown field "spec.x"',)


def test_an_event_is_patched_in_the_version_that_the_patch_is_about(server: ApiServer) -> None:
    kind, version = KINDS["Event"], "events.k8s.io/v1"
    event = {
        "apiVersion": version,
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "default"},
        "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "eventTime": "2001-09-09T01:46:40.000000Z",
        "reportingController": "default-scheduler",
        "reportingInstance": "default-scheduler-1",
        "action": "Binding",
        "reason": "Scheduled",
        "type": "Normal",
        "note": "n",
    }
    create(server, "Event", event)
    series = {"count": 2, "lastObservedTime": "2001-09-09T01:47:40.000000Z"}
    request = PatchRequest(PatchType.STRATEGIC, {"series": series}, api_version=version)
    written = server.patch(Attributes(kind, "default", "e", NOW_S), request)
    assert written.obj["series"] == series
    assert (written.obj["apiVersion"], written.obj["message"]) == ("v1", "n")


def test_a_scale_is_patched_on_its_own(server: ApiServer) -> None:
    kind = KINDS["Deployment"]
    template = {"metadata": {"labels": {"a": "b"}}, "spec": a_pod()["spec"]}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    create(server, "Deployment", {"metadata": {"name": "d"}, "spec": spec})
    request = PatchRequest(PatchType.MERGE, {"spec": {"replicas": 3}})
    scale = server.patch(Attributes(kind, "default", "d", NOW_S, "scale"), request).obj
    assert scale["spec"] == {"replicas": 3}
    assert server.get(kind, "default", "d")["spec"]["replicas"] == 3
