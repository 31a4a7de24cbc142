"""What a restart finds in the file."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from podium.apiserver.store.history import Recovered
from podium.apiserver.store.store import Store
from podium.cluster.embedded.sqlite_journal import Durability, SqliteJournal
from tests.apiserver.store.objects import made, names


@contextmanager
def stored(path: Path, history_max: int = 100) -> Iterator[Store]:
    with closing(SqliteJournal(path, durability="process", history_max=history_max)) as journal:
        yield Store(journal=journal)


def rows(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as db:
        return [row[0] for row in db.execute("SELECT revision FROM versions ORDER BY revision")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def test_a_new_journal_is_empty(path: Path) -> None:
    with closing(SqliteJournal(path)) as journal:
        assert journal.load() == Recovered(1, [])


def test_objects_and_revision_come_back(path: Path) -> None:
    content = {"spec": {"é": [1, 2.5, None, True, 2**70, "\0"]}, "status": {}}
    with stored(path) as store:
        store.create("Pod", made("a", "ns", **content))
        store.create("Node", made("n"))
        store.create("Node", made("gone"))
        store.update("Node", made("n", spec=1))
        store.delete("Node", "", "gone")
        pods, nodes = store.list("Pod"), store.list("Node")
    with stored(path) as store:
        assert store.revision == 6
        assert (store.list("Pod"), store.list("Node")) == (pods, nodes)
        assert pods.items[0]["spec"] == content["spec"]
        assert store.create("Node", made("gone"))["metadata"]["resourceVersion"] == "7"


def test_what_can_not_be_written_as_json_is_not_stored(path: Path) -> None:
    with stored(path) as store:
        with pytest.raises(TypeError):
            store.create("Node", made("a", spec=object()))
        store.create("Node", made("b"))
    with stored(path) as store:
        assert names(store.list("Node").items) == ["b"]


def test_a_history_grown_smaller_is_compacted_by_the_next_write(path: Path) -> None:
    with stored(path, history_max=100) as store:
        for content in range(50):
            store.create("Node", made("n", spec=content))
            store.delete("Node", "", "n")
    with stored(path, history_max=2) as store:
        assert store.oldest_revision("Node") == 1
        store.create("Node", made("n"))
    assert rows(path) == [100, 101, 102], "101 deletes what 100 created"


@pytest.mark.parametrize(("durability", "synchronous"), [("process", 1), ("power", 2)])
def test_durability_is_what_sqlite_waits_for(
    path: Path, durability: Durability, synchronous: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noting(*args: object, **options: object) -> sqlite3.Connection:
        opened.append(connect(*args, **options))
        return opened[0]

    monkeypatch.setattr(sqlite3, "connect", noting)
    with closing(SqliteJournal(path, durability=durability)):
        assert opened[0].execute("PRAGMA synchronous").fetchone() == (synchronous,)
        assert opened[0].execute("PRAGMA journal_mode").fetchone() == ("wal",)
