"""Transcripts say what happens; UPDATE=1 writes down what happens now."""

import os
from pathlib import Path

import pytest

from tests.transcripts.player import Player

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.txt"))


def played(text: str) -> str:
    """The transcript with what happens after each command now."""
    player = Player()
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            lines += [line, *player.play(line.removeprefix("$ "))]
        elif not line or line.startswith("#"):
            lines.append(line)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_what_happens_is_what_the_transcript_says(path: Path) -> None:
    text = path.read_text()
    now = played(text)
    if os.environ.get("UPDATE"):
        path.write_text(now)
    assert now == path.read_text(), "UPDATE=1 pytest tests/transcripts writes what happens now"
