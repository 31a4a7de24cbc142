"""What a sweep keeps of its runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from podium.api.errors import PodiumError
from podium.simulation.experiments.sweep.trial_journal import NAME, TrialJournal


def test_results_are_there_again(tmp_path: Path) -> None:
    with TrialJournal(tmp_path / "deep" / "er", "d") as journal:
        journal.add("1/0/0", {"measures": {"a": 1.5}})
        assert "1/0/0" in journal
    with TrialJournal(tmp_path / "deep" / "er", "d") as journal:
        assert journal["1/0/0"] == {"measures": {"a": 1.5}}
        assert "1/0/1" not in journal


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_line_cut_short_is_dropped(tmp_path: Path, cut: int) -> None:
    with TrialJournal(tmp_path, "d") as journal:
        journal.add("a", {"x": 1})
        before = (tmp_path / NAME).read_bytes()
        journal.add("b", {"x": "a longer result, of which a part is missing"})
    whole = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(whole[:-cut])
    with TrialJournal(tmp_path, "d") as journal:
        assert "a" in journal
        assert "b" not in journal
        assert (tmp_path / NAME).read_bytes() == before
        journal.add("b", {"x": "a longer result, of which a part is missing"})
    assert (tmp_path / NAME).read_bytes() == whole


def test_a_header_cut_short_is_a_new_beginning(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b'{"swe')
    with TrialJournal(tmp_path, "d") as journal:
        assert "a" not in journal
    assert (tmp_path / NAME).read_bytes() == b'{"sweep":"d"}\n'


def test_another_sweep_is_refused(tmp_path: Path) -> None:
    with TrialJournal(tmp_path, "d"):
        pass
    with pytest.raises(PodiumError, match="belongs to another sweep"):
        TrialJournal(tmp_path, "e")


def test_what_came_in_any_order_ends_in_one(tmp_path: Path) -> None:
    written = []
    for keys in ("ab", "ba"):
        with TrialJournal(tmp_path / keys, "d") as journal:
            for key in keys:
                journal.add(key, {"x": key})
            journal.finish("ab")
        written.append((tmp_path / keys / NAME).read_bytes())
    assert written[0] == written[1]


def test_what_is_damaged_is_told(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b'{"sweep":"d"}\nnonsense\n{}\n')
    with pytest.raises(PodiumError, match="can't be read"):
        TrialJournal(tmp_path, "d")


def test_only_one_writes(tmp_path: Path) -> None:
    with TrialJournal(tmp_path, "d"):
        code = f"""
from pathlib import Path
from podium.simulation.experiments.sweep.trial_journal import TrialJournal
TrialJournal(Path({str(tmp_path)!r}), "d")
"""
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "another process is writing to it" in other.stderr


def test_a_directory_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PodiumError, match="file"):
        TrialJournal(tmp_path / "file", "d")
