"""What holds whatever is asked of the server, and in whatever order."""

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.bodies import PatchType
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

Act = Callable[[ApiServer, str], object]


def act_create(server: ApiServer, kind: str) -> object:
    spec = SPECS[kind]
    return create(server, kind, {"metadata": {"name": "a"}, **({"spec": spec} if spec else {})})


def act_replace_stale(server: ApiServer, kind: str) -> object:
    obj = server.get(KINDS[kind], "default", "a")
    return replace(server, kind, {**obj, "metadata": {**obj["metadata"], "resourceVersion": "3"}})


def deleting(**how: Any) -> Act:
    def delete(server: ApiServer, kind: str) -> object:
        return server.delete(Attributes(KINDS[kind], "default", "a", NOW_S), DeleteOptions(**how))

    return delete


def patching(body: Any, subresource: str = "") -> Act:
    def patch(server: ApiServer, kind: str) -> object:
        of = "" if kind == "ConfigMap" else subresource
        request = PatchRequest(PatchType.MERGE, body)
        return server.patch(Attributes(KINDS[kind], "default", "a", NOW_S, of), request)

    return patch


def act_change(server: ApiServer, kind: str) -> object:
    return patching({"spec": CHANGES[kind]} if kind in CHANGES else {})(server, kind)


ACTS: tuple[Act, ...] = (
    act_create,
    patching({"metadata": {"finalizers": ["a.b/c"]}}),
    patching({"metadata": {"finalizers": None}}),
    patching({"metadata": {"labels": {"l": "1"}}}),
    act_change,
    patching({"status": {"observedGeneration": 1}}, "status"),
    act_replace_stale,
    deleting(),
    deleting(grace_period_s=0, propagation="Background"),
    deleting(propagation="Foreground"),
)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.sampled_from(sorted(SPECS))), max_size=40))
def test_histories_make_sense(steps: list[tuple[Act, str]]) -> None:
    server = ApiServer(Store(), Random(1))
    server.bootstrap(NOW_S)
    watching = ListOptions(send_initial_events=False)
    streams = {kind: server.watch(KINDS[kind], "", options=watching) for kind in SPECS}
    known: dict[tuple[str, str], Any] = {}
    for act, kind in steps:
        revision = server.store.revision
        try:
            act(server, kind)
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
