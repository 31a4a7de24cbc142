"""Small disks, to see what becomes of programs when it is full."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def small_disk(path: Path, size: str) -> Iterator[Path]:
    """A disk of a size, such as `1m`, at a path of its own; skips the test where it takes root."""
    path.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)]
    if shutil.which("mount") is None or subprocess.run(command, check=False).returncode:
        pytest.skip("mounting a small disk takes root")
    try:
        yield path
    finally:
        subprocess.run(["umount", str(path)], check=True)


def fill_up(filler: Path) -> None:
    """Take all room that there is by a file."""
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass
