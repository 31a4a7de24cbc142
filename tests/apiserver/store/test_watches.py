"""Watches, also of a field's value, beside those of the twin: when they wake and expire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.objects import Object
from podium.apiserver.store.errors import ExpiredError, TooLargeResourceVersionError
from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.store import Store
from podium.apiserver.store.watch import FieldValue
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


def spec_of(obj: Object) -> str:
    return str(obj.get("spec", ""))


ON_A = FieldValue(spec_of, "a")

_KEYS = st.tuples(st.sampled_from(("", "x", "y")), st.sampled_from("pq"))
_STEPS = st.lists(st.tuples(_KEYS, st.sampled_from(("a", "b", None))), max_size=12)


def write(store: Store, key: tuple[str, str], spec: str | None) -> None:
    """Put an object, or take it away."""
    namespace, name = key
    is_there = store.get("Pod", namespace, name) is not None
    if spec is not None and is_there:
        store.update("Pod", made(name, namespace, spec=spec))
    elif spec is not None:
        store.create("Pod", made(name, namespace, spec=spec))
    elif is_there:
        store.delete("Pod", namespace, name)


@given(_STEPS, _STEPS, _STEPS, st.sampled_from((None, "x")), st.sampled_from((None, 1, 2)))
def test_it_shows_what_a_watch_of_everything_shows_of_the_value(
    before: list[tuple[tuple[str, str], str | None]],
    between: list[tuple[tuple[str, str], str | None]],
    after: list[tuple[tuple[str, str], str | None]],
    namespace: str | None,
    limit: int | None,
) -> None:
    store = Store()
    for step in before:
        write(store, *step)
    start = store.revision
    for step in between:
        write(store, *step)
    everything = store.watch("Pod", namespace, from_revision=start)
    following = store.watch("Pod", namespace, from_revision=start, field=ON_A)
    for step in after:
        write(store, *step)
    wanted = [event for event in everything.take() if ON_A.concerns(event)]
    taken: list[WatchEvent] = []
    while more := following.take(limit):
        taken += more
    assert taken == wanted
    assert following.revision == store.revision


def test_it_wakes_for_its_own_events_only_and_once() -> None:
    store, woken = Store(), []
    watch = store.watch("Pod", None, from_revision=1, field=ON_A)
    watch.wake_by(lambda: woken.append(store.revision))
    store.create("Pod", made("p", spec="b"))
    assert woken == []
    store.update("Pod", made("p", spec="a"))
    store.update("Pod", made("p", spec="b"))
    assert woken == [3]
    assert [event.revision for event in watch.take()] == [3, 4]
    store.create("Pod", made("q", spec="a"))
    watch.close()
    watch.close()
    store.create("Pod", made("r", spec="a"))
    assert woken == [3, 5]


def test_a_reader_that_comes_too_late_is_told() -> None:
    store = Store(history_max=2)
    watch = store.watch("Pod", None, from_revision=1, field=ON_A)
    for name in "pq":
        store.create("Pod", made(name, spec="a"))
    assert len(watch.take()) == 2
    for name in "rst":
        store.create("Pod", made(name, spec="a"))
    with pytest.raises(ExpiredError):
        watch.take()
    with pytest.raises(ExpiredError):
        store.watch("Pod", None, from_revision=1, field=ON_A)


def test_others_dont_make_it_late() -> None:
    store = Store(history_max=2)
    watch = store.watch("Pod", None, from_revision=1, field=ON_A)
    store.create("Pod", made("p", spec="a"))
    for name in "qrst":
        store.create("Pod", made(name, spec="b"))
    assert [event.name for event in watch.take()] == ["p"]


def test_amid_a_transaction_it_starts_after_what_wasnt_told_yet() -> None:
    store = Store()
    with store.transaction():
        store.create("Pod", made("p", spec="a"))
        watch = store.watch("Pod", None, from_revision=store.revision, field=ON_A)
        store.create("Pod", made("q", spec="a"))
    assert [event.name for event in watch.take()] == ["q"]


def test_the_future_cant_be_watched_yet() -> None:
    with pytest.raises(TooLargeResourceVersionError):
        Store().watch("Pod", None, from_revision=9, field=ON_A)
