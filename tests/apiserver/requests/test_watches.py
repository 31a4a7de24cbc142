"""Watches as answers: what they tell, in which form, and how they end."""

import json

import pytest

from podium.apiserver.requests import Watching, encoded
from tests.apiserver.requests.client import PODS, TABLE, Client, events_of, last_events_of


def test_a_watch(client):
    client.create_pod("a")
    watch = client.ask("GET", f"{PODS}?watch=1&timeoutSeconds=9&allowWatchBookmarks=1").body
    assert isinstance(watch, Watching)
    assert watch.timeout_s == 9
    first = events_of(watch, client.now_s)
    assert [one["type"] for one in first] == ["ADDED", "BOOKMARK"]
    assert first[0]["object"]["kind"] == "Pod"
    client.create_pod("b")
    last = last_events_of(watch, client.now_s)
    assert [one["type"] for one in last] == ["ADDED", "BOOKMARK"]
    version = client.get(PODS)["metadata"]["resourceVersion"]
    assert last[1]["object"]["metadata"] == {"resourceVersion": version}
    assert not watch.stream.has_ended


def test_no_bookmarks_for_those_who_do_not_understand_them(client):
    watch = client.ask("GET", f"{PODS}?watch=1").body
    assert watch.timeout_s is None
    assert last_events_of(watch, client.now_s) == []


def test_a_watch_of_tables_describes_the_columns_once(client):
    client.create_pod("a")
    client.create_pod("b")
    watch = client.ask("GET", f"{PODS}?watch=1", accept=TABLE).body
    tables = [one["object"] for one in events_of(watch, client.now_s)]
    assert [len(table["columnDefinitions"]) > 0 for table in tables] == [True, False]
    assert [table["rows"][0]["cells"][0] for table in tables] == ["a", "b"]


def test_a_watch_of_one_object_by_its_old_path(client):
    client.create_pod("a")
    client.create_pod("b")
    path = "/api/v1/watch/namespaces/default/pods/b"
    (found,) = events_of(client.ask("GET", path).body, client.now_s)
    assert found["object"]["metadata"]["name"] == "b"
    both = client.ask("GET", f"{path}?fieldSelector=metadata.name%3Db,status.phase%3DPending")
    assert both.code == 200
    other = client.ask("GET", f"{path}?fieldSelector=metadata.name%3Da")
    assert other.body["message"] == "fieldSelector metadata.name doesn't match requested name"


def test_a_watch_of_what_is_still_to_come_is_asked_to_wait(client):
    response = client.ask("GET", f"{PODS}?watch=1&resourceVersion=99999")
    assert (response.code, response.header("Retry-After")) == (504, "1")


def test_a_watch_of_what_is_forgotten_ends_at_once():
    client = Client(history_max=2)
    first = client.create_pod("a")["metadata"]["resourceVersion"]
    for name in "bcd":
        client.create_pod(name)
    response = client.ask("GET", f"{PODS}?watch=1&resourceVersion={first}&allowWatchBookmarks=1")
    (event,) = last_events_of(response.body, client.now_s)
    assert (response.code, event["type"], event["object"]["code"]) == (200, "ERROR", 410)
    assert response.body.stream.has_ended


def test_a_watch_goes_over_the_wire_event_by_event(client):
    client.create_pod("a")
    response = client.ask("GET", f"{PODS}?watch=1")
    with pytest.raises(TypeError, match="piece by piece"):
        response.content()
    (line,) = map(encoded, events_of(response.body, client.now_s))
    assert json.loads(line)["type"] == "ADDED"
    assert line.endswith(b"}\n")
