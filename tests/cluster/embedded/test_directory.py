"""The data directory: one process at a time, private, and time that never goes back."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from podium.api.errors import PodiumError
from podium.apiserver.store.store import Store
from podium.cluster.embedded.directory import DataDirectory, HighWater
from tests.apiserver.store.objects import made
from tests.disks import fill_up, small_disk

HOLDER = """
import sys, time
from pathlib import Path
from podium.cluster.embedded.directory import DataDirectory
with DataDirectory(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_it_is_made_and_private(tmp_path: Path) -> None:
    with DataDirectory(tmp_path / "a" / "b") as directory:
        assert directory.path.stat().st_mode & 0o777 == 0o700


def test_its_files_are_private_in_a_directory_that_was_there(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "lock").touch(mode=0o644)
    with DataDirectory(tmp_path) as directory, closing(directory.open_journal()) as journal:
        Store(journal=journal).create("Secret", made("s"))
        directory.high_water().rise(2.0, clock_s=1.0)
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    files = ("clock", "lock", "store.db", "store.db-revision", "store.db-wal")
    assert modes == dict.fromkeys(files, 0o600)


def test_two_processes_do_not_use_it_at_once(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(PodiumError, match=f"is in use by process {holder.pid}"):
            DataDirectory(tmp_path).__enter__()
        holder.kill()
    with DataDirectory(tmp_path):
        pass


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PodiumError, match="file: File exists"):
        DataDirectory(tmp_path / "file").__enter__()


def test_time_that_ran_ahead_is_remembered(tmp_path: Path) -> None:
    water = HighWater(tmp_path / "clock")
    water.rise(90.0, clock_s=100.0)
    assert not (tmp_path / "clock").exists()
    water.rise(110.0, clock_s=100.0)
    assert 110.0 <= HighWater(tmp_path / "clock").time_s <= 110.0 + HighWater.STEP_S
    water.rise(500.5, clock_s=100.0)
    assert HighWater(tmp_path / "clock").time_s >= 500.5


def test_a_time_that_finds_no_room_is_noted_later(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        water = HighWater(disk / "clock")
        fill_up(disk / "filler")
        water.rise(110.0, clock_s=100.0)
        assert not (disk / "clock").exists()
        (disk / "filler").unlink()
        water.rise(111.0, clock_s=100.0)
        assert HighWater(disk / "clock").time_s >= 111.0


def test_a_clock_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    (tmp_path / "clock").write_text("noon")
    with pytest.raises(PodiumError, match="clock: doesn't hold a time"):
        HighWater(tmp_path / "clock")
