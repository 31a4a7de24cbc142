"""Create: what is stored of what was sent."""

import re
from random import Random

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import ApiServer, WriteOptions
from podium.apiserver.store.store import Store
from podium.apiserver.verbs.create import new_uid
from tests.apiserver.verbs.helpers import NOW, NOW_S, Obj, a_pod, create, refusal

POD = KINDS["Pod"]
UUID_4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def test_the_server_says_who_an_object_is(server: ApiServer) -> None:
    sent = a_pod(
        metadata={
            "uid": "mine",
            "creationTimestamp": "1999-01-01T00:00:00Z",
            "deletionTimestamp": "1999-01-01T00:00:00Z",
            "labels": {},
        }
    )
    pod = create(server, "Pod", sent)
    metadata = pod["metadata"]
    assert UUID_4.fullmatch(metadata["uid"])
    assert metadata == {
        "name": "p",
        "namespace": "default",
        "uid": metadata["uid"],
        "creationTimestamp": NOW,
        "generation": 1,
        "resourceVersion": str(server.store.revision),
    }
    assert (pod["apiVersion"], pod["kind"]) == ("v1", "Pod")
    assert server.get(POD, "default", "p") == pod


def test_a_pod_is_pending_whatever_it_claims(server: ApiServer) -> None:
    pod = create(server, "Pod", {**a_pod(), "status": {"phase": "Running"}})
    assert pod["status"] == {"phase": "Pending", "qosClass": "BestEffort"}


def test_a_gated_pod_says_so(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod(spec={"schedulingGates": [{"name": "a.b/c"}]}))
    (condition,) = pod["status"]["conditions"]
    assert (condition["type"], condition["reason"]) == ("PodScheduled", "SchedulingGated")


def test_defaults_and_admission_complete_it(server: ApiServer) -> None:
    spec = create(server, "Pod", a_pod())["spec"]
    assert spec["schedulerName"] == "default-scheduler"
    assert (spec["priority"], spec["preemptionPolicy"]) == (0, "PreemptLowerPriority")
    assert len(spec["tolerations"]) == 2


def test_names_are_generated(server: ApiServer) -> None:
    sent = {**a_pod(), "metadata": {"generateName": "web-"}}
    names = {create(server, "Pod", sent)["metadata"]["name"] for _ in range(3)}
    assert len(names) == 3
    assert all(re.fullmatch("web-[bcdfghjklmnpqrstvwxz2456789]{5}", name) for name in names)


def test_what_a_name_begins_with_is_judged_too(server: ApiServer) -> None:
    sent = {**a_pod(), "metadata": {"generateName": "Web-"}}
    message = refusal(lambda: create(server, "Pod", sent))[2]
    assert 'metadata.generateName: Invalid value: "Web-": a lowercase RFC 1123' in message
    assert 'metadata.name: Invalid value: "Web-' in message


def test_one_owners_objects_are_named_alike_whatever_else_there_is(server: ApiServer) -> None:
    def named(base: str, owner: str) -> str:
        reference = {"apiVersion": "v1", "kind": "Node", "name": owner, "uid": owner}
        metadata = {
            "generateName": base,
            "ownerReferences": [{**reference, "controller": True}],
        }
        name: str = create(server, "Pod", {**a_pod(), "metadata": metadata})["metadata"]["name"]
        return name

    first = named("web-", "a")
    assert first == "web-smpwg"
    assert named("web-", "b") != first
    assert named("web-", "a") not in (first, named("db-", "a"))


def test_uids_do_not_repeat() -> None:
    rng = Random(1)
    uids = {new_uid(rng) for _ in range(1000)}
    assert len(uids) == 1000
    assert all(UUID_4.fullmatch(uid) for uid in uids)


