"""Lists: their order, their pages, and what they show of the past."""

import pytest

from podium.apiserver.store import continue_token
from podium.apiserver.store.errors import (
    ExpiredError,
    InvalidContinueError,
    TooLargeResourceVersionError,
)
from podium.apiserver.store.store import Store
from tests.apiserver.store.objects import made, names


def nodes(*wanted: str, history_max: int = 100) -> Store:
    store = Store(history_max=history_max)
    for name in wanted:
        store.create("Node", made(name))
    return store


def test_items_come_as_etcd_sorts_keys() -> None:
    store = Store()
    for namespace, name in (("a", "b"), ("b", "a"), ("a-b", "z"), ("a", "a-1"), ("a", "a")):
        store.create("Pod", made(name, namespace))
    items = store.list("Pod").items
    keys = [(obj["metadata"]["namespace"], obj["metadata"]["name"]) for obj in items]
    assert keys == [("a-b", "z"), ("a", "a"), ("a", "a-1"), ("a", "b"), ("b", "a")]


def test_a_namespace_is_listed_alone() -> None:
    store = Store()
    for namespace in ("a", "a-b", "b"):
        store.create("Pod", made(f"in-{namespace}", namespace))
    assert names(store.list("Pod", "a").items) == ["in-a"]
    assert names(store.list("Pod", "none").items) == []
    assert store.list("Secret").items == []


def test_a_list_tells_its_revision() -> None:
    store = nodes("a", "b")
    store.create("Pod", made("p", "ns"))
    page = store.list("Node")
    assert (page.revision, page.continue_token, page.remaining) == (4, "", None)


def test_names_that_come_and_go_between_lists() -> None:
    store = nodes("a", "c")
    assert names(store.list("Node").items) == ["a", "c"]
    store.create("Node", made("b"))
    store.delete("Node", "", "c")
    assert names(store.list("Node").items) == ["a", "b"]


def test_pages_show_the_objects_of_the_first_pages_revision() -> None:
    store = nodes("a", "b", "c", "d", "e")
    first = store.list("Node", limit=2)
    assert (names(first.items), first.remaining) == (["a", "b"], 3)
    store.delete("Node", "", "c")
    store.update("Node", made("d", spec="new"))
    store.create("Node", made("b-2"))
    store.create("Node", made("c", spec="new"))
    second = store.list("Node", limit=2, continue_token=first.continue_token)
    assert (names(second.items), second.remaining) == (["c", "d"], 1)
    assert all("spec" not in obj for obj in second.items)
    third = store.list("Node", limit=2, continue_token=second.continue_token)
    assert (names(third.items), third.remaining, third.continue_token) == (["e"], None, "")
    assert {first.revision, second.revision, third.revision} == {6}


def test_pages_across_namespaces() -> None:
    store = Store()
    for namespace in ("a", "a-b", "b"):
        for name in ("x", "y"):
            store.create("Pod", made(f"{namespace}.{name}", namespace))
    pages = [store.list("Pod", limit=1)]
    while pages[-1].continue_token:
        pages.append(store.list("Pod", limit=1, continue_token=pages[-1].continue_token))
    seen = [name for page in pages for name in names(page.items)]
    assert seen == ["a-b.x", "a-b.y", "a.x", "a.y", "b.x", "b.y"]
    assert [page.remaining for page in pages] == [5, 4, 3, 2, 1, None]


def test_a_namespaced_token_says_only_the_name() -> None:
    store = Store()
    for name in ("x", "y"):
        store.create("Pod", made(name, "ns"))
    token = store.list("Pod", "ns", limit=1).continue_token
    assert continue_token.decode(token) == (3, "x\0")
    assert names(store.list("Pod", "ns", continue_token=token).items) == ["y"]


def test_pages_of_some_objects_do_not_tell_how_many_remain() -> None:
    store = nodes("a", "b", "c", "d", "e")
    page = store.list("Node", limit=2, matches=lambda obj: obj["metadata"]["name"] in "bde")
    assert (names(page.items), page.remaining) == (["b", "d"], None)
    rest = store.list("Node", continue_token=page.continue_token)
    assert names(rest.items) == ["e"]


def test_a_full_page_that_is_the_last_says_so() -> None:
    page = nodes("a", "b").list("Node", limit=2)
    assert (page.continue_token, page.remaining) == ("", None)


def test_a_list_as_it_was() -> None:
    store = nodes("a", "b")
    store.delete("Node", "", "a")
    page = store.list("Node", at_revision=3)
    assert (names(page.items), page.revision) == (["a", "b"], 3)
    assert names(store.list("Node", at_revision=2).items) == ["a"]
    assert names(store.list("Node", at_revision=1).items) == []


def test_a_list_too_long_ago() -> None:
    store = nodes("a", "b", "c", history_max=2)
    assert names(store.list("Node", at_revision=2).items) == ["a"]
    with pytest.raises(ExpiredError, match="provided list is too old"):
        store.list("Node", at_revision=1)


def test_a_list_yet_to_come() -> None:
    with pytest.raises(
        TooLargeResourceVersionError, match="Too large resource version: 9, current: 2"
    ):
        nodes("a").list("Node", at_revision=9)


def test_an_expired_page_offers_to_go_on_with_the_objects_as_they_are() -> None:
    store = nodes("a", "b", "c", history_max=2)
    token = store.list("Node", limit=1).continue_token
    for name in ("a-2", "b-2", "d"):
        store.create("Node", made(name))
    with pytest.raises(ExpiredError, match="use the continue token in this response") as caught:
        store.list("Node", limit=2, continue_token=token)
    second = store.list("Node", limit=2, continue_token=caught.value.continue_token)
    assert (names(second.items), second.revision) == (["a-2", "b"], 7)
    third = store.list("Node", limit=2, continue_token=second.continue_token)
    assert names(third.items) == ["b-2", "c"]


def test_a_list_within_a_transaction_sees_its_writes() -> None:
    store = nodes("a", "c")
    with store.transaction():
        store.create("Node", made("b"))
        page = store.list("Node", limit=1)
        store.delete("Node", "", "b")
        assert names(store.list("Node").items) == ["a", "c"]
        assert names(store.list("Node", continue_token=page.continue_token).items) == ["b", "c"]


def test_a_broken_token() -> None:
    with pytest.raises(InvalidContinueError):
        nodes("a").list("Node", continue_token="garbage")
