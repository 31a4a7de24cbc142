"""Delete: grace, finalizers, preconditions, and what becomes of dependents."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import ApiServer, DeleteOptions, ListOptions, WriteOptions
from tests.apiserver.verbs.helpers import NOW, NOW_S, a_pod, create, refusal, replace

POD = KINDS["Pod"]
ON_NODE: dict[str, Any] = {"spec": {"nodeName": "n", "terminationGracePeriodSeconds": 20}}


def deletion(obj: Any) -> tuple[str | None, int | None, int | None]:
    metadata = obj["metadata"]
    return (
        metadata.get("deletionTimestamp"),
        metadata.get("deletionGracePeriodSeconds"),
        metadata.get("generation"),
    )


def delete(server: ApiServer, now_s: float = NOW_S, **how: Any) -> Any:
    return server.delete(Attributes(POD, "default", "p", now_s), DeleteOptions(**how))


def test_a_pod_on_a_node_has_its_grace(server: ApiServer) -> None:
    create(server, "Pod", a_pod(**ON_NODE))
    first = delete(server)
    assert not first.gone
    assert deletion(first.obj) == ("2001-09-09T01:47:00Z", 20, 2)
    assert first.answer is server.get(POD, "default", "p")
    later = delete(server, NOW_S + 3)
    assert later.obj is first.obj
    sooner = delete(server, NOW_S + 3, grace_period_s=5)
    assert deletion(sooner.obj) == ("2001-09-09T01:46:45Z", 5, 2)
    assert delete(server, grace_period_s=60).obj is sooner.obj
    last = delete(server, NOW_S + 4, grace_period_s=0)
    assert last.gone
    assert deletion(last.obj) == (NOW, 0, 2)
    assert refusal(lambda: delete(server)) == (404, "NotFound", 'pods "p" not found')


@pytest.mark.parametrize(
    ("pod", "how", "grace_period_s"),
    [
        (a_pod(), {}, 0),
        (a_pod(), {"grace_period_s": 7}, 0),
        (a_pod(**ON_NODE), {"grace_period_s": 0}, 0),
        (a_pod(**ON_NODE), {"grace_period_s": 7}, 7),
        (a_pod(**ON_NODE), {"grace_period_s": -7}, 1),
        (a_pod(spec={"nodeName": "n", "terminationGracePeriodSeconds": -3}), {}, 1),
        (a_pod(spec={"nodeName": "n"}), {}, 30),
    ],
)
def test_how_long_a_pod_gets(
    server: ApiServer, pod: Any, how: dict[str, int], grace_period_s: int
) -> None:
    create(server, "Pod", pod)
    deleted = delete(server, **how)
    assert deleted.gone is (grace_period_s == 0)
    assert deletion(deleted.obj)[1] == grace_period_s


def test_a_deadline_that_no_calendar_has_is_the_last_one_that_can_be_written(
    server: ApiServer,
) -> None:
    create(server, "Pod", a_pod(**ON_NODE))
    endless = delete(server, grace_period_s=2**63 - 1)
    assert deletion(endless.obj) == ("9999-12-31T23:59:59Z", 2**63 - 1, 2)
    sooner = delete(server, NOW_S + 3, grace_period_s=5)
    assert deletion(sooner.obj) == ("2001-09-09T01:46:48Z", 5, 2)


def test_a_finished_pod_goes_at_once(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod(**ON_NODE))
    replace(server, "Pod", {**pod, "status": {**pod["status"], "phase": "Failed"}}, "status")
    assert delete(server).gone


def test_watchers_see_a_pod_terminate_before_it_goes(server: ApiServer) -> None:
    create(server, "Pod", a_pod())
    stream = server.watch(POD, "", options=ListOptions(send_initial_events=False))
    delete(server)
    modified, deleted = stream.take()
    assert (modified["type"], deleted["type"]) == ("MODIFIED", "DELETED")
    assert deletion(modified["object"]) == deletion(deleted["object"]) == (NOW, 0, 2)


def test_finalizers_hold_a_pod(server: ApiServer) -> None:
    create(server, "Pod", a_pod(metadata={"finalizers": ["example.com/hold"]}))
    first = delete(server)
    assert (first.gone, deletion(first.obj)) == (False, (NOW, 0, 2))
    again = delete(server, NOW_S + 5)
    assert again.obj is first.obj


def test_other_kinds_go_at_once_and_say_so(server: ApiServer) -> None:
    node = create(server, "Node", {"metadata": {"name": "n"}})
    deleted = server.delete(Attributes(KINDS["Node"], "", "n", NOW_S))
    assert deleted.gone
    assert deleted.answer == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "n", "kind": "nodes", "uid": node["metadata"]["uid"]},
    }
    create(server, "ServiceAccount", {"metadata": {"name": "s"}})
    answered = server.delete(Attributes(KINDS["ServiceAccount"], "default", "s", NOW_S))
    assert answered.answer["kind"] == "ServiceAccount"


def test_finalizers_hold_other_kinds(server: ApiServer) -> None:
    held = {"metadata": {"name": "n", "finalizers": ["a.b/c"]}}
    create(server, "Node", held)
    kind = KINDS["Node"]
    deleted = server.delete(Attributes(kind, "", "n", NOW_S))
    assert (deleted.gone, deletion(deleted.obj)) == (False, (NOW, 0, None))
    assert server.delete(Attributes(kind, "", "n", NOW_S + 9)).obj is deleted.obj


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (
            {"uid": "wrong"},
            "the UID in the precondition (wrong) does not match the UID in record ({uid}). The "
            "object might have been deleted and then recreated",
        ),
        (
            {"resource_version": "1"},
            "the ResourceVersion in the precondition (1) does not match the ResourceVersion in "
            "record ({resourceVersion}). The object might have been modified",
        ),
    ],
)
def test_preconditions(server: ApiServer, how: dict[str, str], why: str) -> None:
    pod = create(server, "Pod", a_pod())
    expected = f'Operation cannot be fulfilled on Pod "p": {why.format(**pod["metadata"])}'
    assert refusal(lambda: delete(server, **how)) == (409, "Conflict", expected)
    uid, version = pod["metadata"]["uid"], pod["metadata"]["resourceVersion"]
    assert delete(server, uid=uid, resource_version=version).gone


@pytest.mark.parametrize(
    ("kind", "propagation", "finalizers"),
    [
        ("ReplicaSet", "", None),
        ("ReplicaSet", "Background", None),
        ("ReplicaSet", "Foreground", ["foregroundDeletion"]),
        ("ReplicaSet", "Orphan", ["orphan"]),
        ("ReplicationController", "", ["orphan"]),
        ("ReplicationController", "Background", None),
    ],
)
def test_dependents(
    server: ApiServer, kind: str, propagation: str, finalizers: list[str] | None
) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": a_pod()["spec"]}
    selector = {"a": "b"} if kind == "ReplicationController" else {"matchLabels": {"a": "b"}}
    spec = {"selector": selector, "template": template}
    create(server, kind, {"metadata": {"name": "r"}, "spec": spec})
    how = DeleteOptions(propagation=propagation)
    deleted = server.delete(Attributes(KINDS[kind], "default", "r", NOW_S), how)
    assert deleted.gone is (finalizers is None)
    assert deleted.obj["metadata"].get("finalizers") == finalizers
    if finalizers:
        assert deletion(deleted.obj) == (NOW, 0, 2)


def test_a_finalizer_says_what_becomes_of_dependents_unless_the_client_does(
    server: ApiServer,
) -> None:
    held = {"metadata": {"name": "c", "finalizers": ["foregroundDeletion"]}}
    create(server, "ConfigMap", held)
    kind = KINDS["ConfigMap"]
    assert not server.delete(Attributes(kind, "default", "c", NOW_S)).gone
    background = DeleteOptions(propagation="Background")
    assert server.delete(Attributes(kind, "default", "c", NOW_S), background).gone


def test_namespaces_are_emptied_first(server: ApiServer) -> None:
    create(server, "Namespace", {"metadata": {"name": "x"}})
    kind = KINDS["Namespace"]
    first = server.delete(Attributes(kind, "", "x", NOW_S))
    assert not first.gone
    assert first.obj["status"] == {"phase": "Terminating"}
    assert deletion(first.obj) == (NOW, None, None)
    assert server.delete(Attributes(kind, "", "x", NOW_S + 5)).obj is first.obj
    assert refusal(lambda: server.create(Attributes(POD, "x", "", NOW_S), a_pod())) == (
        403,
        "Forbidden",
        'pods "p" is forbidden: unable to create new content in namespace x because it is being '
        "terminated",
    )
    wrong = DeleteOptions(uid="wrong")
    uid = first.obj["metadata"]["uid"]
    assert refusal(lambda: server.delete(Attributes(kind, "", "x", NOW_S), wrong))[2] == (
        'Operation cannot be fulfilled on namespaces "x": Precondition failed: UID in '
        f"precondition: wrong, UID in object meta: {uid}"
    )


def test_a_dry_run_deletes_nothing(server: ApiServer) -> None:
    create(server, "Pod", a_pod())
    revision = server.store.revision
    dry = WriteOptions(dry_run=True)
    deleted = server.delete(Attributes(POD, "default", "p", NOW_S, options=dry))
    assert deleted.gone
    assert deletion(deleted.obj) == (NOW, 0, 2)
    assert server.store.revision == revision


def test_a_collection_is_listed_as_it_was(server: ApiServer) -> None:
    create(server, "Pod", a_pod("a", metadata={"labels": {"x": "1"}}))
    create(server, "Pod", a_pod("b"))
    selection = parse_selection(POD, "x=1", "")
    listing = server.delete_collection(Attributes(POD, "default", "", NOW_S), selection=selection)
    assert [deletion(pod) for pod in listing.items] == [(None, None, 1)]
    left = server.list(POD, "default").items
    assert [pod["metadata"]["name"] for pod in left] == ["b"]