@pytest.mark.parametrize(
    ("obj", "namespace", "expected"),
    [
        (a_pod("taken"), "default", (409, "AlreadyExists", 'pods "taken" already exists')),
        (
            a_pod("leaving"),
            "default",
            (409, "AlreadyExists", 'object is being deleted: pods "leaving" already exists'),
        ),
        (a_pod(), "nowhere", (404, "NotFound", 'namespaces "nowhere" not found')),
        (
            a_pod(metadata={"namespace": "other"}),
            "default",
            (
                400,
                "BadRequest",
                "the namespace of the provided object does not match the namespace sent on the "
                "request",
            ),
        ),
        (
            a_pod(metadata={"resourceVersion": "5"}),
            "default",
            (500, "", "resourceVersion should not be set on objects to be created"),
        ),
        (
            a_pod(""),
            "default",
            (
                422,
                "Invalid",
                'Pod "" is invalid: metadata.name: Required value: '
                "name or generateName is required",
            ),
        ),
    ],
)
def test_refusals(
    server: ApiServer, obj: Obj, namespace: str, expected: tuple[int, str, str]
) -> None:
    create(server, "Pod", a_pod("taken"))
    create(server, "Pod", a_pod("leaving", spec={"nodeName": "n"}))
    server.delete(Attributes(POD, "default", "leaving", NOW_S))
    assert refusal(lambda: server.create(Attributes(POD, namespace, "", NOW_S), obj)) == expected


def test_causes_name_each_fault(server: ApiServer) -> None:
    sent = {**a_pod(), "spec": {"containers": []}}
    with pytest.raises(Exception, match="Required value") as caught:
        create(server, "Pod", sent)
    status = caught.value.status()  # type: ignore[attr-defined]
    assert status["details"] == {
        "name": "p",
        "kind": "Pod",
        "causes": [
            {
                "reason": "FieldValueRequired",
                "message": "Required value",
                "field": "spec.containers",
            }
        ],
    }


def test_a_dry_run_leaves_nothing(server: ApiServer) -> None:
    revision = server.store.revision
    pod = server.create(
        Attributes(POD, "default", "", NOW_S, options=WriteOptions(dry_run=True)), a_pod()
    )
    assert pod["metadata"]["uid"]
    assert "resourceVersion" not in pod["metadata"]
    assert server.store.revision == revision
    create(server, "Pod", a_pod())
    dry = WriteOptions(dry_run=True)
    assert (
        refusal(lambda: server.create(Attributes(POD, "default", "", NOW_S, options=dry), a_pod()))[
            0
        ]
        == 409
    )


def test_cluster_scoped_objects_stand_in_no_namespace(server: ApiServer) -> None:
    node = create(server, "Node", {"metadata": {"name": "n", "namespace": "default"}})
    assert "namespace" not in node["metadata"]


def test_every_cluster_has_its_namespaces_and_classes(server: ApiServer) -> None:
    namespaces = server.list(KINDS["Namespace"], "").items
    assert [one["metadata"]["name"] for one in namespaces] == [
        "default",
        "kube-node-lease",
        "kube-public",
        "kube-system",
    ]
    assert all(one["spec"] == {"finalizers": ["kubernetes"]} for one in namespaces)
    critical = server.get(KINDS["PriorityClass"], "", "system-node-critical")
    assert (critical["value"], critical["metadata"]["generation"]) == (2_000_001_000, 1)
    revision = server.store.revision
    server.bootstrap(NOW_S + 60)
    assert server.store.revision == revision


def test_the_same_seed_gives_the_same_objects() -> None:
    def made() -> Obj:
        server = ApiServer(Store(), Random(3))
        server.bootstrap(NOW_S)
        sent = {**a_pod(), "metadata": {"generateName": "web-"}}
        return dict(create(server, "Pod", sent))

    assert made() == made()


def test_limits_without_a_name_are_called_by_a_number(server: ApiServer) -> None:
    made = create(server, "LimitRange", {"metadata": {}, "spec": {}})
    assert UUID_4.fullmatch(made["metadata"]["name"])
