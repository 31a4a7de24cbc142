"""Files that are no good are told apart; what a kill leaves has all that was acknowledged."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from podium.apiserver.store.store import Store
from podium.cluster.embedded.sqlite_journal import FullJournalError, JournalFileError, SqliteJournal
from tests.apiserver.store.objects import made, names
from tests.cluster.drivers.journal_writer import HISTORY_MAX, write_on
from tests.conftest import ROOT
from tests.disks import fill_up, small_disk

NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def filled(path: Path) -> Path:
    with closing(SqliteJournal(path)) as journal:
        store = Store(journal=journal)
        with store.transaction():
            fill(store)
    return path


def fill(store: Store) -> None:
    for number in range(100):
        store.create("Node", made(f"node-{number}", note="x" * 300))
        store.update("Node", made(f"node-{number}", note="y" * 300))


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A directory, while this process has no right to write what isn't its own."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        if os.geteuid() != 0:
            os.chmod(directory, 0o555)
            yield Path(directory)
            os.chmod(directory, 0o755)
            return
        os.seteuid(NOBODY)
        try:
            yield Path(directory)
        finally:
            os.seteuid(0)


def refusal(path: Path) -> JournalFileError:
    with pytest.raises(JournalFileError) as caught, closing(SqliteJournal(path)) as journal:
        journal.load()
    assert str(path) in str(caught.value)
    return caught.value


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)


def write_text(path: Path) -> None:
    path.write_text("once upon a time " * 100)


def flip(path: Path) -> None:
    data = path.read_bytes()
    at = data.rindex(b"yyyy")
    path.write_bytes(data[:at] + b"z" + data[at + 1 :])


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def spoil_note(path: Path) -> None:
    Path(f"{path}-revision").write_text("once upon a time")


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (write_text, "file is not a database"),
        (halve, "the journal is damaged"),
        (flip, "has been altered"),
        ("DELETE FROM versions WHERE revision = 50", "revision 50 is missing"),
        ("DELETE FROM compaction", "the journal is damaged"),
        ("ALTER TABLE versions RENAME COLUMN body TO soul", "no such column: body"),
        ("PRAGMA user_version = 7", "the journal's schema is 7; this version of Podium reads 1"),
        (spoil_note, "holds no revision; remove it to go on"),
    ],
)
def test_a_file_that_is_no_good_is_refused_with_the_reason(
    filled: Path, harm: str | Callable[[Path], None], why: str
) -> None:
    change(filled, harm) if isinstance(harm, str) else harm(filled)
    error = refusal(filled)
    assert type(error) is JournalFileError
    assert why in str(error)


def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    nowhere = tmp_path / "none"
    assert str(refusal(nowhere / "store.db")).endswith(f"{nowhere} isn't a directory")
    assert "unable to open database file" in str(refusal(tmp_path))


def test_a_directory_that_must_not_be_written(unprivileged: Path) -> None:
    assert "Permission denied" in str(refusal(unprivileged / "store.db"))


def test_another_programs_database_is_left_alone(path: Path) -> None:
    change(path, "CREATE TABLE recipes (name)")
    before = path.read_bytes()
    assert "not a journal of Podium's" in str(refusal(path))
    assert path.read_bytes() == before


def elsewhere(function: str, path: Path) -> list[str]:
    """The command that calls a function of this module in another process."""
    code = f"import sys; from {__name__} import {function}; {function}(sys.argv[1])"
    return [sys.executable, "-c", code, str(path)]


def test_a_journal_in_use(filled: Path) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(elsewhere("hold", filled), cwd=ROOT, **pipes) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        error = refusal(filled)
        holder.communicate(b"\n")
    assert "another process uses this journal" in str(error)
    with closing(SqliteJournal(filled)) as journal:
        assert len(Store(journal=journal).list("Node").items) == 100


def hold(path: str) -> None:
    """What the other process does: keep the journal open until it is told to end."""
    with closing(SqliteJournal(Path(path))):
        sys.stdout.write("held\n")
        sys.stdout.flush()
        sys.stdin.readline()


def test_a_full_disk_takes_the_write_back_and_no_other(path: Path) -> None:
    with closing(SqliteJournal(path)) as journal:
        store = Store(journal=journal)
        store.create("Node", made("a"))
        # A limit on the database stands for one of the disk.
        pages = journal._number("PRAGMA page_count")
        assert journal._number(f"PRAGMA max_page_count = {pages}") == pages
        with pytest.raises(FullJournalError, match="full"):
            store.create("Node", made("big", note="x" * 100_000))
        assert names(store.list("Node").items) == ["a"]
        journal._number("PRAGMA max_page_count = 1000000")
        store.create("Node", made("b"))
    with closing(SqliteJournal(path)) as journal:
        assert names(Store(journal=journal).list("Node").items) == ["a", "b"]


def test_a_journal_that_was_never_finished_is_begun_again(path: Path) -> None:
    # As a kill leaves it between the first bytes of the file and the schema.
    change(path, "PRAGMA journal_mode = WAL")
    with closing(SqliteJournal(path)) as journal:
        Store(journal=journal).create("Node", made("a"))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "1m") as disk:
        yield disk


def test_a_full_disk_is_told_until_there_is_room_again(disk: Path) -> None:
    filler = disk / "filler"
    with closing(SqliteJournal(disk / "store.db")) as journal:
        store = Store(journal=journal)
        store.create("Node", made("a"))
        fill_up(filler)
        with pytest.raises(FullJournalError, match="full"):
            store.create("Node", made("b", note="x" * 100_000))
        assert journal.is_full()
        filler.unlink()
        assert not journal.is_full()
        store.create("Node", made("c", note="x" * 100_000))
        assert names(store.list("Node").items) == ["a", "c"]
    fill_up(filler)
    assert type(refusal(disk / "new.db")) is FullJournalError


def kill_while_writing(path: Path) -> int:
    """Leave a journal as a kill leaves it, with all writes in the log; the last revision."""
    command = elsewhere("write", path)
    return int(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False).stdout)


def write(path: str) -> None:
    """What the other process does: write, and end without closing anything."""
    store = Store(journal=SqliteJournal(Path(path), durability="process"))
    fill(store)
    sys.stdout.write(f"{store.revision}")
    sys.stdout.flush()
    os._exit(1)


def damage(log: Path) -> None:
    data = bytearray(log.read_bytes())
    data[len(data) // 2] ^= 1
    log.write_bytes(data)


@pytest.mark.parametrize("harm", [damage, halve, Path.unlink])
def test_a_log_that_lacks_what_was_acknowledged(path: Path, harm: Callable[[Path], object]) -> None:
    noted = kill_while_writing(path)
    log, note = Path(f"{path}-wal"), Path(f"{path}-revision")
    harm(log)
    error = refusal(path)
    assert f"writes up to revision {noted} were acknowledged" in str(error)
    assert f"remove {note} to go on" in str(error)
    assert Path(f"{log}.damaged").exists() is (harm is not Path.unlink)
    # It is told again, and nothing has been lost further.
    assert str(refusal(path)).split("; ")[1:] == str(error).split("; ")[1:]
    note.unlink()
    with closing(SqliteJournal(path)) as journal:
        assert Store(journal=journal).revision < noted


def killed(path: Path, seed: int, rng: Random) -> int:
    """Let a writer run, kill it, and return the last revision that it acknowledged; 0 if none."""
    command = [sys.executable, "-m", "tests.cluster.drivers.journal_writer", str(path), str(seed)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = [writer.stdout.readline()] if rng.random() < 0.9 else []
        time.sleep(rng.uniform(0, 0.05))
        writer.kill()
        acknowledged += writer.stdout.readlines()
    whole = [line for line in acknowledged if line.endswith("\n")]
    return int(whole[-1]) if whole else 0


def check(path: Path, seed: int, twin: Store, acknowledged: int) -> None:
    """Let the twin, which never dies, write as much, and compare."""
    watched_from = twin.revision
    with closing(SqliteJournal(path, history_max=HISTORY_MAX)) as journal:
        store = Store(journal=journal)
    assert store.revision >= acknowledged
    if store.revision > twin.revision:
        for revision in write_on(twin, seed):
            if revision >= store.revision:
                break
    assert store.revision == twin.revision, "the twin stops between commits only"
    for kind in ("Pod", "Node"):
        assert store.list(kind) == twin.list(kind)
        oldest = store.oldest_revision(kind)
        assert store.revision - oldest >= min(HISTORY_MAX, twin.revision - 1)
        resumed = max(oldest, watched_from)
        events = store.watch(kind, from_revision=resumed).take()
        assert events == twin.watch(kind, from_revision=resumed).take()


def live_and_die(path: Path, seed: int, lives: int) -> int:
    rng = Random(seed)
    twin = Store()
    for _ in range(lives):
        check(path, seed, twin, killed(path, seed, rng))
    return twin.revision


def test_kills(tmp_path: Path) -> None:
    assert live_and_die(tmp_path / "store.db", 1, lives=4) > 4


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_many_kills(tmp_path: Path, seed: int) -> None:
    assert live_and_die(tmp_path / "store.db", seed, lives=25) > 25
