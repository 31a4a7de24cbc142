"""Lists beside those of the twin: of a selection, within a transaction, and errors."""

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


def test_errors_of_lists() -> None:
    store = nodes("a", "b", "c", history_max=2)
    with pytest.raises(ExpiredError, match="provided list is too old"):
        store.list("Node", at_revision=1)
    with pytest.raises(TooLargeResourceVersionError, match="version: 9, current: 4"):
        store.list("Node", at_revision=9)
    with pytest.raises(InvalidContinueError):
        store.list("Node", continue_token="garbage")
