"""Server-side apply and owners of fields, from the request to what is stored."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding import PatchType
from podium.apiserver.server import ApiServer, PatchRequest, WriteOptions, Written
from tests.apiserver.verbs.helpers import NOW_S, a_pod, create, refusal

POD = KINDS["Pod"]


def apply(
    server: ApiServer, manager: str, labels: dict[str, str], *, force: bool = False, **more: Any
) -> Written:
    configuration = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "labels": labels, **more},
    }
    if manager == "creator":
        configuration["spec"] = a_pod()["spec"]
    options = WriteOptions(field_manager=manager, force=force)
    request = PatchRequest(PatchType.APPLY, configuration)
    return server.patch(Attributes(POD, "default", "p", NOW_S, options=options), request)


def managers(obj: Any) -> list[tuple[str, str]]:
    return [(one["manager"], one["operation"]) for one in obj["metadata"]["managedFields"]]


def test_what_is_applied_is_created(server: ApiServer) -> None:
    written = apply(server, "creator", {"a": "1"})
    assert written.created
    assert managers(written.obj) == [("creator", "Apply")]
    assert written.obj["spec"]["schedulerName"] == "default-scheduler"
    assert server.get(POD, "default", "p") is written.obj


def test_applying_the_same_again_writes_nothing(server: ApiServer) -> None:
    first = apply(server, "creator", {"a": "1"}).obj
    again = apply(server, "creator", {"a": "1"})
    assert (again.obj, again.created) == (first, False)
    assert server.store.revision == int(first["metadata"]["resourceVersion"])


RULE = {"ports": [{"port": 80}]}
POLICY = {"podSelector": {}, "ingress": [RULE], "policyTypes": ["Ingress"]}


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        pytest.param("Secret", {"stringData": {"a": "1"}}, id="stored as another field"),
        pytest.param("NetworkPolicy", {"spec": POLICY}, id="a default within an atomic list"),
    ],
)
def test_times_of_owners_stay_where_only_defaults_differ(
    server: ApiServer, kind: str, content: dict[str, Any]
) -> None:
    header = {"apiVersion": KINDS[kind].api_version, "kind": kind, "metadata": {"name": "a"}}
    options = WriteOptions(field_manager="kubectl")

    def applied(wanted: dict[str, Any], now_s: float) -> Any:
        request = PatchRequest(PatchType.APPLY, {**header, **wanted})
        return server.patch(
            Attributes(KINDS[kind], "default", "a", now_s, options=options), request
        ).obj

    first = applied(content, NOW_S)
    assert applied(content, NOW_S + 9) is first
    labelled = {**content, "metadata": {"name": "a", "labels": {"b": "c"}}}
    changed = applied(labelled, NOW_S + 9)
    assert changed["metadata"]["managedFields"][0]["time"] == timestamp(NOW_S + 9)


def test_others_fields_are_taken_by_force_alone(server: ApiServer) -> None:
    apply(server, "creator", {"a": "1"})
    assert refusal(lambda: apply(server, "other", {"a": "2"})) == (
        409,
        "Conflict",
        'Apply failed with 1 conflict: conflict with "creator": .metadata.labels.a',
    )
    forced = apply(server, "other", {"a": "2"}, force=True)
    assert forced.obj["metadata"]["labels"] == {"a": "2"}
    # What nobody else wants goes with its owner's next configuration.
    assert apply(server, "creator", {}).obj["metadata"]["labels"] == {"a": "2"}


def test_a_uid_is_never_created(server: ApiServer) -> None:
    assert refusal(lambda: apply(server, "creator", {}, uid="u")) == (
        409,
        "Conflict",
        'Operation cannot be fulfilled on pods "p": uid mismatch: the provided object specified '
        "uid u, and no existing object was found",
    )


def test_named_managers_own_what_they_set(server: ApiServer) -> None:
    named = WriteOptions(field_manager="kubectl")
    pod = server.create(
        Attributes(POD, "default", "", NOW_S, options=named), a_pod(metadata={"labels": {"a": "1"}})
    )
    assert managers(pod) == [("kubectl", "Update")]
    request = PatchRequest(PatchType.MERGE, {"metadata": {"labels": {"a": "2"}}})
    editor = WriteOptions(field_manager="editor")
    edited = server.patch(Attributes(POD, "default", "p", NOW_S, options=editor), request).obj
    assert sorted(managers(edited)) == [("editor", "Update"), ("kubectl", "Update")]
    assert (
        server.patch(Attributes(POD, "default", "p", NOW_S + 9, options=editor), request).obj
        is edited
    )


def test_nobody_is_tracked_who_is_not_named(server: ApiServer) -> None:
    assert "managedFields" not in create(server, "Pod", a_pod())["metadata"]


def test_scaling_is_owned_as_such(server: ApiServer) -> None:
    kind, named = KINDS["Deployment"], WriteOptions(field_manager="kubectl")
    template = {"metadata": {"labels": {"a": "b"}}, "spec": a_pod()["spec"]}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    deployment = {"metadata": {"name": "d"}, "spec": spec}
    server.create(Attributes(kind, "default", "", NOW_S, options=named), deployment)
    request = PatchRequest(PatchType.MERGE, {"spec": {"replicas": 3}})
    server.patch(Attributes(kind, "default", "d", NOW_S, "scale", options=named), request)
    fields = server.get(kind, "default", "d")["metadata"]["managedFields"]
    assert [one.get("subresource") for one in fields] == [None, "scale"]
