"""What holds whatever is asked of the server, and in whatever order."""

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding import PatchType
from podium.apiserver.server import ApiServer, DeleteOptions, ListOptions, PatchRequest
from podium.apiserver.store.store import Store
from tests.apiserver.verbs.helpers import NOW_S, a_pod, create, replace

SELECTOR = {"matchLabels": {"a": "b"}}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": a_pod()["spec"]}
SPECS: dict[str, Any] = {
    "Pod": {**a_pod()["spec"], "nodeName": "n"},
    "Deployment": {"selector": SELECTOR, "template": TEMPLATE},
    "PodDisruptionBudget": {"selector": SELECTOR, "minAvailable": 1},
    "ConfigMap": None,
}
CHANGES: dict[str, Any] = {
    "Pod": {"activeDeadlineSeconds": 5},
    "Deployment": {"replicas": 7},
    "PodDisruptionBudget": {"minAvailable": 2},
}

Act = Callable[[ApiServer, str, str], object]


def act_create(server: ApiServer, kind: str, name: str) -> object:
    spec = SPECS[kind]
    obj = {"metadata": {"name": name}, **({"spec": spec} if spec else {})}
    return create(server, kind, obj)


def act_hold(server: ApiServer, kind: str, name: str) -> object:
    return patch(server, kind, name, {"metadata": {"finalizers": ["a.b/c"]}})


def act_release(server: ApiServer, kind: str, name: str) -> object:
    return patch(server, kind, name, {"metadata": {"finalizers": None}})


def act_label(server: ApiServer, kind: str, name: str) -> object:
    return patch(server, kind, name, {"metadata": {"labels": {"l": "1"}}})


def act_change(server: ApiServer, kind: str, name: str) -> object:
    return patch(server, kind, name, {"spec": CHANGES[kind]} if kind in CHANGES else {})


def act_status(server: ApiServer, kind: str, name: str) -> object:
    body = {"status": {"observedGeneration": 1}}
    return patch(server, kind, name, body, "" if kind == "ConfigMap" else "status")


def act_replace_stale(server: ApiServer, kind: str, name: str) -> object:
    obj = server.get(KINDS[kind], "default", name)
    return replace(server, kind, {**obj, "metadata": {**obj["metadata"], "resourceVersion": "3"}})


def act_delete(server: ApiServer, kind: str, name: str) -> object:
    return server.delete(Attributes(KINDS[kind], "default", name, NOW_S))


def act_delete_now(server: ApiServer, kind: str, name: str) -> object:
    now = DeleteOptions(grace_period_s=0, propagation="Background")
    return server.delete(Attributes(KINDS[kind], "default", name, NOW_S), now)


def act_delete_in_foreground(server: ApiServer, kind: str, name: str) -> object:
    foreground = DeleteOptions(propagation="Foreground")
    return server.delete(Attributes(KINDS[kind], "default", name, NOW_S), foreground)


ACTS: tuple[Act, ...] = (
    act_create,
    act_hold,
    act_release,
    act_label,
    act_change,
    act_status,
    act_replace_stale,
    act_delete,
    act_delete_now,
    act_delete_in_foreground,
)


def patch(server: ApiServer, kind: str, name: str, body: Any, subresource: str = "") -> object:
    request = PatchRequest(PatchType.MERGE, body)
    return server.patch(Attributes(KINDS[kind], "default", name, NOW_S, subresource), request)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from(ACTS), st.sampled_from(sorted(SPECS)), st.just("a")),
        max_size=40,
    )
)
def test_histories_make_sense(steps: list[tuple[Act, str, str]]) -> None:
    server = ApiServer(Store(), Random(1))
    server.bootstrap(NOW_S)
    watching = ListOptions(send_initial_events=False)
    streams = {kind: server.watch(KINDS[kind], "", options=watching) for kind in SPECS}
    known: dict[tuple[str, str], Any] = {}
    for act, kind, name in steps:
        revision = server.store.revision
        try:
            act(server, kind, name)
        except RefusedError:
            assert server.store.revision == revision
        for item in streams[kind].take():
            follow(known, kind, item)
    for kind in SPECS:
        stored = server.list(KINDS[kind], "").items
        assert [obj for (k, _), obj in sorted(known.items()) if k == kind] == stored


def follow(known: dict[tuple[str, str], Any], kind: str, item: Any) -> None:
    """Take a watch's item in, and see that it follows from what was known."""
    obj = item["object"]
    key = kind, obj["metadata"]["name"]
    before = known.get(key)
    assert (before is None) is (item["type"] == "ADDED")
    if before is not None:
        now, then = obj["metadata"], before["metadata"]
        assert now["uid"] == then["uid"]
        assert now["creationTimestamp"] == then["creationTimestamp"]
        assert int(now["resourceVersion"]) > int(then["resourceVersion"])
        assert now.get("generation", 0) >= then.get("generation", 0)
        assert obj.get("spec") == before.get("spec") or now["generation"] > then["generation"]
        assert now.get("deletionTimestamp", "") >= then.get("deletionTimestamp", "") or (
            now["deletionGracePeriodSeconds"] < then["deletionGracePeriodSeconds"]
        )
        # A write that changes nothing isn't one.
        same_version = {**now, "resourceVersion": then["resourceVersion"]}
        assert item["type"] == "DELETED" or {**obj, "metadata": same_version} != before
    if item["type"] == "DELETED":
        del known[key]
    else:
        known[key] = obj
