"""Watch: where it starts, what a selection sees, and how it ends."""

from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import ApiServer, DeleteOptions, ListOptions, WatchStream
from podium.apiserver.store.store import Store
from tests.apiserver.verbs.helpers import NOW_S, a_pod, create, refusal, replace

POD = KINDS["Pod"]


def seen(stream: WatchStream) -> list[tuple[str, str]]:
    return [(item["type"], item["object"]["metadata"].get("name", "")) for item in stream.take()]


def labelled(pod: Any, **labels: str) -> Any:
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}}


def test_without_a_version_it_starts_with_all_there_is(server: ApiServer) -> None:
    create(server, "Pod", a_pod("a"))
    for version in ("", "0"):
        stream = server.watch(POD, "", options=ListOptions(resource_version=version))
        assert seen(stream) == [("ADDED", "a")]
        assert seen(stream) == []
    stream = server.watch(POD, "default")
    stream.take()
    create(server, "Pod", a_pod("b"))
    assert seen(stream) == [("ADDED", "b")]


def test_a_pod_terminates_before_it_is_deleted(server: ApiServer) -> None:
    create(server, "Pod", a_pod("a"))
    stream = server.watch(POD, "", options=ListOptions(send_initial_events=False))
    server.delete(Attributes(POD, "default", "a", NOW_S))
    assert seen(stream) == [("MODIFIED", "a"), ("DELETED", "a")]


def test_leaving_a_selection_is_to_be_deleted(server: ApiServer) -> None:
    pod = create(server, "Pod", labelled(a_pod("a"), k="1"))
    version = pod["metadata"]["resourceVersion"]
    changed = replace(server, "Pod", labelled(pod, k="2"))
    back = replace(server, "Pod", labelled(changed, k="1"))
    selection = parse_selection(POD, "k=1", "")
    stream = server.watch(POD, "", selection, ListOptions(resource_version=version))
    left, returned = stream.take()
    assert left["type"] == "DELETED"
    assert left["object"]["metadata"]["labels"] == {"k": "1"}
    assert left["object"]["metadata"]["resourceVersion"] == changed["metadata"]["resourceVersion"]
    assert returned == {"type": "ADDED", "object": back}


def test_initial_events_end_with_a_bookmark(server: ApiServer) -> None:
    create(server, "Pod", a_pod("a"))
    options = ListOptions(send_initial_events=True, allow_watch_bookmarks=True)
    stream = server.watch(POD, "", options=options)
    added, end = stream.take()
    assert added["type"] == "ADDED"
    version = str(server.store.revision)
    assert end == {
        "type": "BOOKMARK",
        "object": {
            "kind": "Pod",
            "apiVersion": "v1",
            "metadata": {
                "resourceVersion": version,
                "annotations": {"k8s.io/initial-events-end": "true"},
            },
            "spec": {"containers": None},
            "status": {},
        },
    }
    create(server, "Namespace", {"metadata": {"name": "x"}})
    later = stream.bookmark()
    assert later is not None
    assert later["object"]["metadata"] == {"resourceVersion": str(server.store.revision)}


def test_too_old_and_too_new_versions() -> None:
    server = ApiServer(Store(history_max=2), Random(1))
    server.bootstrap(NOW_S)
    pod = create(server, "Pod", a_pod("a"))
    behind = server.watch(POD, "", options=ListOptions(send_initial_events=False))
    for number in range(4):
        pod = replace(server, "Pod", labelled(pod, n=str(number)))
    late = server.watch(POD, "", options=ListOptions(resource_version="3"))
    for stream in (behind, late):
        (item,) = stream.take()
        assert item["type"] == "ERROR"
        assert (item["object"]["code"], item["object"]["reason"]) == (410, "Expired")
        assert item["object"]["message"].startswith("too old resource version: ")
        assert stream.has_ended
        assert stream.bookmark() is None
        assert stream.take() == []
    future = ListOptions(resource_version="999")
    assert refusal(lambda: server.watch(POD, "", options=future))[0] == 504


def test_who_waits_is_woken_once(server: ApiServer) -> None:
    calls: list[None] = []
    stream = server.watch(POD, "")
    stream.wake_by(lambda: calls.append(None))
    stream.take()
    create(server, "Pod", a_pod("a"))
    create(server, "Pod", a_pod("b"))
    assert len(calls) == 1
    stream.take()
    stream.close()
    create(server, "Pod", a_pod("c"))
    assert len(calls) == 1


steps = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["", "1", "2", "gone"])), max_size=12
)


@given(before=steps, after=steps)
def test_a_list_and_its_watch_make_the_next_list(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    server = ApiServer(Store(), Random(1))
    server.bootstrap(NOW_S)
    selection = parse_selection(POD, "k=1", "")
    for step in before:
        carry_out(server, *step)
    listing = server.list(POD, "", selection)
    known = {pod["metadata"]["name"]: pod for pod in listing.items}
    for step in after:
        carry_out(server, *step)
    options = ListOptions(resource_version=listing.resource_version)
    for item in server.watch(POD, "", selection, options).take():
        name = item["object"]["metadata"]["name"]
        assert (name in known) is (item["type"] != "ADDED")
        if item["type"] == "DELETED":
            del known[name]
        else:
            known[name] = item["object"]
    assert list(known.values()) == sorted(
        server.list(POD, "", selection).items, key=lambda pod: list(known).index(name_of(pod))
    )


def name_of(pod: Any) -> Any:
    return pod["metadata"]["name"]


def carry_out(server: ApiServer, name: str, label: str) -> None:
    """Give a pod a label, create it if it isn't there, or delete it."""
    there = server.store.get("Pod", "default", name)
    if label == "gone":
        if there:
            now = DeleteOptions(grace_period_s=0)
            server.delete(Attributes(POD, "default", name, NOW_S), now)
    elif there:
        replace(server, "Pod", labelled(there, k=label))
    else:
        create(server, "Pod", labelled(a_pod(name), k=label))
