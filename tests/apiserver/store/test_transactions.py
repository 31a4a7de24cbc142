"""Many writes, one commit; and what a failure takes back."""

import pytest

from podium.apiserver.store.errors import JournalError
from podium.apiserver.store.store import Store
from tests.apiserver.store.memory_journal import MemoryJournal
from tests.apiserver.store.objects import made, names


def test_the_writes_of_a_transaction_are_one_commit_and_told_afterwards() -> None:
    journal = MemoryJournal()
    store = Store(journal=journal)
    woken: list[int] = []
    watch = store.watch("Node", from_revision=1, wake=lambda: woken.append(len(journal.commits)))
    with store.transaction():
        store.create("Node", made("a"))
        with store.transaction():
            store.create("Node", made("b"))
        assert store.get("Node", "", "b") is not None
        assert (journal.commits, watch.take(), woken, watch.revision) == ([], [], [], 1)
    assert [[e.revision for e in commit] for commit in journal.commits] == [[2, 3]]
    assert [e.name for e in watch.take()] == ["a", "b"]
    assert woken == [1]


def test_an_empty_transaction_is_no_commit() -> None:
    journal = MemoryJournal()
    with Store(journal=journal).transaction():
        pass
    assert journal.commits == []


def test_an_inner_failure_takes_back_the_inner_writes_only() -> None:
    store = Store()

    def write_and_fail() -> None:
        with store.transaction():
            store.create("Node", made("inner"))
            raise ZeroDivisionError

    with store.transaction():
        store.create("Node", made("outer"))
        with pytest.raises(ZeroDivisionError):
            write_and_fail()
        store.create("Node", made("later"))
    watch = store.watch("Node", from_revision=1)
    assert [(e.name, e.revision) for e in watch.take()] == [("outer", 2), ("later", 3)]


def test_what_the_journal_can_not_keep_did_not_happen() -> None:
    journal = MemoryJournal()
    store = Store(journal=journal)
    before = store.create("Node", made("a"))
    journal.is_broken = True
    with pytest.raises(JournalError, match="the disk is full"):
        store.delete("Node", "", "a")
    transaction = store.transaction()
    transaction.__enter__()
    store.create("Node", made("b"))
    store.update("Node", made("a"))
    with pytest.raises(JournalError):
        transaction.__exit__(None, None, None)
    assert store.list("Node").items == [before]
    assert store.revision == 2
    journal.is_broken = False
    store.create("Node", made("c"))
    assert names(store.list("Node").items) == ["a", "c"]
    assert [[e.revision for e in commit] for commit in journal.commits] == [[2], [3]]


def test_a_watch_opened_in_a_transaction_starts_after_its_writes() -> None:
    store = Store()
    with store.transaction():
        store.create("Node", made("a"))
        watch = store.watch("Node", from_revision=store.revision)
        store.create("Node", made("b"))
    assert [e.name for e in watch.take()] == ["b"]
