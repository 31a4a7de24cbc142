"""Replace: what an update can change, what it conflicts with, and what it ends."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import ApiServer, WriteOptions
from tests.apiserver.verbs.helpers import NOW_S, a_pod, create, refusal, replace

POD = KINDS["Pod"]


def with_metadata(obj: Any, **fields: Any) -> Any:
    return {**obj, "metadata": {**obj["metadata"], **fields}}


def without_version(obj: Any) -> Any:
    metadata = {k: v for k, v in obj["metadata"].items() if k != "resourceVersion"}
    return {**obj, "metadata": metadata}


def test_a_stale_version_conflicts(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    replace(server, "Pod", with_metadata(pod, labels={"a": "1"}))
    assert refusal(lambda: replace(server, "Pod", with_metadata(pod, labels={"a": "2"}))) == (
        409,
        "Conflict",
        'Operation cannot be fulfilled on pods "p": the object has been modified; please apply '
        "your changes to the latest version and try again",
    )


def test_a_version_that_is_none(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    assert refusal(lambda: replace(server, "Pod", with_metadata(pod, resourceVersion="abc"))) == (
        500,
        "",
        'strconv.ParseUint: parsing "abc": invalid syntax',
    )


def test_most_kinds_can_be_replaced_without_a_version(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    changed = replace(server, "Pod", without_version(with_metadata(pod, labels={"a": "1"})))
    assert changed["metadata"]["labels"] == {"a": "1"}
    spec = {"selector": {}, "minAvailable": 1}
    budget = create(server, "PodDisruptionBudget", {"metadata": {"name": "b"}, "spec": spec})
    assert refusal(lambda: replace(server, "PodDisruptionBudget", without_version(budget))) == (
        422,
        "Invalid",
        'poddisruptionbudgets.policy "b" is invalid: metadata.resourceVersion: Invalid value: 0: '
        "must be specified for an update",
    )


def test_nothing_changed_is_nothing_written(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    assert replace(server, "Pod", pod) is server.get(POD, "default", "p")
    assert server.store.revision == int(pod["metadata"]["resourceVersion"])


def test_what_the_server_says_stays(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    sent = {"metadata": {"name": "p", "generation": 9}, "spec": pod["spec"]}
    changed = replace(server, "Pod", {**sent, "metadata": {**sent["metadata"], "labels": {}}})
    assert changed == pod


def test_another_object_of_that_name(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    code, reason, message = refusal(lambda: replace(server, "Pod", with_metadata(pod, uid="x")))
    assert (code, reason) == (409, "Conflict")
    assert message == (
        'Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, '
        "Key: /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition "
        f"failed: UID in precondition: x, UID in object meta: {pod['metadata']['uid']}"
    )


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (
            {"name": "q"},
            "the name of the object (q) does not match the name on the URL (p)",
        ),
        (
            {},
            "the name of the object (p based on URL) was undeterminable: name must be provided",
        ),
        (
            {"name": "p", "namespace": "other"},
            "the namespace of the object (other) does not match the namespace on the request "
            "(default)",
        ),
    ],
)
def test_other_names_than_the_url(
    server: ApiServer, metadata: dict[str, str], message: str
) -> None:
    create(server, "Pod", a_pod())
    sent = {**a_pod(), "metadata": metadata}
    assert refusal(lambda: server.replace(Attributes(POD, "default", "p", NOW_S), sent)) == (
        400,
        "BadRequest",
        message,
    )


def test_what_is_not_there(server: ApiServer) -> None:
    not_found = (404, "NotFound", 'pods "p" not found')
    assert refusal(lambda: replace(server, "Pod", a_pod())) == not_found


def test_some_kinds_are_created_by_an_update(server: ApiServer) -> None:
    lease = KINDS["Lease"]
    sent = {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}}
    written = server.replace(Attributes(lease, "default", "l", NOW_S), sent)
    assert written.created
    assert server.get(lease, "default", "l") is written.obj
    assert not server.replace(Attributes(lease, "default", "l", NOW_S), written.obj).created


def test_status_and_the_rest_are_kept_apart(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    both = {
        **with_metadata(pod, labels={"a": "1"}),
        "spec": {**pod["spec"], "activeDeadlineSeconds": 9},
        "status": {**pod["status"], "phase": "Running"},
    }
    by_status = replace(server, "Pod", both, "status")
    assert by_status["spec"] == pod["spec"]
    assert by_status["status"]["phase"] == "Running"
    assert by_status["metadata"]["generation"] == 1
    by_spec = replace(server, "Pod", {**both, "metadata": by_status["metadata"], "status": {}})
    assert by_spec["spec"]["activeDeadlineSeconds"] == 9
    assert by_spec["status"] == by_status["status"]
    assert by_spec["metadata"]["generation"] == 2


def test_a_dry_run_changes_nothing(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    sent = with_metadata(pod, labels={"a": "1"})
    dry = WriteOptions(dry_run=True)
    answer = server.replace(Attributes(POD, "default", "p", NOW_S, options=dry), sent).obj
    assert answer["metadata"]["labels"] == {"a": "1"}
    assert server.get(POD, "default", "p") is pod


def test_the_last_finalizer_ends_a_deletion(server: ApiServer) -> None:
    held = {"metadata": {"name": "c", "finalizers": ["example.com/hold"]}}
    config_map, kind = create(server, "ConfigMap", held), KINDS["ConfigMap"]
    deleted = server.delete(Attributes(kind, "default", "c", NOW_S))
    assert not deleted.gone
    sent = with_metadata(config_map, finalizers=[], resourceVersion="")
    last = replace(server, "ConfigMap", sent)
    assert "finalizers" not in last["metadata"]
    assert last["metadata"]["deletionTimestamp"]
    assert server.store.get("ConfigMap", "default", "c") is None


def test_a_terminating_namespace_ends_when_it_is_finalized(server: ApiServer) -> None:
    namespace = create(server, "Namespace", {"metadata": {"name": "x"}})
    emptied = {**namespace, "spec": {}}
    by_update = replace(server, "Namespace", with_metadata(emptied, labels={"a": "b"}))
    assert by_update["spec"] == {"finalizers": ["kubernetes"]}
    server.delete(Attributes(KINDS["Namespace"], "", "x", NOW_S))
    replace(server, "Namespace", without_version(emptied), "finalize")
    assert server.store.get("Namespace", "", "x") is None


def test_events_come_in_either_shape(server: ApiServer) -> None:
    kind = KINDS["Event"]
    shown = {
        "apiVersion": "events.k8s.io/v1",
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
    stored = create(server, "Event", shown)
    assert (stored["apiVersion"], stored["message"]) == ("v1", "n")
    assert stored["involvedObject"]["name"] == "p"
    changed = {**shown, "note": "m", "series": {"count": 2}}
    assert server.replace(Attributes(kind, "default", "e", NOW_S), changed).obj["message"] == "m"
