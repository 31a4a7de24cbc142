"""Killed at any moment, a journal has all that was acknowledged, and nothing half."""

import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from podium.apiserver.store.store import Store
from podium.cluster.embedded.sqlite_journal import SqliteJournal
from tests.cluster.drivers.journal_writer import HISTORY_MAX, write_on
from tests.conftest import ROOT


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
