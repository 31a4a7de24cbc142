"""Watches beside those of the twin: when they wake, and what they say when they expire."""

import pytest

from podium.apiserver.store.errors import ExpiredError, TooLargeResourceVersionError
from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.store import Store
from tests.apiserver.store.objects import made


def told(events: list[WatchEvent]) -> list[tuple[str, str, int]]:
    return [(event.type, event.name, event.revision) for event in events]


def test_the_revision_for_bookmarks() -> None:
    store = Store()
    watch = store.watch("Node", from_revision=1)
    assert watch.revision == 1
    store.create("Pod", made("p", "ns"))
    assert watch.revision == 2, "nothing of the kind happened until then"
    store.create("Node", made("a"))
    store.create("Node", made("b"))
    store.create("Pod", made("q", "ns"))
    assert watch.revision == 2
    watch.take(1)
    assert watch.revision == 3
    watch.take(1)
    assert watch.revision == 5


def test_a_watch_starts_within_the_history() -> None:
    store = Store(history_max=2)
    for name in "abc":
        store.create("Node", made(name))
    with pytest.raises(ExpiredError, match=r"^too old resource version: 1 \(2\)$"):
        store.watch("Node", from_revision=1)
    assert store.watch("Pod", from_revision=1).take() == [], "other kinds have their own history"
    with pytest.raises(TooLargeResourceVersionError, match="version: 7, current: 4"):
        store.watch("Node", from_revision=7)


def test_a_watch_that_was_left_behind() -> None:
    store = Store(history_max=2)
    watch = store.watch("Node", from_revision=1)
    for name in "ab":
        store.create("Node", made(name))
    assert told(watch.take(1)) == [("ADDED", "a", 2)]
    for name in "cd":
        store.create("Node", made(name))
    with pytest.raises(ExpiredError, match=r"^too old resource version: 2 \(3\)$"):
        watch.take()
    with pytest.raises(ExpiredError):
        watch.take()


def test_a_watch_wakes_once_until_it_is_read() -> None:
    store = Store()
    woken: list[int] = []
    watch = store.watch("Node", from_revision=1, wake=lambda: woken.append(store.revision))
    store.create("Pod", made("p", "ns"))
    assert woken == []
    store.create("Node", made("a"))
    store.create("Node", made("b"))
    assert woken == [3]
    watch.take(1)
    store.create("Node", made("c"))
    assert woken == [3], "it wasn't read to its end"
    watch.take()
    store.create("Node", made("d"))
    assert woken == [3, 6]
    watch.take()
    watch.close()
    store.create("Node", made("e"))
    watch.take()
    store.create("Node", made("f"))
    assert woken == [3, 6]


def test_who_is_woken_can_take_at_once() -> None:
    store = Store()
    seen: list[tuple[str, str, int]] = []
    watch = store.watch("Node", from_revision=1, wake=lambda: seen.extend(told(watch.take())))
    store.create("Node", made("a"))
    store.delete("Node", "", "a")
    assert seen == [("ADDED", "a", 2), ("DELETED", "a", 3)]


def test_a_watch_with_a_past_to_read_is_not_woken_before_it_has() -> None:
    store = Store()
    store.create("Node", made("a"))
    woken: list[None] = []
    watch = store.watch("Node", from_revision=1, wake=lambda: woken.append(None))
    store.create("Node", made("b"))
    assert woken == []
    assert len(watch.take()) == 2
    store.create("Node", made("c"))
    assert len(woken) == 1
