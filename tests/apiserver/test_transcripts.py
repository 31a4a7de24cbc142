"""Transcripts are written down whole, whoever plays their scenes."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.apiserver.transcripts import assert_played


def test_scenes_that_are_played_at_once_are_all_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UPDATE", "1")
    scenes = [f"# Scene {number:02}.\nshow {number:02}" for number in range(30)]
    file = tmp_path / "scenes.txt"
    file.write_text("\n\n".join(scenes) + "\n")

    def play(scene: str) -> None:
        with suppress(AssertionError):
            assert_played(file, scene, lambda _: ["seen"])

    with ThreadPoolExecutor(8) as pool:
        [*pool.map(play, scenes)]
    assert file.read_text() == "\n\n".join(f"{one}\n| seen" for one in scenes) + "\n"
    assert [*tmp_path.iterdir()] == [file]
